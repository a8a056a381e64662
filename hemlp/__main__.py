"""The command line."""

import gc
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # hemlp does not use BLAS, and numpy starts its threads at import
gc.set_threshold(100_000)  # or imports alone would run the collector 80 times

from hemlp.cli.main import main  # noqa: E402 (what is above has to come first)

if __name__ == "__main__":
    main()
