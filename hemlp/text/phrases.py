"""Phrases that several texts share: a number with its noun, and a note of tables."""

from __future__ import annotations

OPTIMISTIC = "optimistic: chosen on the data that it is measured on"
"""Of the best value of a curve."""


def plural(number: float, thing: str, things: str | None = None) -> str:
    """'1 instance', '2,000 instances'.

    >>> plural(1, "class", "classes"), plural(2000, "class", "classes"), plural(0, "instance")
    ('1 class', '2,000 classes', '0 instances')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
