"""Reductions of Problem 2: nodes that matter, paths that no other contains, and the smallest sets of LCAs.

A node *matters* if two links of an instance can use it; all others are interchangeable, since each is on the paths of
one link only. All shortest paths of a link are equally long, so one whose nodes that matter are a subset of another's
is never better, and a path is known by its *signature*: the nodes that matter, as bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.kernels.jit import kernel

Array = NDArray[Any]

BITS = 62
"""Bits used of a word: all arithmetic stays within int64."""
MOST_SETS = 256
MOST_SIGNATURES = 48
MOST_STEPS = 20_000


# Rows are copied by loops and not by slices throughout: numba takes ten times as long to compile the latter.


@kernel
def bits_of(word: int) -> int:
    """How many bits are set."""
    count = 0
    while word:
        word &= word - 1
        count += 1
    return count


@kernel
def popcount(words: Array, row: int) -> int:
    """How many bits are set in a row."""
    count = 0
    for w in range(words.shape[1]):
        count += bits_of(words[row, w])
    return count


@kernel
def mattering(path_ptr: Array, nodes: Array, first: int, last: int, count: Array, bit: Array) -> int:
    """Number the nodes that two of the links from ``first`` on can use; ``bit`` is -1 for the others.

    ``count`` is scratch, 0 before and after.
    """
    for link in range(first, last):
        for k in range(path_ptr[0, link], path_ptr[0, link + 1]):
            count[nodes[k]] += 1
    used = 0
    for link in range(first, last):
        for k in range(path_ptr[0, link], path_ptr[0, link + 1]):
            if count[nodes[k]] > 1:
                bit[nodes[k]] = used
                used += 1
            elif count[nodes[k]] == 1:
                bit[nodes[k]] = -1
            count[nodes[k]] = 0
    return used


@kernel
def signatures(
    link: int, path_ptr: Array, nodes: Array, lower: Array, upper: Array, bit: Array, where: Array, words: int
) -> Array:
    """The signatures of a link's paths that no other contains, one a row; none if there are too many.

    From the LCA down: what a path from a node to the LCA can have, kept without what another has, too.
    """
    begin, end = path_ptr[0, link], path_ptr[0, link + 1]
    edge, edge_end = path_ptr[1, link], path_ptr[1, link + 1]
    size = end - begin
    if edge_end - edge == size - 1:  # one path
        only = np.zeros((1, words), np.int64)
        for k in range(begin, end):
            if bit[nodes[k]] >= 0:
                only[0, bit[nodes[k]] // BITS] |= np.int64(1) << (bit[nodes[k]] % BITS)
        return only
    kept = np.zeros((size, MOST_SIGNATURES, words), np.int64)
    number = np.zeros(size, np.int64)
    fresh = np.empty(words, np.int64)
    for k in range(size):
        node = nodes[begin + k]
        where[node] = k
        if k == 0:
            number[0] = 1
            if bit[node] >= 0:
                kept[0, 0, bit[node] // BITS] |= np.int64(1) << (bit[node] % BITS)
            continue
        while edge < edge_end and lower[edge] == node:
            above = where[upper[edge]]
            for s in range(number[above]):
                for w in range(words):
                    fresh[w] = kept[above, s, w]
                if bit[node] >= 0:
                    fresh[bit[node] // BITS] |= np.int64(1) << (bit[node] % BITS)
                if not _insert(kept, number, k, fresh):
                    return np.zeros((0, words), np.int64)
            edge += 1
    result = np.empty((number[size - 1], words), np.int64)
    for s in range(number[size - 1]):
        for w in range(words):
            result[s, w] = kept[size - 1, s, w]
    return result


@kernel
def _insert(kept: Array, number: Array, k: int, fresh: Array) -> bool:
    """Add a signature unless one contains it, and remove those that it contains; False if there is no room."""
    s = 0
    while s < number[k]:
        inside = contains = True
        for w in range(fresh.size):
            both = kept[k, s, w] & fresh[w]
            inside = inside and both == fresh[w]
            contains = contains and both == kept[k, s, w]
        if inside:
            return True
        if contains:
            number[k] -= 1
            for w in range(fresh.size):
                kept[k, s, w] = kept[k, number[k], w]
        else:
            s += 1
    if number[k] == kept.shape[1]:
        return False
    for w in range(fresh.size):
        kept[k, number[k], w] = fresh[w]
    number[k] += 1
    return True


@kernel
def fewest_hitting_sets(masks: Array, stack: Array) -> Array:
    """All smallest sets of bits that meet every mask; none if there are too many to list. ``stack`` is scratch."""
    found = np.empty(MOST_SETS, np.int64)
    for size in range(1, BITS + 1):
        count = 0
        stack[0, 0] = 0
        stack[0, 1] = 0
        top = 1
        steps = 0
        while top > 0:
            steps += 1
            top -= 1
            chosen, excluded = stack[top, 0], stack[top, 1]
            open_mask = np.int64(0)
            for mask in masks:
                if mask & chosen == 0:
                    open_mask = mask
                    break
            if open_mask == 0:
                if count == MOST_SETS:
                    return found[:0]
                found[count] = chosen
                count += 1
                continue
            if bits_of(chosen) == size:
                continue
            rest = open_mask & ~excluded
            if steps > MOST_STEPS or top + BITS > stack.shape[0]:
                return found[:0]
            while rest:
                low = rest & -rest
                rest ^= low
                stack[top, 0] = chosen | low
                stack[top, 1] = excluded
                excluded |= low
                top += 1
        if count > 0:
            return found[:count].copy()
    return found[:0]
