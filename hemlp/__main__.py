"""``python -m hemlp``."""

from hemlp.cli.main import main

main()
