"""Costs and optima of Problem 1 for many small instances.

Instance i has the predicted classes ``pred_ptr[i]:pred_ptr[i + 1]``, the true ones ``true_ptr[i]:true_ptr[i + 1]``, and
its pairs, one row a predicted class, from ``pair_ptr[i]`` on. An infinite cost means that a pair, or a default class,
does not exist. ``serves``: 1 the pair counts for its predicted class, 2 for its true class, 3 for both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.kernels.jit import kernel

Array = NDArray[Any]


@kernel
def nearest_only(
    pred_ptr: Array, true_ptr: Array, pair_ptr: Array, kappa: Array, default_p: Array, default_t: Array
) -> tuple[Array, Array, Array]:
    """The pairing "nearest": ``serves``, and the default costs, infinite where a class has to take its nearest."""
    serves = np.zeros(kappa.size, np.uint8)
    default_p, default_t = default_p.copy(), default_t.copy()
    for i in range(pred_ptr.size - 1):
        height, width = pred_ptr[i + 1] - pred_ptr[i], true_ptr[i + 1] - true_ptr[i]
        costs = kappa[pair_ptr[i] : pair_ptr[i + 1]].reshape((height, width))
        counts = serves[pair_ptr[i] : pair_ptr[i + 1]].reshape((height, width))
        for row in range(height):
            nearest = np.inf
            for j in range(width):
                nearest = min(nearest, costs[row, j])
            if nearest <= default_p[pred_ptr[i] + row] and nearest < np.inf:
                default_p[pred_ptr[i] + row] = np.inf
                for j in range(width):
                    if costs[row, j] == nearest:
                        counts[row, j] |= 1
        for j in range(width):
            nearest = np.inf
            for row in range(height):
                nearest = min(nearest, costs[row, j])
            if nearest <= default_t[true_ptr[i] + j] and nearest < np.inf:
                default_t[true_ptr[i] + j] = np.inf
                for row in range(height):
                    if costs[row, j] == nearest:
                        counts[row, j] |= 2
    return serves, default_p, default_t


@kernel
def best_pairings(
    pred_ptr: Array, true_ptr: Array, pair_ptr: Array, kappa: Array, serves: Array,
    default_p: Array, default_t: Array, cover: bool,
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """Optima for α = β = 1 with defaults, or (``cover``) for α = 1 and β without limit.

    Alone, a class costs its default or, for covers, its cheapest option. A pair that counts for both its ends saves
    what they cost alone less its own cost, so the optimum is the matching that saves most. Returns which instances are
    feasible, the chosen pairs, and who went to a default class.
    """
    feasible = np.ones(pred_ptr.size - 1, np.bool_)
    chosen = np.zeros(kappa.size, np.bool_)
    default_pred = np.zeros(default_p.size, np.int64)
    default_true = np.zeros(default_t.size, np.int64)
    for i in range(pred_ptr.size - 1):
        height, width = pred_ptr[i + 1] - pred_ptr[i], true_ptr[i + 1] - true_ptr[i]
        costs = kappa[pair_ptr[i] : pair_ptr[i + 1]].reshape((height, width))
        counts = serves[pair_ptr[i] : pair_ptr[i + 1]].reshape((height, width))
        alone_p = default_p[pred_ptr[i] : pred_ptr[i + 1]].copy()
        alone_t = default_t[true_ptr[i] : true_ptr[i + 1]].copy()
        partner_p = np.full(height, -1, np.int64)
        partner_t = np.full(width, -1, np.int64)
        if cover:
            for row in range(height):
                for j in range(width):
                    if counts[row, j] & 1 and costs[row, j] < alone_p[row]:
                        alone_p[row] = costs[row, j]
                        partner_p[row] = j
                    if counts[row, j] & 2 and costs[row, j] < alone_t[j]:
                        alone_t[j] = costs[row, j]
                        partner_t[j] = row
        if np.isinf(alone_p).any() or np.isinf(alone_t).any():
            feasible[i] = False
            continue
        savings = np.zeros((height, width))
        for row in range(height):
            for j in range(width):
                if counts[row, j] == 3:
                    savings[row, j] = max(0.0, alone_p[row] + alone_t[j] - costs[row, j])
        if height <= width:
            match_p = matching(savings)
        else:
            match_p = np.full(height, -1, np.int64)
            match_t = matching(savings.T.copy())
            for j in range(width):
                match_p[match_t[j]] = j
        taken = np.zeros(width, np.bool_)
        picked = chosen[pair_ptr[i] : pair_ptr[i + 1]].reshape((height, width))
        for row in range(height):
            j = match_p[row]
            if j >= 0 and savings[row, j] > 0:
                picked[row, j] = True
                taken[j] = True
            elif partner_p[row] >= 0:
                picked[row, partner_p[row]] = True
        for j in range(width):
            if not taken[j] and partner_t[j] >= 0:
                picked[partner_t[j], j] = True
        # the default class takes who has no pair (a free one could be chosen beside a pair, beyond the upper bound)
        for row in range(height):
            paired = False
            for j in range(width):
                paired = paired or (picked[row, j] and counts[row, j] & 1 > 0)
            default_pred[pred_ptr[i] + row] = not paired
        for j in range(width):
            paired = False
            for row in range(height):
                paired = paired or (picked[row, j] and counts[row, j] & 2 > 0)
            default_true[true_ptr[i] + j] = not paired
    return feasible, chosen, default_pred, default_true


@kernel
def matching(savings: Array) -> Array:
    """The column of each row in a matching of largest total savings ≥ 0; at most as many rows as columns.

    Shortest augmenting paths with prices (the Hungarian method), one row at a time.
    """
    height, width = savings.shape
    price_row = np.zeros(height + 1)
    price_column = np.zeros(width + 1)
    owner = np.zeros(width + 1, np.int64)  # row (from 1) that holds a column (from 1); 0: free
    for row in range(1, height + 1):
        owner[0] = row
        column = 0
        least = np.full(width + 1, np.inf)
        came_from = np.zeros(width + 1, np.int64)
        used = np.zeros(width + 1, np.bool_)
        while owner[column] != 0:
            used[column] = True
            at = owner[column]
            step = np.inf
            following = 0
            for j in range(1, width + 1):
                if not used[j]:
                    reduced = -savings[at - 1, j - 1] - price_row[at] - price_column[j]
                    if reduced < least[j]:
                        least[j] = reduced
                        came_from[j] = column
                    if least[j] < step:
                        step = least[j]
                        following = j
            for j in range(width + 1):
                if used[j]:
                    price_row[owner[j]] += step
                    price_column[j] -= step
                else:
                    least[j] -= step
            column = following
        while column != 0:
            owner[column] = owner[came_from[column]]
            column = came_from[column]
    match = np.full(height, -1, np.int64)
    for j in range(1, width + 1):
        if owner[j] > 0:
            match[owner[j] - 1] = j - 1
    return match
