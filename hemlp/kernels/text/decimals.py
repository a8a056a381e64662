"""Plain decimals such as 0.125, exactly as Python reads them.

A whole number below 10¹⁵ and a power of ten up to 10²² are doubles. What the division of the one by the other gives is
rounded once, so it is the double that is nearest to the decimal (Clinger's fast path, 1990). O(bytes).
"""

from __future__ import annotations

import cython

MOST_WHOLE = 10**15
MOST_POWER = 1e22


def decimal(text, begin, end, value):
    """Whether ``text[begin:end]`` is a plain decimal: digits with a sign or none, and a point or none.

    ``value``: where the number is put. Those that have too many digits are not plain.
    """
    whole: cython.longlong = 0
    power: cython.double = 1.0
    some: cython.bint = False
    point: cython.bint = False
    negative: cython.bint = begin < end and text[begin] == MINUS
    at: cython.longlong = begin
    if at < end and (text[at] == PLUS or text[at] == MINUS):
        at += 1
    while at < end:
        if text[at] == POINT and not point:
            point = True
        elif text[at] >= ZERO and text[at] <= NINE:
            whole = 10 * whole + (text[at] - ZERO)
            some = True
            if point:
                power *= 10
        else:
            return False
        if whole >= MOST_WHOLE or power > MOST_POWER:
            return False
        at += 1
    value[0] = whole / power
    if negative:
        value[0] = -value[0]
    return some
