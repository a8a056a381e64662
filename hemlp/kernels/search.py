"""Problem 2 by exhaustive search after reduction, for instances on which that is small.

What ``hemlp.kernels.reductions`` leaves to choose are the fewest LCAs (all sets of that size), which of its own LCAs a
class is linked to, extra links, and signatures of paths.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.kernels import kernel
from hemlp.kernels.reductions import (
    BITS,
    MOST_SIGNATURES,
    bits_of,
    fewest_hitting_sets,
    mattering,
    popcount,
    signatures,
)

Array = NDArray[Any]


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
def best_choice(
    slot_ptr: Array, slots: int, option_link: Array, option_signature: Array, option_rest: Array, option_side: Array,
    best: Array, best_links: Array, best_signatures: Array, steps: int, most_steps: int,
) -> tuple[int, int]:  # fmt: skip
    """Try all combinations of one option from each slot; updates ``best`` and the options that make it.

    A branch is left where F stays below the best even if all that later slots could add were shared, and what they add
    at least were all of their size.

    Returns the number of combinations tried so far (more than ``most_steps``: given up) and the number of slots of the
    best choice, or -1 if it was not improved.
    """
    words = option_signature.shape[1]
    union = np.zeros((2 * slots + 2, words), np.int64)  # two rows a depth: predicted, true
    rest = np.zeros((slots + 1, 2), np.int64)
    # what the slots from a depth on can add at most to what is shared, and at least to the sizes
    reach = np.zeros((2 * slots + 2, words), np.int64)
    least = np.zeros(slots + 1, np.int64)
    for s in range(slots - 1, -1, -1):
        smallest = option_rest[slot_ptr[s]]
        for side in range(2):
            for w in range(words):
                reach[2 * s + side, w] = reach[2 * s + 2 + side, w]
        for option in range(slot_ptr[s], slot_ptr[s + 1]):
            smallest = min(smallest, option_rest[option])
            for w in range(words):
                reach[2 * s + option_side[option], w] |= option_signature[option, w]
        least[s] = least[s + 1] + smallest
    at = np.full(slots, -1, np.int64)
    at[0] = slot_ptr[0] - 1
    improved: Any = np.int64(-1)
    depth = 0
    while depth >= 0:
        at[depth] += 1
        if at[depth] == slot_ptr[depth + 1]:
            depth -= 1
            continue
        option = at[depth]
        side = option_side[option]
        for other in range(2):
            rest[depth + 1, other] = rest[depth, other]
            for w in range(words):
                union[2 * depth + 2 + other, w] = union[2 * depth + other, w]
        rest[depth + 1, side] += option_rest[option]
        for w in range(words):
            union[2 * depth + 2 + side, w] |= option_signature[option, w]
        if depth + 1 < slots:
            if best[0] >= 0:
                shared: Any = np.int64(0)
                size = rest[depth + 1, 0] + rest[depth + 1, 1] + least[depth + 1]
                for w in range(words):
                    p_now, t_now = union[2 * depth + 2, w], union[2 * depth + 3, w]
                    both = (p_now | reach[2 * depth + 2, w]) & (t_now | reach[2 * depth + 3, w])
                    shared += bits_of(both)
                    size += bits_of(p_now | both) + bits_of(t_now | both)
                if shared * (best[0] + best[1]) < best[2] * size:
                    steps += 1
                    continue
            depth += 1
            at[depth] = slot_ptr[depth] - 1
            continue
        steps += 1
        if steps > most_steps:
            return steps, improved
        p = rest[slots, 0] + popcount(union, 2 * slots)
        t = rest[slots, 1] + popcount(union, 2 * slots + 1)
        c: Any = np.int64(0)
        for w in range(words):
            c += bits_of(union[2 * slots, w] & union[2 * slots + 1, w])
        if better(p, t, c, best):
            best[0], best[1], best[2] = p, t, c
            improved = slots
            for s in range(slots):
                best_links[s] = option_link[at[s]]
                for w in range(words):
                    best_signatures[s, w] = option_signature[at[s], w]
    return steps, improved


@kernel
def search(
    ptr: Array, position: Array, lca: Array, own: Array, length: Array,
    path_ptr: Array, nodes: Array, lower: Array, upper: Array, classes: Array, size: int, most_steps: int,
) -> tuple[Array, Array, Array, Array, Array]:  # fmt: skip
    """The optimum of each instance, where the search is small.

    ``classes``: how many classes each side of each instance has. Returns a table (1 if solved, |Z|, |G_p|, |G_t|, what
    they share, combinations tried), and of each solved instance the drawn links with the nodes that their paths have to
    have: a pointer into links, the links, a pointer into nodes, the nodes.
    """
    instances = classes.shape[0]
    table = np.zeros((instances, 6), np.int64)
    out_ptr = np.zeros(instances + 1, np.int64)
    out_links = np.empty(ptr[-1], np.int64)
    node_ptr = np.zeros(ptr[-1] + 1, np.int64)
    out_nodes = np.empty(max(1, path_ptr[0, -1]), np.int64)
    count = np.zeros(size + 1, np.int32)
    bit = np.empty(size + 1, np.int32)
    where = np.empty(size + 1, np.int32)
    stack = np.empty((4 * BITS * BITS, 2), np.int64)
    links_end = 0
    nodes_end = 0
    for i in range(instances):
        first, middle, last = ptr[2 * i], ptr[2 * i + 1], ptr[2 * i + 2]
        if classes[i, 0] == 0 or classes[i, 1] == 0:
            table[i, 0] = 1
            table[i, 2], table[i, 3] = classes[i, 0], classes[i, 1]
            out_ptr[i + 1] = links_end
            continue
        matter = mattering(path_ptr, nodes, first, last, count, bit)
        words = max(1, (matter + BITS - 1) // BITS)
        solved, best, links, chosen, slots, lcas, steps = _solve_one(
            first, middle, last, position, lca, own, length, path_ptr, nodes, lower, upper, bit, where, words,
            classes[i, 0], classes[i, 1], most_steps, stack,
        )  # fmt: skip
        table[i, 5] = steps
        if solved:
            table[i, 0], table[i, 1] = 1, lcas
            table[i, 2], table[i, 3], table[i, 4] = best[0], best[1], best[2]
            for s in range(slots):
                out_links[links_end] = links[s]
                for k in range(path_ptr[0, links[s]], path_ptr[0, links[s] + 1]):
                    b = bit[nodes[k]]
                    if b >= 0 and (chosen[s, b // BITS] >> (b % BITS)) & 1:
                        out_nodes[nodes_end] = nodes[k]
                        nodes_end += 1
                links_end += 1
                node_ptr[links_end] = nodes_end
        out_ptr[i + 1] = links_end
    return table, out_ptr, out_links[:links_end].copy(), node_ptr[: links_end + 1].copy(), out_nodes[:nodes_end].copy()


@kernel
def _solve_one(
    first: int, middle: int, last: int, position: Array, lca: Array, own: Array, length: Array,
    path_ptr: Array, nodes: Array, lower: Array, upper: Array, bit: Array, where: Array, words: int,
    pred_count: int, true_count: int, most_steps: int, stack: Array,
) -> tuple[bool, Array, Array, Array, Any, Any, Any]:  # fmt: skip
    number = last - first
    best = np.full(3, -1, np.int64)
    best_links = np.empty(number, np.int64)
    best_signatures = np.empty((number, words), np.int64)
    failed = (False, best, best_links, best_signatures, np.int64(0), np.int64(0), np.int64(0))
    # LCAs as bits, and for each class (predicted first) the bits that can serve it
    lca_bit = np.empty(number, np.int64)
    lca_nodes = np.empty(BITS, np.int64)
    lca_count = 0
    masks = np.zeros(pred_count + true_count, np.int64)
    for k in range(number):
        found = -1
        for b in range(lca_count):
            if lca_nodes[b] == lca[first + k]:
                found = b
                break
        if found < 0:
            if lca_count == BITS:
                return failed
            found = lca_count
            lca_nodes[found] = lca[first + k]
            lca_count += 1
        lca_bit[k] = found
        if own[first + k]:
            who = position[first + k] + (pred_count if first + k >= middle else 0)
            masks[who] |= np.int64(1) << found
    sets = fewest_hitting_sets(masks, stack)
    if sets.size == 0:
        return failed
    # signatures of all links
    sig_ptr = np.zeros(number + 1, np.int64)
    sigs = np.empty((2 * number + MOST_SIGNATURES, words), np.int64)
    for k in range(number):
        made = signatures(first + k, path_ptr, nodes, lower, upper, bit, where, words)
        if made.shape[0] == 0:
            return failed
        if sig_ptr[k] + made.shape[0] > sigs.shape[0]:
            larger = np.empty((2 * sigs.shape[0] + MOST_SIGNATURES, words), np.int64)
            for s in range(sig_ptr[k]):
                for w in range(words):
                    larger[s, w] = sigs[s, w]
            sigs = larger
        for s in range(made.shape[0]):
            for w in range(words):
                sigs[sig_ptr[k] + s, w] = made[s, w]
        sig_ptr[k + 1] = sig_ptr[k] + made.shape[0]
    steps: Any = np.int64(0)
    slots_of_best: Any = np.int64(0)
    for chosen in sets:
        steps, slots = _try_set(
            chosen, first, middle, last, position, own, length, lca_bit, lca_count, sig_ptr, sigs,
            pred_count, true_count, best, best_links, best_signatures, steps, most_steps,
        )  # fmt: skip
        if steps > most_steps:
            return (False, best, best_links, best_signatures, np.int64(0), np.int64(0), steps)
        if slots >= 0:
            slots_of_best = slots
    return True, best, best_links, best_signatures, slots_of_best, bits_of(sets[0]), steps


@kernel
def _try_set(
    chosen: int, first: int, middle: int, last: int, position: Array, own: Array, length: Array,
    lca_bit: Array, lca_count: int, sig_ptr: Array, sigs: Array, pred_count: int, true_count: int,
    best: Array, best_links: Array, best_signatures: Array, steps: int, most_steps: int,
) -> tuple[int, int]:  # fmt: skip
    """All solutions with these LCAs: over the links of classes that have several of their own among them."""
    number = last - first
    everybody = pred_count + true_count
    # own links of each class to chosen LCAs
    own_count = np.zeros(everybody, np.int64)
    own_links = np.empty((everybody, lca_count), np.int64)
    for k in range(number):
        if own[first + k] and (chosen >> lca_bit[k]) & 1:
            who = position[first + k] + (pred_count if first + k >= middle else 0)
            own_links[who, own_count[who]] = k
            own_count[who] += 1
    subset = np.ones(everybody, np.int64)  # as bits over own_links
    words = sigs.shape[1]
    total = sig_ptr[number]
    option_link = np.empty(total, np.int64)
    option_signature = np.empty((total, words), np.int64)
    option_rest = np.empty(total, np.int64)
    option_side = np.empty(total, np.int64)
    slot_ptr = np.empty(number + 1, np.int64)
    served = np.empty((2, lca_count), np.bool_)
    improved: Any = np.int64(-1)
    while True:
        served[:] = False
        slots: Any = np.int64(0)
        end: Any = np.int64(0)
        slot_ptr[0] = 0
        for phase in range(2):  # what leaves no choice comes first, so that it is added up once
            for who in range(everybody):
                for j in range(own_count[who]):
                    k = own_links[who, j]
                    if (subset[who] >> j) & 1 and (sig_ptr[k + 1] - sig_ptr[k] == 1) == (phase == 0):
                        side = 1 if first + k >= middle else 0
                        served[side, lca_bit[k]] = True
                        end = _add_options(
                            k, first, side, length, sig_ptr, sigs,
                            option_link, option_signature, option_rest, option_side, end,
                        )  # fmt: skip
                        slots += 1
                        slot_ptr[slots] = end
        for b in range(lca_count):
            for side in range(2):
                if (chosen >> b) & 1 and not served[side, b]:
                    for k in range(number):
                        at_side = 1 if first + k >= middle else 0
                        if lca_bit[k] == b and at_side == side and not own[first + k]:
                            end = _add_options(
                                k, first, side, length, sig_ptr, sigs,
                                option_link, option_signature, option_rest, option_side, end,
                            )  # fmt: skip
                    slots += 1
                    slot_ptr[slots] = end
        steps, found = best_choice(
            slot_ptr, slots, option_link, option_signature, option_rest, option_side,
            best, best_links, best_signatures, steps, most_steps,
        )  # fmt: skip
        if found >= 0:
            improved = found
        if steps > most_steps:
            return steps, improved
        who = 0
        while who < everybody:
            subset[who] += 1
            if subset[who] < np.int64(1) << own_count[who]:
                break
            subset[who] = 1
            who += 1
        if who == everybody:
            return steps, improved


@kernel
def _add_options(
    k: int, first: int, side: int, length: Array, sig_ptr: Array, sigs: Array,
    option_link: Array, option_signature: Array, option_rest: Array, option_side: Array, end: int,
) -> int:  # fmt: skip
    for s in range(sig_ptr[k], sig_ptr[k + 1]):
        option_link[end] = first + k
        for w in range(sigs.shape[1]):
            option_signature[end, w] = sigs[s, w]
        option_rest[end] = length[first + k] + 1 - popcount(sigs, s)
        option_side[end] = side
        end += 1
    return end
