"""Ranks by mean, and the compact letter display of groups of systems that do not differ significantly.

Two systems share a letter exactly where they are not separated: "not separated" is a graph, and its maximal cliques are
the groups. It need not be transitive, so a system may have several letters.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, combinations_with_replacement

from hemlp.results.merged_sums import PRECISION

MAX_GROUPS = 10_000
"""With more maximal groups there are no letters: nobody could read them."""
SHORT_RUN = 3
"""Consecutive letters that a table spells out."""


def rank_means(means: Sequence[float], greater_is_better: bool) -> list[int | None]:
    """Ranks 1, 1, 3 by mean; means within 1e-12 of the greatest |mean| are equal, and nan has no rank.

    >>> rank_means([0.5, 0.25, 0.5 + 1e-17, math.nan], True)
    [1, 3, 1, None]
    """
    defined = [k for k, mean in enumerate(means) if not math.isnan(mean)]
    order = sorted(defined, key=lambda k: -means[k] if greater_is_better else means[k])
    near = PRECISION * max((abs(means[k]) for k in defined if math.isfinite(means[k])), default=0.0)
    ranks: list[int | None] = [None] * len(means)
    for at, k in enumerate(order):
        above = order[at - 1] if at else k
        tied = at > 0 and (means[k] == means[above] or abs(means[k] - means[above]) <= near)
        ranks[k] = ranks[above] if tied else at + 1
    return ranks


def compact_letter_display(size: int, separated: Callable[[int, int], bool]) -> list[tuple[str, ...]]:
    """The letters of systems 0, 1, … in their order, best first.

    One letter for each maximal set of systems no two of which are separated, in lexicographic order; then, from the
    last to the first, a letter goes if every pair that it joins and every system that it marks has another. No letters
    where there are too many such sets.

    >>> compact_letter_display(3, lambda i, j: (i, j) == (0, 2))
    [('a',), ('a', 'b'), ('b',)]
    """
    near = [0] * size
    for i, j in combinations(range(size), 2):
        if not separated(i, j):
            near[i] |= 1 << j
            near[j] |= 1 << i
    groups = []
    for clique in _maximal_cliques(near):
        groups.append(clique)
        if len(groups) > MAX_GROUPS:
            return [()] * size
    groups.sort()
    marked = Counter(pair for group in groups for pair in _pairs_within(group))
    kept = []
    for group in reversed(groups):
        if all(marked[pair] > 1 for pair in _pairs_within(group)):
            marked.subtract(_pairs_within(group))
        else:
            kept.append(group)
    groups = kept[::-1]
    letters = [_letter(k) for k in range(len(groups))]
    return [tuple(letter for letter, group in zip(letters, groups, strict=True) if k in group) for k in range(size)]


def _pairs_within(group: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Every pair of a group, and every member with itself."""
    return combinations_with_replacement(group, 2)


def _maximal_cliques(near: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The maximal cliques of a graph whose neighbourhoods are bit sets (Bron and Kerbosch 1973, with a pivot)."""

    def extend(clique: tuple[int, ...], candidates: int, excluded: int) -> Iterator[tuple[int, ...]]:
        if not candidates | excluded:
            yield tuple(sorted(clique))
            return
        pivot = max(_set_bits(candidates | excluded), key=lambda k: (candidates & near[k]).bit_count())
        for k in _set_bits(candidates & ~near[pivot]):
            yield from extend((*clique, k), candidates & near[k], excluded & near[k])
            candidates &= ~(1 << k)
            excluded |= 1 << k

    return extend((), (1 << len(near)) - 1, 0)


def _set_bits(bits: int) -> Iterator[int]:
    while bits:
        last = bits & -bits
        yield last.bit_length() - 1
        bits ^= last


def join_letters(letters: Sequence[str]) -> str:
    """Letters as a text, a run of more than three of them by its ends.

    >>> join_letters("abc"), join_letters(["a", "c", "d", "e", "f"]), join_letters(["y", "z", "aa", "ab"])
    ('abc', 'a c–f', 'y–ab')
    """
    runs: list[list[str]] = []
    for letter in letters:
        if runs and _letter(_number(runs[-1][-1]) + 1) == letter:
            runs[-1].append(letter)
        else:
            runs.append([letter])
    if max(map(len, runs), default=0) <= SHORT_RUN:
        return "".join(letters)
    return " ".join("".join(run) if len(run) <= SHORT_RUN else f"{run[0]}–{run[-1]}" for run in runs)


def _number(letter: str) -> int:
    number = 0
    for each in letter:
        number = 26 * number + ord(each) - ord("a") + 1
    return number - 1


def _letter(k: int) -> str:
    """a to z, then aa, ab, …

    >>> _letter(0), _letter(25), _letter(26), _letter(701), _letter(702)
    ('a', 'z', 'aa', 'zz', 'aaa')
    """
    text = ""
    k += 1
    while k:
        k, letter = divmod(k - 1, 26)
        text = chr(ord("a") + letter) + text
    return text
