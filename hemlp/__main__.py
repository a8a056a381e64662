"""The command line."""

import gc
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy starts them when it is loaded; nothing here has use for them
gc.set_threshold(100_000)  # Python would look for garbage 80 times among what is loaded, and there is none

from hemlp.cli.main import main  # noqa: E402 (what is above has to come first)

if __name__ == "__main__":
    main()
