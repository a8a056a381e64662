"""Transport of masses at the least cost, for many small instances: the network simplex method (Dantzig, 1951).

A basis is a spanning tree of the predicted and true classes, below a root that stands beside them. A pivot takes in the
pair of least reduced cost in a row (block pricing; Grigoriadis, 1986) and augments the flow around the cycle that it
closes with the tree. Degenerate pivots do not repeat, since trees stay strongly feasible (Cunningham, 1976): an arc
without flow leads towards the root. O(n) pivots in practice, O(n²) each at worst.

Invariant: masses and flow are integers, and the flow is feasible; the reduced cost of a pair, κ_ij − price_i − price_j,
is 0 where the pair is in the tree. In the end it is at least 0 everywhere, which proves the optimum.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array


class Tree:
    """Room for spanning trees: predicted classes, then true ones, then the root; and the costs of the present instance.

    ``flow`` and ``arc_cost`` of a node are those of its arc to its parent. ``child`` is the first child of a node,
    ``next`` and ``before`` are its siblings. ``left``: the mass of each class that the first flow has still to move.
    """

    def __init__(self, nodes: int, pairs: int) -> None:
        self.height = self.width = self.root = 0
        self.cost = np.empty(pairs)
        self.parent, self.depth, self.child, self.next, self.before = [np.empty(nodes, np.int32) for _ in range(5)]
        self.flow, self.left = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
        self.price, self.arc_cost = np.empty(nodes), np.empty(nodes)


def transport(given: Pairing, flow: Array, price_p: Array, price_t: Array) -> Array:
    """Move the masses (bounds) of each instance, with prices that prove it; which instances have a solution."""
    feasible = np.empty(given.size, np.bool_)
    tree = Tree(given.most_pred + given.most_true + 1, given.most_pairs)
    _move_all(given, flow, price_p, price_t, tree, feasible.view("u1"))
    return feasible


def _move_all(given, flow, price_p, price_t, tree, feasible):
    i: cython.Py_ssize_t
    v: cython.Py_ssize_t
    with cython.nogil:
        for i in range(given.size):
            if i % 256 == 0:
                look_for_signals()
            missing: cython.double = _set_costs(given, i, tree)
            feasible[i] = _first_tree(given, i, tree)
            if feasible[i]:
                _simplex(tree, missing * 1e-15)
                for v in range(tree.root):
                    feasible[i] &= tree.flow[v] == 0 or tree.arc_cost[v] < missing
            if feasible[i]:
                _write(given, i, tree, flow, price_p, price_t)


def _write(given, i, tree, flow, price_p, price_t):
    """What the pairs of the tree carry, and the prices."""
    v: cython.Py_ssize_t
    for v in range(tree.root):
        parent: cython.Py_ssize_t = tree.parent[v]
        if tree.flow[v] > 0:
            row: cython.Py_ssize_t = v if v < tree.height else parent
            flow[given.pair_ptr[i] + row * tree.width + (v + parent - row) - tree.height] = tree.flow[v]
        if v < tree.height:
            price_p[given.pred_ptr[i] + v] = tree.price[v]
        else:
            price_t[given.true_ptr[i] + v - tree.height] = tree.price[v]


def _set_costs(given, i, tree):
    """Copy the costs; pairs that do not exist cost more than any path, which is returned."""
    k: cython.Py_ssize_t
    begin: cython.Py_ssize_t = given.pair_ptr[i]
    tree.height = given.pred_ptr[i + 1] - given.pred_ptr[i]
    tree.width = given.true_ptr[i + 1] - given.true_ptr[i]
    tree.root = tree.height + tree.width
    most: cython.double = 0.0
    for k in range(given.pair_ptr[i + 1] - begin):
        tree.cost[k] = given.kappa[begin + k]
        most = tree.cost[k] if most < tree.cost[k] < INFINITY else most
    missing: cython.double = 1.0
    while missing <= most * (tree.root + 1):
        missing *= 2.0
    for k in range(given.pair_ptr[i + 1] - begin):
        tree.cost[k] = tree.cost[k] if tree.cost[k] < INFINITY else missing
    return missing


def _first_tree(given, i, tree):
    """Row by row, move masses to the nearest classes that still take some; whether both sides have the same mass.

    Whoever has nothing left first becomes the child of the other; who has nobody in the end is a child of the root.
    """
    v: cython.int
    row: cython.int
    total: cython.longlong = 0
    for v in range(tree.root + 1):
        tree.parent[v] = tree.child[v] = tree.next[v] = tree.before[v] = NO_NODE
        tree.flow[v] = 0
        tree.arc_cost[v] = 0.0
    for v in range(tree.height):
        tree.left[v] = given.lower_p[given.pred_ptr[i] + v]
        total += tree.left[v]
    for v in range(tree.width):
        tree.left[tree.height + v] = given.lower_t[given.true_ptr[i] + v]
        total -= given.lower_t[given.true_ptr[i] + v]
    if total != 0:
        return False
    for row in range(tree.height):
        while tree.left[row] > 0:
            v = _nearest_open(tree, row)
            moved: cython.longlong = min(tree.left[row], tree.left[v])
            tree.left[row] -= moved
            tree.left[v] -= moved
            if tree.left[v] == 0:
                _attach(tree, v, row, moved, tree.cost[row * tree.width + v - tree.height])
            else:
                _attach(tree, row, v, moved, tree.cost[row * tree.width + v - tree.height])
    for v in range(tree.root):
        if tree.parent[v] == NO_NODE:
            _attach(tree, v, tree.root, 0, 0.0)
    tree.price[tree.root] = 0.0
    tree.depth[tree.root] = 0
    for v in range(tree.root):
        if tree.parent[v] == tree.root:
            _relabel(tree, v)
    return True


def _nearest_open(tree, row):
    """The nearest class for a row, of those that still take some."""
    k: cython.int
    best: cython.double = INFINITY
    at: cython.int = 0
    for k in range(tree.width):
        if tree.left[tree.height + k] > 0 and tree.cost[row * tree.width + k] < best:
            best = tree.cost[row * tree.width + k]
            at = k
    return tree.height + at


def _attach(tree, v, parent, flow, cost):
    """Make a node the first child of its parent."""
    tree.parent[v] = parent
    tree.flow[v] = flow
    tree.arc_cost[v] = cost
    tree.before[v] = NO_NODE
    tree.next[v] = tree.child[parent]
    if tree.child[parent] != NO_NODE:
        tree.before[tree.child[parent]] = v
    tree.child[parent] = v


def _detach(tree, v):
    """Take a node from its parent."""
    if tree.before[v] == NO_NODE:
        tree.child[tree.parent[v]] = tree.next[v]
    else:
        tree.next[tree.before[v]] = tree.next[v]
    if tree.next[v] != NO_NODE:
        tree.before[tree.next[v]] = tree.before[v]


def _relabel(tree, top):
    """Depths and prices of all nodes below ``top``, itself included: what is in the tree has no reduced cost."""
    v: cython.int = top
    while True:
        tree.depth[v] = tree.depth[tree.parent[v]] + 1
        tree.price[v] = tree.arc_cost[v] - tree.price[tree.parent[v]]
        if tree.child[v] != NO_NODE:
            v = tree.child[v]
            continue
        while v != top and tree.next[v] == NO_NODE:
            v = tree.parent[v]
        if v == top:
            return
        v = tree.next[v]


def _simplex(tree, tolerance):
    """Pivot until no reduced cost is below 0 by more than floats round, or there are far too many pivots."""
    column: cython.int
    row: cython.int = 0
    idle: cython.int = 0
    steps: cython.longlong = 0
    pivots: cython.longlong = 0
    while idle < tree.height and pivots < PIVOTS_PER_NODE * tree.root:
        least: cython.double = tree.price[row] - tolerance
        at: cython.int = NO_NODE
        for column in range(tree.width):
            part = tree.cost[row * tree.width + column] - tree.price[tree.height + column]
            at = column if part < least else at
            least = part if part < least else least
        idle += 1
        if at != NO_NODE:
            _pivot(tree, row, tree.height + at)
            pivots += 1
            idle = 0
        row = row + 1 if row + 1 < tree.height else 0
        steps += tree.width
        if steps > 1 << 20:
            steps = 0
            look_for_signals()
    return 0


def _leads_up(tree, v):
    """Whether the arc between a node and its parent leads to the parent: from a predicted class, or to the root."""
    return v < tree.height or tree.parent[v] == tree.root


def _pivot(tree, row, column):
    """Take a pair into the tree, and out of it the last arc of its cycle that has no flow then."""
    u: cython.int = row
    v: cython.int = column
    while u != v:
        if tree.depth[u] >= tree.depth[v]:
            u = tree.parent[u]
        else:
            v = tree.parent[v]
    join: cython.int = u
    most: cython.longlong = 0x7FFFFFFFFFFFFFFF
    leaving: cython.int = NO_NODE
    inner: cython.int = row
    v = row
    while v != join:  # the cycle leads from the join down to the row: of equal arcs the one next to the row
        if _leads_up(tree, v) and tree.flow[v] < most:
            most = tree.flow[v]
            leaving = v
        v = tree.parent[v]
    v = column
    while v != join:  # and from the column up to the join; of equal arcs the one next to the join
        if not _leads_up(tree, v) and tree.flow[v] <= most:
            most = tree.flow[v]
            leaving = v
            inner = column
        v = tree.parent[v]
    if most > 0:
        v = row
        while v != join:
            tree.flow[v] += -most if _leads_up(tree, v) else most
            v = tree.parent[v]
        v = column
        while v != join:
            tree.flow[v] += most if _leads_up(tree, v) else -most
            v = tree.parent[v]
    _hang(tree, inner, row + column - inner, leaving, most, tree.cost[row * tree.width + column - tree.height])


def _hang(tree, inner, parent, leaving, flow, cost):
    """Turn the path from ``inner`` up to ``leaving`` around, and hang it below a new parent."""
    v: cython.int = inner
    below: cython.int = parent
    while True:
        above: cython.int = tree.parent[v]
        old_flow: cython.longlong = tree.flow[v]
        old_cost: cython.double = tree.arc_cost[v]
        _detach(tree, v)
        _attach(tree, v, below, flow, cost)
        if v == leaving:
            break
        flow = old_flow
        cost = old_cost
        below = v
        v = above
    _relabel(tree, inner)


def prove_transports(given: Pairing, asked: Array, flow: Array, price_p: Array, price_t: Array) -> Array:
    """Whether the flow of each instance that is ``asked`` for is of least cost, by the prices as they are."""
    proved = np.zeros(given.size, np.bool_)
    arrived = np.empty(given.most_true, np.int64)
    _prove_all(given, asked.view("u1"), flow, price_p, price_t, arrived, proved.view("u1"))
    return proved


def _prove_all(given, asked, flow, price_p, price_t, arrived, proved):
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(given.size):
            if i % 256 == 0:
                look_for_signals()
            proved[i] = asked[i] and _is_proved(given, i, flow, price_p, price_t, arrived)


def _is_proved(given, i, flow, price_p, price_t, arrived):
    """Whether all masses are moved, no reduced cost is below 0, and none above 0 where there is flow."""
    c: cython.Py_ssize_t
    row: cython.Py_ssize_t
    k: cython.Py_ssize_t = given.pair_ptr[i]
    p: cython.Py_ssize_t = given.pred_ptr[i]
    t: cython.Py_ssize_t = given.true_ptr[i]
    width: cython.Py_ssize_t = given.true_ptr[i + 1] - t
    fits: cython.bint = True
    for c in range(width):
        arrived[c] = 0
        fits &= has_few_digits(price_t[t + c])
    for row in range(given.pred_ptr[i + 1] - p):
        left: cython.longlong = given.lower_p[p + row]
        price = price_p[p + row]
        fits &= has_few_digits(price)
        for c in range(width):
            amount = flow[k + c]
            reduced = given.kappa[k + c] - (price + price_t[t + c])
            left -= amount
            arrived[c] += amount
            fits &= (amount >= 0) & (reduced >= 0.0) & ((amount == 0) | (reduced <= 0.0))
        fits &= left == 0
        k += width
    for c in range(width):
        fits &= arrived[c] == given.lower_t[t + c]
    return fits
