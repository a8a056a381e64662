"""Closures that grow class by class in the order of scores: adding a class only adds nodes.

Invariant: each node is met once per instance (depth-first search with marks), so that all thresholds of an instance
together take O(size of its largest closure). A node's mark is the number of the instance in which it was met last.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array


class Sweep:
    """What is swept, and the state of the instance that is being swept.

    ``arrows``: the nodes that each node implies at once. ``scored``: the classes of each instance, greatest score
    first. ``hidden``: nodes of each instance that do not count. ``steps``: of each instance, how many of its classes
    are predicted, in ascending order.
    """

    def __init__(self, arrows: Rows, true: Rows, scored: Rows, hidden: Rows, steps: Rows, weights: Array) -> None:
        self.arrows, self.true, self.scored, self.hidden, self.steps = arrows, true, scored, hidden, steps
        self.weights = weights
        size = len(arrows.ptr) - 1
        self.in_true, self.in_pred, self.concealed = [np.full(size, -1, np.int32) for _ in range(3)]
        self.stack = np.empty(size, np.int32)
        self.p_weight = self.t_weight = self.c_weight = 0.0
        self.alone = self.missed = 0


def sweep(task: Sweep) -> tuple[Array, Array, Array]:
    """The weights of the predicted, the true and the common nodes at each step, how many nodes are predicted there,
    and whether the two sets are equal."""
    size = len(task.steps.items)
    sums, counts, equal = np.empty((size, 3)), np.empty(size, np.int64), np.empty(size, np.uint8)
    _sweep_all(task, sums, counts, equal)
    return sums, counts, equal.view(np.bool_)


def _sweep_all(task, sums, counts, equal):
    size: cython.Py_ssize_t = len(task.steps.ptr) - 1
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    c: cython.Py_ssize_t
    with cython.nogil:
        for i in range(size):
            if i % 64 == 0:
                look_for_signals()
            _begin(task, i)
            c = task.scored.ptr[i]
            predicted: cython.longlong = 0
            for k in range(task.steps.ptr[i], task.steps.ptr[i + 1]):
                while c < task.scored.ptr[i] + task.steps.items[k]:
                    predicted += _predict(task, i, task.scored.items[c])
                    c += 1
                sums[k, 0] = task.p_weight
                sums[k, 1] = task.t_weight
                sums[k, 2] = task.c_weight
                counts[k] = predicted
                equal[k] = task.alone == 0 and task.missed == 0


def _begin(task, i):
    """Mark what does not count and what is true in instance i."""
    for k in range(task.hidden.ptr[i], task.hidden.ptr[i + 1]):
        task.concealed[task.hidden.items[k]] = i
    task.p_weight = 0.0
    task.t_weight = 0.0
    task.c_weight = 0.0
    task.alone = 0
    task.missed = 0
    for k in range(task.true.ptr[i], task.true.ptr[i + 1]):
        _make_true(task, i, task.true.items[k])


def _make_true(task, i, start):
    """Mark a true class and all that it implies."""
    height: cython.Py_ssize_t = 0
    if task.in_true[start] != i:
        task.in_true[start] = i
        task.stack[0] = start
        height = 1
    while height > 0:
        height -= 1
        node: cython.int = task.stack[height]
        if task.concealed[node] != i:
            task.t_weight += task.weights[node]
            task.missed += 1
        for k in range(task.arrows.ptr[node], task.arrows.ptr[node + 1]):
            above: cython.int = task.arrows.items[k]
            if task.in_true[above] != i:
                task.in_true[above] = i
                task.stack[height] = above
                height += 1


def _predict(task, i, start):
    """Add a predicted class and all that it implies; how many nodes that count are new."""
    new: cython.longlong = 0
    height: cython.Py_ssize_t = 0
    if task.in_pred[start] != i:
        task.in_pred[start] = i
        task.stack[0] = start
        height = 1
    while height > 0:
        height -= 1
        node: cython.int = task.stack[height]
        if task.concealed[node] != i:
            new += 1
            task.p_weight += task.weights[node]
            if task.in_true[node] == i:
                task.c_weight += task.weights[node]
                task.missed -= 1
            else:
                task.alone += 1
        for k in range(task.arrows.ptr[node], task.arrows.ptr[node + 1]):
            above: cython.int = task.arrows.items[k]
            if task.in_pred[above] != i:
                task.in_pred[above] = i
                task.stack[height] = above
                height += 1
    return new


def reached(arrows: Rows, scored: Rows) -> tuple[Array, Array, Array]:
    """All that the classes of each row imply, themselves included, each once (CSR: ptr, nodes), and the position in
    ``scored.items`` of the first class that implies it."""
    ptr = np.zeros(len(scored.ptr), np.int64)
    marks, stack = np.full(len(arrows.ptr) - 1, -1, np.int32), np.empty(len(arrows.ptr) - 1, np.int32)
    nodes, first = np.empty(0, np.int32), np.empty(0, np.int64)
    _reach_all(arrows, scored, marks, stack, ptr, nodes, first, False)
    np.cumsum(ptr, out=ptr)
    size = ptr[len(ptr) - 1]
    nodes, first = np.empty(size, np.int32), np.empty(size, np.int64)
    marks[:] = -1
    _reach_all(arrows, scored, marks, stack, ptr, nodes, first, True)
    return ptr, nodes, first


def _reach_all(arrows, scored, marks, stack, ptr, nodes, first, keep):
    """Count what each row implies (into ``ptr``, one place later), or ``keep`` it where ``ptr`` says."""
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    with cython.nogil:
        for i in range(ptr.shape[0] - 1):
            if i % 64 == 0:
                look_for_signals()
            found: cython.longlong = 0
            for c in range(scored.ptr[i], scored.ptr[i + 1]):
                height: cython.Py_ssize_t = 0
                if marks[scored.items[c]] != i:
                    marks[scored.items[c]] = i
                    stack[0] = scored.items[c]
                    height = 1
                while height > 0:
                    height -= 1
                    node: cython.int = stack[height]
                    if keep:
                        nodes[ptr[i] + found] = node
                        first[ptr[i] + found] = c
                    found += 1
                    for k in range(arrows.ptr[node], arrows.ptr[node + 1]):
                        above: cython.int = arrows.items[k]
                        if marks[above] != i:
                            marks[above] = i
                            stack[height] = above
                            height += 1
            if not keep:
                ptr[i + 1] = found


def running_sums(begin: Array, steps: Array, first: Array, values: Array) -> Array:
    """Sums over instances of the ``values`` (steps × columns) of their present steps, one row after each event.

    The steps ``steps[begin[e]:begin[e + 1]]`` begin at event e; each takes the place of the one before it unless it is
    the ``first`` of its instance. What rounding takes away is carried along (Neumaier's sum).
    """
    sums = np.empty((len(begin) - 1, values.shape[1]))
    _run(begin, steps, first.view(np.uint8), values, np.zeros((2, values.shape[1])), sums)
    return sums


def _run(begin, steps, first, values, state, sums):
    e: cython.Py_ssize_t
    k: cython.Py_ssize_t
    c: cython.Py_ssize_t
    with cython.nogil:
        for e in range(begin.shape[0] - 1):
            if e % 4096 == 0:
                look_for_signals()
            for k in range(begin[e], begin[e + 1]):
                for c in range(values.shape[1]):
                    _add(state, c, values[steps[k], c])
                    if first[steps[k]] == 0:
                        _add(state, c, -values[steps[k] - 1, c])
            for c in range(values.shape[1]):
                sums[e, c] = state[0, c] + state[1, c]


def _add(state, c, value):
    """Add to column c: its sum, and what rounding took away so far."""
    total: cython.double = state[0, c] + value
    large: cython.bint = abs(state[0, c]) >= abs(value)
    if large:
        state[1, c] += (state[0, c] - total) + value
    else:
        state[1, c] += (value - total) + state[0, c]
    state[0, c] = total


def best_of_resamples(
    begin: Array, units: Array, changes: Array, columns: Array, scales: Array, counts: Array, drawn: Array, kind: int
) -> Array:
    """The greatest F, the least S and the greatest F of micro averages of each resample: 3 × resamples.

    At event e the unit ``units[k]`` changes by ``changes[k]``, for k from ``begin[e]`` on, and it is in resample r
    ``counts[units[k], r]`` times; ``drawn``: the instances of a resample. The change j belongs to the sum
    ``columns[j]`` (as of ``CafaTerms``), and is a multiple of ``scales[j]``. Where nothing is predicted, and nowhere
    else, is no value: infinity is left then. ``kind``: 1 and 2 divide by the number of predictions, and of all.
    """
    best = np.full((3, len(drawn)), -1.0)
    best[1] = np.inf
    carried, sums, times, gain = [np.empty((size, TOGETHER)) for size in (len(columns), SUMS, 1, 1)]
    _resample(begin, units, changes, columns, scales, counts, drawn, kind, carried, sums, times[0], gain[0], best)
    best[best < 0] = np.inf
    return best


def _resample(begin, units, changes, columns, scales, counts, drawn, kind, carried, sums, times, gain, best):
    group: cython.Py_ssize_t
    e: cython.Py_ssize_t
    k: cython.Py_ssize_t
    j: cython.Py_ssize_t
    r: cython.Py_ssize_t
    with cython.nogil:
        for group in range(counts.shape[1] // TOGETHER):
            look_for_signals()
            low: cython.Py_ssize_t = group * TOGETHER
            for j in range(changes.shape[1]):
                for r in range(TOGETHER):
                    carried[j, r] = 0.0
            for e in range(begin.shape[0] - 1):
                for k in range(begin[e], begin[e + 1]):
                    unit: cython.Py_ssize_t = units[k]
                    for r in range(TOGETHER):
                        times[r] = counts[unit, low + r]
                    for j in range(changes.shape[1]):
                        change: cython.double = changes[k, j]
                        if change != 0:
                            for r in range(TOGETHER):
                                carried[j, r] += change * times[r]
                for j in range(SUMS):
                    for r in range(TOGETHER):
                        sums[j, r] = 0.0
                for j in range(changes.shape[1]):
                    scale: cython.double = scales[j]
                    column: cython.Py_ssize_t = columns[j]
                    for r in range(TOGETHER):
                        sums[column, r] += carried[j, r] * scale
                _look_ahead(sums, drawn, kind, best, low, gain)
                for r in range(min(TOGETHER, drawn.shape[0] - low)):
                    if sums[6, r] > 0 and not gain[r] < 0:
                        _improve(sums, r, drawn[low + r], kind, best, low + r)


def _look_ahead(sums, drawn, kind, best, low, gain):
    """Below 0 where the averages of a resample are worse than all of its best ones: by products, some at a time."""
    nearly: cython.double = 1 - 1e-9
    r: cython.Py_ssize_t
    for r in range(min(TOGETHER, drawn.shape[0] - low)):
        size: cython.double = drawn[low + r]
        by_precision: cython.double = size if kind == 2 else sums[2, r]
        by_others: cython.double = sums[2, r] if kind == 1 else size
        f: cython.double = 2.0 * sums[0, r] * sums[1, r]
        f = f - best[0, low + r] * (sums[0, r] * by_others + sums[1, r] * by_precision) * nearly
        bound: cython.double = best[1, low + r] * by_others if by_others > 0 else 0.0
        s: cython.double = bound * bound + 1e-300
        s = s - (sums[4, r] * sums[4, r] + sums[5, r] * sums[5, r]) * nearly
        micro: cython.double = 2.0 * sums[3, r]
        micro = micro - best[2, low + r] * (micro + sums[4, r] + sums[5, r]) * nearly
        gain[r] = s if f < 0 and micro < 0 else 1.0


def _improve(sums, r, size, kind, best, to):
    """Compare the averages of a resample with its best ones; what is clearly worse is not divided."""
    nearly: cython.double = 1 - 1e-9
    covered: cython.double = sums[2, r]
    hit: cython.double = sums[3, r]
    wrong: cython.double = sums[4, r]
    missed: cython.double = sums[5, r]
    by_precision: cython.double = size if kind == 2 else covered
    by_others: cython.double = covered if kind == 1 else size
    p: cython.double = sums[0, r]
    q: cython.double = sums[1, r]
    if by_others > 0:
        if not 2.0 * p * q < best[0, to] * (p * by_others + q * by_precision) * nearly:
            p = p / by_precision if by_precision > 0 else 0.0
            best[0, to] = max(best[0, to], _harmonic(p, q / by_others))
        bound: cython.double = best[1, to] * by_others
        if not (missed * missed + wrong * wrong) * nearly > bound * bound + 1e-300:
            best[1, to] = min(best[1, to], hypot(missed / by_others, wrong / by_others))
    if not 2.0 * hit < best[2, to] * (2.0 * hit + wrong + missed) * nearly:
        p = hit / (hit + wrong) if hit + wrong > 0 else 0.0
        q = hit / (hit + missed) if hit + missed > 0 else 0.0
        best[2, to] = max(best[2, to], _harmonic(p, q))


def _harmonic(p, q):
    return 2.0 * p * q / (p + q) if p + q > 0 else 0.0
