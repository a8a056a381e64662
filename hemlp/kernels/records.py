"""CSR (compressed sparse row) records of arrays, so that a kernel takes two or three arguments."""

from __future__ import annotations

from hemlp.kernels import Array


class Rows:
    """Rows of different lengths (CSR): ``items[ptr[i]:ptr[i + 1]]`` is row i."""

    def __init__(self, ptr: Array, items: Array) -> None:
        self.ptr = ptr
        self.items = items


class Sides:
    """The classes of both sides of each instance: ``pred[pred_ptr[i]:pred_ptr[i + 1]]`` and the same of ``true``."""

    def __init__(self, pred_ptr: Array, pred: Array, true_ptr: Array, true: Array) -> None:
        self.size = len(pred_ptr) - 1
        self.pred_ptr = pred_ptr
        self.pred = pred
        self.true_ptr = true_ptr
        self.true = true


class Implied:
    """What each class implies, itself included (CSR), of ``size`` classes.

    ``through``: the class also implies all that is ``beyond`` the hub, some of which may be in its own list, too.
    """

    def __init__(self, ptr: Array, nodes: Array, through: Array, beyond: Array) -> None:
        self.size = len(beyond)
        self.ptr = ptr
        self.nodes = nodes
        self.through = through.view("u1")
        self.beyond = beyond.view("u1")
        self.with_hub = bool(through.any())
