"""P-values as texts, as journals write them: ".066" and "<.001"."""

from __future__ import annotations

import math

ALPHA = 0.05
"""The level of significance."""


class PValue(float):
    """A number that tables show as a p-value."""


def format_p(value: float) -> str:
    """Three decimals without the 0 before them; more where three would show the level for what is below it.

    >>> [format_p(p) for p in (0.5, 0.0662, 0.04996, 0.0008, 0.0, 1.0, math.nan)]
    ['.500', '.066', '.04996', '<.001', '<.001', '1.000', 'undefined']
    """
    if math.isnan(value):
        return "undefined"
    decimals = next(k for k in range(3, 20) if k == 19 or (round(value, k) < ALPHA) == (value < ALPHA))
    return "<.001" if value < 0.001 else f"{value:.{decimals}f}".removeprefix("0")


def p_equation(value: float) -> str:
    """As in a sentence.

    >>> p_equation(0.0662), p_equation(1e-9)
    ('p = .066', 'p < .001')
    """
    shown = format_p(value)
    return f"p < {shown[1:]}" if shown[0] == "<" else f"p = {shown}"
