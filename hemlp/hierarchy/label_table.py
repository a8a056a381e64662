"""Classes of many labels at once: the letters of all labels of a hierarchy in one compiled hash table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from hemlp.arrays import IntArray, pointers


class LabelTable:
    """The class of each label and alias, all of them texts; it is built where it is used, and not sent along."""

    def __init__(self, labels: Sequence[str], aliases: Mapping[str, str]) -> None:
        self.labels, self.aliases = labels, aliases

    def __getstate__(self) -> dict[str, Any]:
        return {"labels": self.labels, "aliases": self.aliases}

    @cached_property
    def known(self) -> Any:
        """The labels, then the aliases, as ``learn_texts`` numbers them."""
        from hemlp.kernels.text.lexicon import learn_texts

        return learn_texts(*_letters([*self.labels, *self.aliases]))[0]

    @cached_property
    def classes(self) -> IntArray:
        """The class of each number in ``known``, and -1 in the last place."""
        of_alias = self._codes(self.aliases.values())
        return np.concatenate([np.arange(len(self.labels)), of_alias, [-1]]).astype(np.int32)

    def find(self, texts: Collection[str]) -> IntArray:
        """The class of each text, -1 of those that are neither labels nor aliases."""
        return self.classes[self._codes(texts)]

    def _codes(self, texts: Collection[str]) -> IntArray:
        from hemlp.kernels.text.lexicon import learn_texts

        codes: IntArray = learn_texts(*_letters(texts), self.known)[1]
        return codes


def _letters(texts: Collection[str]) -> tuple[bytes, IntArray]:
    """The UTF-8 of texts, and where each begins, and the last one ends."""
    letters = "".join(texts).encode("utf-8", "surrogatepass")
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    if lengths.sum() < len(letters):
        lengths = np.array([len(text.encode("utf-8", "surrogatepass")) for text in texts], np.int64)
    return letters, pointers(lengths)
