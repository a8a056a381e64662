"""FILE@CUT: a file of scored predictions, and how to cut them: ``@0.3``, ``@top5``, ``@tuned``, ``@tuned.json``."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from hemlp.errors import InvalidOption
from hemlp.io.text import parse_number

TUNED = "tuned"
_TOP = re.compile(r"top([0-9]{1,18})")


@dataclass(frozen=True)
class Cut:
    """A file of scores, and how to cut them."""

    file: str
    at: str

    @property
    def top(self) -> int | None:
        """The number of classes to keep per instance, if the cut is topK."""
        match = _TOP.fullmatch(self.at)
        return int(match[1]) if match else None

    @property
    def threshold(self) -> float | None:
        """The threshold, if it is a number."""
        return parse_number(self.at.encode("utf-8", "replace"))

    @property
    def name(self) -> str:
        """The default name of the system: stem@cut."""
        return f"{Path(self.file.removesuffix('.gz')).stem}@{Path(self.at).stem if self.stored else self.at}"

    @property
    def stored(self) -> bool:
        """Whether the cut is a file of thresholds."""
        return self.at.endswith(".json")

    @property
    def files(self) -> list[str]:
        """The files to read."""
        return [self.file, self.at] if self.stored else [self.file]


def parse_cut(text: str) -> Cut | None:
    """Parse FILE@CUT; None for a plain file."""
    file, sign, at = text.rpartition("@")
    if not sign or not file or os.path.exists(text):
        return None
    cut = Cut(file, at)
    if cut.top is not None or cut.threshold is not None or cut.stored or at == TUNED:
        return cut
    if os.path.isfile(file):
        raise InvalidOption(f"{text}: scores are cut by @0.3, @top5, @tuned or @thresholds.json, not by @{at}")
    return None
