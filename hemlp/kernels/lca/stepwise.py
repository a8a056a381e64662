"""One instance of Problem 2, one component at a time: Dinkelbach's algorithm for solvers of programs."""

from __future__ import annotations

from typing import Any

import cython
import numpy as np

from hemlp.kernels.lca.search import graph_arrays


def begin(search: Search) -> Any:
    """Reduce the only instance; the leaders of its parts, None if it is too large for that."""
    search.draws = True
    with cython.nogil:
        done: cython.bint = search.reduce(0)
    if not done:
        return None
    decisions = search.decisions
    return [
        s for s in range(decisions.first, decisions.number) if decisions.leader[s] == s and decisions.kind[s] != SETTLED
    ]


def solve_part(search: Search, leader: cython.longlong, p: cython.longlong, q: cython.longlong) -> Any:
    """Solve a part at the ratio p / q; if that fails (False), it keeps the best known choice."""
    with cython.nogil:
        solved: cython.bint = search.solve_part(leader, p, q, True)
    return solved


def differences(search: Search, leader: cython.longlong) -> Any:
    """The differences of sizes of the best choices of a solved part."""
    return [search.enumerated.diff[k] for k in range(search.outcomes[leader], search.outcomes_end[leader])]


def take_difference(
    search: Search, leader: cython.longlong, p: cython.longlong, q: cython.longlong, diff: cython.longlong
) -> None:
    """Take a best choice of a part with this difference of sizes."""
    with cython.nogil:
        search.take_difference(leader, p, q, diff)


def counts(search: Search, leader: cython.longlong) -> tuple[int, int, int]:
    """Nodes, common nodes and difference of sizes of the choice of a part."""
    return search.part_size[leader], search.part_common[leader], search.part_diff[leader]


def take(search: Search, leader: cython.longlong, picked: dict[int, int], sizes: tuple[int, int, int]) -> None:
    """Set the choice of a part: the option of each decision, and its counts."""
    for decision, option in picked.items():
        search.picked[decision] = option
    search.part_size[leader], search.part_common[leader], search.part_diff[leader] = sizes


def describe(search: Search, leader: cython.longlong) -> Any:
    """The steps of a part as (decision, side, options), and the certain nodes of each side.

    An option is (source, nodes, needs, bars, sets, gain, rest), as ``hemlp.kernels.lca.components`` has them.
    """
    with cython.nogil:
        search.read_part(leader)
    part = search.part
    steps = []
    for t in range(part.steps):
        options = [
            (
                part.source[o], _members(part.adds, o, part.node_words), _members(part.needs, o, part.flag_words),
                _members(part.bars, o, part.flag_words), _members(part.sets, o, part.flag_words),
                part.gain[o], part.rest[o],
            )
            for o in range(part.ptr[t], part.ptr[t + 1])
        ]  # fmt: skip
        steps.append((part.decision[t], search.decisions.side[part.decision[t]], options))
    return steps, [_members(search.part_search.sure, side, part.node_words) for side in range(2)]


def _members(words: Any, row: int, width: int) -> list[int]:
    """The numbers in a bit set: row ``row`` of ``width`` words."""
    return [n for n in range(62 * width) if (words[row * width + n // 62] >> (n % 62)) & 1]


def finish(search: Search) -> Any:
    """The results of the instance, as ``hemlp.kernels.lca.search.draw_graphs`` gives them."""
    table = np.ones((1, 6), np.int64)
    view: cython.longlong[:, ::1] = table
    search.count(view, 0)
    search.write()
    return graph_arrays(search, table, np.array([0, search.drawn]))
