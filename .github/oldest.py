"""Prints constraints: the oldest versions that pyproject.toml allows of what hemlp and its extras need."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path


def oldest(text: str) -> list[str]:
    """One line a package: numpy>=1.26 is numpy==1.26.*, of which there may be repairs."""
    project = tomllib.loads(text)["project"]
    extras = [each for name, needed in project["optional-dependencies"].items() if name != "dev" for each in needed]
    return [
        re.sub(r"^([\w.-]+)(?:\[.*\])?>=([\w.]+).*", r"\1==\2.*", each) for each in project["dependencies"] + extras
    ]


if __name__ == "__main__":
    sys.stdout.write("\n".join(oldest(Path("pyproject.toml").read_text(encoding="utf-8"))) + "\n")
