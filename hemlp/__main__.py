"""The command line."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy starts them when it is loaded; nothing here has use for them

from hemlp.cli.main import main

if __name__ == "__main__":
    main()
