"""``python -m hemlp``."""

from hemlp.cli import main

main()
