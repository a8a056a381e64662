"""Problem 2 by exhaustive search after reduction, for instances on which that is small.

What ``hemlp.kernels.reductions`` leaves to choose are the fewest LCAs (all sets of that size), which of its own LCAs a
class is linked to, extra links, and signatures of paths.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.kernels.jit import kernel
from hemlp.kernels.merging import ALWAYS, EXTRA, LAST, OPTIONAL, better, merged_choice
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

TRIES = 20_000
"""Combinations that are tried for one set of LCAs before like partial choices are merged."""
VISITS = 500_000
"""Options that are looked at on the way, at most."""


@kernel
def _bounds(
    slots: int, slot_ptr: Array, slot_kind: Array, slot_side: Array, option_signature: Array, option_rest: Array
) -> tuple[Array, Array]:
    """What the slots from each one on can add at most to what is shared (two rows), and at least to the sizes."""
    words = option_signature.shape[1]
    reach = np.zeros((2 * slots + 2, words), np.int64)
    least = np.zeros(slots + 1, np.int64)
    for s in range(slots - 1, -1, -1):
        smallest = option_rest[slot_ptr[s]] if slot_kind[s] == ALWAYS else 0
        for side in range(2):
            for w in range(words):
                reach[2 * s + side, w] = reach[2 * s + 2 + side, w]
        for option in range(slot_ptr[s], slot_ptr[s + 1]):
            smallest = min(smallest, option_rest[option])
            for w in range(words):
                reach[2 * s + slot_side[s], w] |= option_signature[option, w]
        least[s] = least[s + 1] + smallest
    return reach, least


@kernel
def best_choice(
    slots: int, slot_ptr: Array, slot_kind: Array, slot_side: Array, slot_lca: Array,
    option_link: Array, option_signature: Array, option_rest: Array, reach: Array, least: Array,
    best: Array, best_links: Array, best_signatures: Array, steps: int, most_steps: int,
) -> tuple[int, int]:  # fmt: skip
    """Try all combinations of links and paths; updates ``best`` and the paths that make it.

    A slot is a link, or all links that can serve an LCA which none of its own does (EXTRA), its options are paths. An
    OPTIONAL link is drawn or not, but one of the links of a class is, at the LAST one at the latest; an EXTRA one is
    drawn if and only if its side does not have the LCA yet. A branch is left where F stays below the best even if all
    that later slots could add (``reach``) were shared, and what they add ``least`` were all of their size.

    Returns the number of combinations tried so far (more than ``most_steps``: given up) and the number of paths of the
    best choice, or -1 if it was not improved.
    """
    words = option_signature.shape[1]
    union = np.zeros((2 * slots + 2, words), np.int64)  # two rows a depth: predicted, true
    rest = np.zeros((slots + 1, 2), np.int64)
    served = np.zeros((slots + 1, 2), np.int64)  # LCAs that have a link, as bits
    drawn = np.zeros(slots + 1, np.bool_)  # whether the class of an optional link has another link already
    at = np.empty(slots, np.int64)  # the option tried at a depth; one before the first: the slot stays empty
    depth = -1
    improved: Any = np.int64(-1)
    entering = True
    visits = 0
    while True:
        visits += 1
        if visits > VISITS:
            return most_steps + 1, improved
        if entering:
            depth += 1
            kind, need = slot_kind[depth], True
            if kind == EXTRA:
                need = (served[depth, slot_side[depth]] >> slot_lca[depth]) & 1 == 0
            elif kind != ALWAYS:
                need = kind == LAST and not drawn[depth]
            at[depth] = slot_ptr[depth] if need else slot_ptr[depth] - 1
        else:
            at[depth] += 1
        entering = False
        option, side = at[depth], slot_side[depth]
        empty = option < slot_ptr[depth]
        if option == slot_ptr[depth + 1] or (
            slot_kind[depth] == EXTRA and not empty and (served[depth, side] >> slot_lca[depth]) & 1
        ):
            depth -= 1
            if depth < 0:
                return steps, improved
            continue
        if not empty and drawn[depth] and (served[depth, side] >> slot_lca[depth]) & 1:
            # the class and the LCA both have a link: another is worth its size only if it adds to what can be shared
            useful = False
            for w in range(words):
                new = option_signature[option, w] & ~union[2 * depth + side, w]
                useful = useful or new & (union[2 * depth + 1 - side, w] | reach[2 * depth + 3 - side, w]) != 0
            if not useful:
                continue
        for other in range(2):
            rest[depth + 1, other] = rest[depth, other]
            served[depth + 1, other] = served[depth, other]
            for w in range(words):
                union[2 * depth + 2 + other, w] = union[2 * depth + other, w]
        drawn[depth + 1] = (drawn[depth] or not empty) and slot_kind[depth] == OPTIONAL
        if not empty:
            rest[depth + 1, side] += option_rest[option]
            served[depth + 1, side] |= np.int64(1) << slot_lca[depth]
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
            entering = True
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
            improved = np.int64(0)
            for s in range(slots):
                if at[s] >= slot_ptr[s]:
                    best_links[improved] = option_link[at[s]]
                    for w in range(words):
                        best_signatures[improved, w] = option_signature[at[s], w]
                    improved += 1


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
    if most_steps < 0:
        return failed
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
    """All solutions with these LCAs."""
    number = last - first
    everybody = pred_count + true_count
    # own links of each class to chosen LCAs
    own_count = np.zeros(everybody, np.int64)
    own_links = np.empty((everybody, lca_count), np.int64)
    certain = np.zeros((2, lca_count), np.bool_)  # LCAs that a side has in any case
    for k in range(number):
        if own[first + k] and (chosen >> lca_bit[k]) & 1:
            who = position[first + k] + (pred_count if first + k >= middle else 0)
            own_links[who, own_count[who]] = k
            own_count[who] += 1
    for who in range(everybody):
        if own_count[who] == 1:
            certain[1 if who >= pred_count else 0, lca_bit[own_links[who, 0]]] = True
    words = sigs.shape[1]
    total = 2 * sig_ptr[number]
    option_link = np.empty(total, np.int64)
    option_signature = np.empty((total, words), np.int64)
    option_rest = np.empty(total, np.int64)
    slot_ptr = np.zeros(number + 2 * lca_count + 1, np.int64)
    slot_kind = np.empty(number + 2 * lca_count, np.int64)
    slot_side = np.empty(number + 2 * lca_count, np.int64)
    slot_lca = np.empty(number + 2 * lca_count, np.int64)
    slots: Any = np.int64(0)
    end: Any = np.int64(0)
    for phase in range(3):  # what leaves no choice comes first, so that it is added up once
        for who in range(everybody):
            for j in range(own_count[who]):
                k = own_links[who, j]
                choices = 2 if own_count[who] > 1 else 1 if sig_ptr[k + 1] - sig_ptr[k] > 1 else 0
                if choices == phase:
                    end = _add_options(k, first, length, sig_ptr, sigs, option_link, option_signature, option_rest, end)
                    slot_side[slots] = 1 if who >= pred_count else 0
                    slot_lca[slots] = lca_bit[k]
                    last_one = j + 1 == own_count[who]
                    slot_kind[slots] = ALWAYS if phase < 2 else LAST if last_one else OPTIONAL
                    slots += 1
                    slot_ptr[slots] = end
    for b in range(lca_count):
        for side in range(2):
            if (chosen >> b) & 1 and not certain[side, b]:
                for k in range(number):
                    at_side = 1 if first + k >= middle else 0
                    if lca_bit[k] == b and at_side == side and not own[first + k]:
                        end = _add_options(
                            k, first, length, sig_ptr, sigs, option_link, option_signature, option_rest, end
                        )
                slot_side[slots], slot_lca[slots], slot_kind[slots] = side, b, EXTRA
                slots += 1
                slot_ptr[slots] = end
    reach, least = _bounds(slots, slot_ptr, slot_kind, slot_side, option_signature, option_rest)
    limit = min(most_steps, steps + TRIES)
    tried, improved = best_choice(
        slots, slot_ptr, slot_kind, slot_side, slot_lca, option_link, option_signature, option_rest, reach, least,
        best, best_links, best_signatures, steps, limit,
    )  # fmt: skip
    if tried <= limit:
        return tried, improved
    merged = merged_choice(
        slots, slot_ptr, slot_kind, slot_side, slot_lca, option_link, option_signature, option_rest, reach, least,
        best, best_links, best_signatures,
    )  # fmt: skip
    if merged == -2:
        return most_steps + 1, improved
    return limit, merged if merged >= 0 else improved


@kernel
def _add_options(
    k: int, first: int, length: Array, sig_ptr: Array, sigs: Array,
    option_link: Array, option_signature: Array, option_rest: Array, end: int,
) -> int:  # fmt: skip
    for s in range(sig_ptr[k], sig_ptr[k + 1]):
        option_link[end] = first + k
        for w in range(sigs.shape[1]):
            option_signature[end, w] = sigs[s, w]
        option_rest[end] = length[first + k] + 1 - popcount(sigs, s)
        end += 1
    return end
