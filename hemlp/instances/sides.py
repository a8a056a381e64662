"""The two sides of an instance. Wherever they are numbered, in this order."""

from __future__ import annotations

PRED, TRUE = 0, 1
SIDES = ("predicted", "true")
LETTERS = ("p", "t")
