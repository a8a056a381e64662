"""The two sides of an instance, numbered in this order everywhere: predicted and true.

Public functions take (true, pred); inside, whatever has one entry per side is indexed by ``PRED`` and ``TRUE``.
"""

from __future__ import annotations

PRED, TRUE = 0, 1
SIDES = ("predicted", "true")
LETTERS = ("p", "t")
