"""Problem 2 with given LCAs by merging: where trying all combinations would take long, like partial choices become one.

Slots are gone through in turn. What a partial choice can still become depends only on those of its nodes that later
slots can use, on which LCAs are served, and on its three counts so far (nodes on either side and in both); choices that
agree in all of it are one state. Nodes that no later slot can use are counted and forgotten, so states stay few where
slots have little to do with each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.kernels.jit import kernel
from hemlp.kernels.reductions import bits_of

Array = NDArray[Any]

ALWAYS, OPTIONAL, LAST, EXTRA = 0, 1, 2, 3
MOST_STATES = 1 << 15
"""States after one slot, at most."""
MOST_MOVES = 300_000
"""Options of states that are looked at, at most."""


@kernel
def better(p: int, t: int, c: int, best: Array) -> bool:
    """Whether sizes p, t with c in common beat the best so far: F, then size, likeness of sizes, and p."""
    if best[0] < 0:
        return True
    size, best_size = p + t, best[0] + best[1]
    if c * best_size != best[2] * size:
        return bool(c * best_size > best[2] * size)
    if size != best_size:
        return bool(size < best_size)
    if abs(p - t) != abs(best[0] - best[1]):
        return bool(abs(p - t) < abs(best[0] - best[1]))
    return bool(p < best[0])


@kernel
def merged_choice(
    slots: int, slot_ptr: Array, slot_kind: Array, slot_side: Array, slot_lca: Array,
    option_link: Array, option_signature: Array, option_rest: Array, reach: Array, least: Array,
    best: Array, best_links: Array, best_signatures: Array,
) -> int:  # fmt: skip
    """The best choice of one option from each slot, as ``best_choice`` of ``hemlp.kernels.search`` finds it.

    ``reach`` and ``least`` are its bounds on what later slots can add. Returns the number of paths of the best choice,
    -1 if it does not improve on ``best``, -2 if it would take too long.
    """
    words = option_signature.shape[1]
    served = 2 * words  # columns of a state: nodes of both sides, served LCAs of both sides, drawn, p, t, c
    drawn, counts, width = served + 2, served + 3, served + 6
    later = np.zeros((slots + 1, 2), np.int64)  # LCAs that an extra slot from here on asks about
    for s in range(slots - 1, -1, -1):
        later[s, 0], later[s, 1] = later[s + 1, 0], later[s + 1, 1]
        if slot_kind[s] == EXTRA:
            later[s, slot_side[s]] |= np.int64(1) << slot_lca[s]
    now = np.zeros((1, width), np.int64)
    size = 1
    fresh = np.empty((MOST_STATES, width), np.int64)
    table = np.empty(2 * MOST_STATES, np.int32)
    layer = np.zeros(slots + 2, np.int64)  # where the steps to the states after each slot begin
    layer[1] = 1
    steps = np.zeros((2, 1024), np.int32)  # from which state of the layer before, by which option (-1: none)
    row = np.empty(width, np.int64)
    moves = 0
    for s in range(slots):
        side, kind = slot_side[s], slot_kind[s]
        table[:] = -1
        made = 0
        for i in range(size):
            has = (now[i, served + side] >> slot_lca[s]) & 1 == 1
            first = slot_ptr[s]
            if (kind == EXTRA and has) or kind == OPTIONAL or (kind == LAST and now[i, drawn] == 1):
                first -= 1  # the slot may stay empty
            for option in range(first, slot_ptr[s + 1]):
                empty = option < slot_ptr[s]
                if not empty and kind == EXTRA and has:
                    break
                moves += 1
                for k in range(width):
                    row[k] = now[i, k]
                if not empty:
                    row[counts + side] += option_rest[option]
                    row[served + side] |= np.int64(1) << slot_lca[s]
                    for w in range(words):
                        row[side * words + w] |= option_signature[option, w]
                row[drawn] = 1 if kind == OPTIONAL and (now[i, drawn] == 1 or not empty) else 0
                _forget(row, words, reach, s + 1, later)
                if best[0] >= 0 and _hopeless(row, words, reach, least, s + 1, best):
                    continue
                slot = _slot(row, fresh, table)
                if table[slot] >= 0:
                    continue
                if made == MOST_STATES or moves > MOST_MOVES:
                    return -2
                table[slot] = made
                for k in range(width):
                    fresh[made, k] = row[k]
                place = layer[s + 1] + made
                if place >= steps.shape[1]:
                    steps = _longer(steps)
                steps[0, place], steps[1, place] = i, -1 if empty else option
                made += 1
        layer[s + 2] = layer[s + 1] + made
        now = fresh[:made].copy()
        size = made
    winner = -1
    for i in range(size):
        p, t, c = now[i, counts], now[i, counts + 1], now[i, counts + 2]
        if better(p, t, c, best):
            best[0], best[1], best[2] = p, t, c
            winner = i
    if winner < 0:
        return -1
    found = 0
    for s in range(slots - 1, -1, -1):
        place = layer[s + 1] + winner
        option = steps[1, place]
        if option >= 0:
            best_links[found] = option_link[option]
            for w in range(words):
                best_signatures[found, w] = option_signature[option, w]
            found += 1
        winner = steps[0, place]
    return found


@kernel
def _forget(row: Array, words: int, reach: Array, s: int, later: Array) -> None:
    """Count the nodes that no slot from ``s`` on can use, and forget them, and LCAs that nobody will ask about."""
    counts = 2 * words + 3
    for w in range(words):
        usable = reach[2 * s, w] | reach[2 * s + 1, w]
        p_gone, t_gone = row[w] & ~usable, row[words + w] & ~usable
        row[counts] += bits_of(p_gone)
        row[counts + 1] += bits_of(t_gone)
        row[counts + 2] += bits_of(p_gone & t_gone)
        row[w] &= usable
        row[words + w] &= usable
    for side in range(2):
        row[2 * words + side] &= later[s, side]


@kernel
def _hopeless(row: Array, words: int, reach: Array, least: Array, s: int, best: Array) -> bool:
    """Whether F stays below the best even if all that later slots could add were shared."""
    counts = 2 * words + 3
    shared = row[counts + 2]
    size = row[counts] + row[counts + 1] + least[s]
    for w in range(words):
        both = (row[w] | reach[2 * s, w]) & (row[words + w] | reach[2 * s + 1, w])
        shared += bits_of(both)
        size += bits_of(row[w] | both) + bits_of(row[words + w] | both)
    return bool(shared * (best[0] + best[1]) < best[2] * size)


@kernel
def _slot(row: Array, states: Array, table: Array) -> int:
    """The place of a state in the table: where it is, or where it could be."""
    code: Any = np.int64(17)
    for value in row:
        code = (code * 1000003 ^ (value & 0x7FFFFFFF) ^ (value >> 31)) & 0x7FFFFFFF
    slot = (code ^ (code >> 15)) & (table.size - 1)
    while table[slot] >= 0:
        same = True
        for k in range(row.size):
            if states[table[slot], k] != row[k]:
                same = False
                break
        if same:
            return int(slot)
        slot = (slot + 1) & (table.size - 1)
    return int(slot)


@kernel
def _longer(steps: Array) -> Array:
    longer = np.empty((2, 2 * steps.shape[1]), steps.dtype)
    for k in range(steps.shape[1]):
        longer[0, k], longer[1, k] = steps[0, k], steps[1, k]
    return longer
