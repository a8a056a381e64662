"""Optimality of a pairing by complementary slackness, in exact arithmetic on the costs as they are given.

Prices that a solver found prove the optimum if reduced costs have the right signs, which takes O(pairs). Otherwise they
are the first potentials of ``negative_cycles`` on the network of the instance.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array


def cheapest(given: Pairing, asked: Array, chosen: Chosen) -> Array:
    """Turn what is chosen in the instances that are ``asked`` for into what costs least; a verdict for each.

    PROVED: perhaps after changes. WIDE: costs are too far apart. LONG: too many changes. BROKEN: bounds are not kept.
    """
    verdicts = np.zeros(given.size, np.uint8)
    _prove_at_once(given, asked.view("u1"), chosen, Proof(0, 0), np.empty(given.most_true, np.int64), verdicts)
    left = np.flatnonzero(asked & (verdicts != PROVED))
    if left.size:  # few are, and a network takes several times the memory of the costs
        heights, widths = np.diff(given.pred_ptr)[left], np.diff(given.true_ptr)[left]
        nodes = 1 + int((heights + widths).max())
        arcs = int((heights * widths).max()) + 2 * nodes
        _all_cheapest(given, left, chosen, Network(nodes, arcs), Proof(nodes, arcs), verdicts)
    return verdicts


def _prove_at_once(given, asked, chosen, proof, degrees, verdicts):
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(given.size):
            if asked[i]:
                check_signals(proof, 1 + given.pair_ptr[i + 1] - given.pair_ptr[i])
                if _proved_at_once(given, i, chosen, degrees):
                    verdicts[i] = PROVED


def _all_cheapest(given, left, chosen, net, proof, verdicts):
    k: cython.Py_ssize_t
    with cython.nogil:
        for k in range(left.shape[0]):
            i: cython.Py_ssize_t = left[k]
            check_signals(proof, 1 + given.pair_ptr[i + 1] - given.pair_ptr[i])
            if not build_network(given, i, chosen, net):
                verdicts[i] = BROKEN
            elif not split_costs(net, proof):
                verdicts[i] = WIDE
            else:
                _take_prices(given, i, chosen, proof)
                verdicts[i] = cancel_negative_cycles(net, proof)
                if proof.cycles:
                    read_flow(given, i, net, chosen)


def _proved_at_once(given, i, chosen, degrees):
    """Whether the prices of a solver fit as they are, which is seen without the network.

    For pairs that count for both their ends, and prices whose sums are exact: they have few digits, or those of one
    side are 0. In comparisons nothing is rounded.
    """
    c: cython.Py_ssize_t
    row: cython.Py_ssize_t
    k: cython.Py_ssize_t = given.pair_ptr[i]
    p: cython.Py_ssize_t = given.pred_ptr[i]
    t: cython.Py_ssize_t = given.true_ptr[i]
    height: cython.Py_ssize_t = given.pred_ptr[i + 1] - p
    width: cython.Py_ssize_t = given.true_ptr[i + 1] - t
    fits: cython.bint = given.mutual
    few: cython.bint = True
    free: cython.bint = True
    for c in range(width):
        degrees[c] = chosen.default_t[t + c]
        few &= has_few_digits(chosen.price_t[t + c])
        free &= chosen.price_t[t + c] == 0.0
    for row in range(height):
        degree = chosen.default_p[p + row]
        price = chosen.price_p[p + row]
        fits &= (few and has_few_digits(price)) or free or price == 0.0
        if not fits:
            return False
        for c in range(width):
            over = given.kappa[k + c] - (price + chosen.price_t[t + c])
            picked = chosen.pairs[k + c]
            degree += picked
            degrees[c] += picked
            fits &= (over <= 0.0) if picked else (over >= 0.0)
        k += width
        lower, upper = given.lower_p[p + row], given.upper_p[p + row]
        fits &= _price_fits(price, given.default_p[p + row], chosen.default_p[p + row], degree, lower, upper)
    for c in range(width):
        lower, upper, degree = given.lower_t[t + c], given.upper_t[t + c], degrees[c]
        fits &= _price_fits(
            chosen.price_t[t + c], given.default_t[t + c], chosen.default_t[t + c], degree, lower, upper
        )
    return fits


def has_few_digits(price):
    """Whether a price is a multiple of 2⁻²⁰ below 2³¹, so that the sum of two such prices is exact."""
    return fabs(price) < 2147483648.0 and (price + 8589934592.0) - 8589934592.0 == price


def _price_fits(price, default, taken, degree, lower, upper):
    """Whether a class keeps its bounds, and its price neither lets it take more nor less, also of its default class."""
    kept: cython.bint = lower <= degree <= upper and 0 <= taken <= upper
    more: cython.bint = (degree == upper or price >= 0.0) and (taken == upper or price <= default)
    less: cython.bint = (degree == lower or price <= 0.0) and (taken == 0 or price >= default)
    return kept and more and less


def _take_prices(given, i, chosen, proof):
    """Begin with the prices that a solver found."""
    c: cython.Py_ssize_t
    height: cython.Py_ssize_t = given.pred_ptr[i + 1] - given.pred_ptr[i]
    set_potential(proof, 0, 0.0)
    for c in range(height):
        set_potential(proof, 1 + c, -chosen.price_p[given.pred_ptr[i] + c])
    for c in range(given.true_ptr[i + 1] - given.true_ptr[i]):
        set_potential(proof, 1 + height + c, chosen.price_t[given.true_ptr[i] + c])
