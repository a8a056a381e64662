"""Kernels beside the same work in plain C (``floors.c``), on the same arrays; the results have to be equal.

The C is compiled when it is asked for, for this processor and for any of its family. What is lost to C is the price of
what its code leaves out: hubs, weights, interrupts, prices that prove a matching.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from ctypes import POINTER, Structure, byref, c_double, c_int32, c_int64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(os.environ.get("HEMLP_DATA", "absent"))
SOURCE = Path(__file__).with_name("floors.c")
COMPILED = {"C": ("-O3", "-march=native"), "C, any processor": ("-O3",)}
Work = Callable[[], Any]


def least_seconds(works: Mapping[str, Work], rounds: int) -> dict[str, float]:
    """The least CPU time of each, taken in turn so that the load of the machine is the same for all."""
    found: dict[str, float] = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            start = time.process_time()
            work()
            found[name] = min(found[name], time.process_time() - start)
    return found


def libraries() -> dict[str, ctypes.CDLL]:
    """``floors.c``, compiled once with each set of flags; nothing where there is no compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        print("no C compiler (cc) here: nothing to compare with", file=sys.stderr)
        return {}
    with tempfile.TemporaryDirectory() as folder:
        found = {}
        for number, (name, flags) in enumerate(COMPILED.items()):
            place = Path(folder) / f"floors{number}.so"
            subprocess.run([compiler, *flags, "-shared", "-fPIC", "-o", place, SOURCE], check=True)
            found[name] = ctypes.CDLL(str(place))
        return found


class CSides(Structure):
    """``Sides`` of floors.c."""

    _fields_ = [
        ("pred_ptr", POINTER(c_int64)),
        ("pred", POINTER(c_int32)),
        ("true_ptr", POINTER(c_int64)),
        ("truth", POINTER(c_int32)),
    ]


def address(array: Any) -> c_void_p:
    """Where an array is."""
    assert array.flags.c_contiguous
    return c_void_p(array.ctypes.data)


def ten_thousand() -> Any:
    """Two systems on 5,000 MEDLINE documents with MeSH 2016, as one batch."""
    import hemlp

    h = hemlp.read_hierarchy(DATA / "mesh2016" / "mesh_hierarchy.txt")
    true = hemlp.read_labels(DATA / "medline_mesh" / "gold.txt")
    files = sorted((DATA / "medline_mesh").glob("pred_*.txt"))[-2:]
    return hemlp.Batch.of(h, [*true, *true], [row for file in files for row in hemlp.read_labels(file)])


class Data:
    """The 10,000 instances with the ancestors of all their classes, as kernels and as C take them."""

    def __init__(self) -> None:
        from hemlp.kernels.records import Sides

        self.batch = batch = ten_thousand()
        pred, true = batch.sides
        self.lists = batch.hierarchy.upward.lists(np.concatenate([pred.classes, true.classes]))
        assert not (self.lists.hub_at >= 0).any()
        arrays = pred.ptr, self.lists.row[pred.classes], true.ptr, self.lists.row[true.classes]
        self.arrays = tuple(map(np.ascontiguousarray, arrays))
        assert [each.dtype.itemsize for each in self.arrays] == [8, 4, 8, 4]
        self.sides = Sides(*self.arrays)
        fields = zip(self.arrays, CSides._fields_, strict=True)
        self.c_sides = CSides(*(array.ctypes.data_as(kind) for array, (_, kind) in fields))  # type: ignore[misc]
        self.size = c_int64(len(batch))
        self.c_lists = address(self.lists.ptr), address(self.lists.nodes)


def compared(ours: Work, theirs: Callable[[ctypes.CDLL], Work], check: Callable[[Any, Any], None]) -> Work:
    """Seconds of C with each set of flags, and of our kernel, once their results are found to be equal."""
    works = {name: theirs(library) for name, library in libraries().items()}
    for work in works.values():
        check(ours(), work())

    def run() -> dict[str, float]:
        return least_seconds({**works, "hemlp": ours}, 15)

    return run


def same(ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> None:
    """Raise AssertionError where arrays differ."""
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b)


def tally_floor() -> Work:
    """Sizes of the closures of both sides, and of what they share."""
    from hemlp.kernels.closure.tally import tally
    from hemlp.kernels.records import Implied

    data = Data()
    lists = data.lists
    weights = np.ones(len(data.batch.hierarchy))

    def ours() -> tuple[Any, ...]:
        implied = Implied(lists.ptr, lists.nodes, lists.hub_at >= 0, lists.beyond >= 0)
        return tally(data.sides, implied, weights, False)

    def theirs(library: ctypes.CDLL) -> Work:
        def run() -> tuple[Any, ...]:
            stamp = np.full(len(weights), -1, np.int32)
            sums, equal = np.empty((len(data.batch), 3)), np.empty(len(data.batch), np.bool_)
            library.tally(data.size, byref(data.c_sides), *data.c_lists, address(stamp), address(sums), address(equal))
            return sums, equal

        return run

    return compared(ours, theirs, same)


def distances_floor() -> Work:
    """Distances of all pairs."""
    from hemlp.kernels.graph.distances import pair_distances, up_lists
    from hemlp.problems.pairing.pairs import Pairs

    data = Data()
    lists, ptr = data.lists, Pairs.of(data.batch).ptr
    short = lists.distances.astype(np.uint8)
    assert (short == lists.distances).all()
    assert 2 * short.max() < 127
    longest, many = int(np.diff(lists.ptr).max()), len(data.batch.hierarchy)

    def theirs(library: ctypes.CDLL) -> Work:
        def run() -> tuple[Any]:
            row, lanes, kappa = np.zeros(many, np.int32), np.empty(16 + longest * 256, np.uint8), np.empty(ptr[-1])
            given = data.size, byref(data.c_sides), *data.c_lists, address(short)
            library.pair_distances(*given, address(row), address(lanes), address(kappa))
            return (kappa,)

        return run

    return compared(lambda: (pair_distances(up_lists(lists), data.sides, ptr),), theirs, same)


def pairing_floor() -> Work:
    """GIE's pairings of least cost, from the distances."""
    import hemlp
    from hemlp.kernels.flow.closed_forms import best_pairings
    from hemlp.kernels.flow.pairing import Chosen, total_costs
    from hemlp.problems.pairing.pairs import given_data

    data = Data()
    model: Any = hemlp.measure("GIE").model(data.batch)
    given = given_data(model)
    pred, true = (half.side.ptr for half in model.halves)
    assert max(np.diff(pred).max(), np.diff(true).max()) <= 256

    def ours() -> Any:
        pairs = np.zeros(model.kappa.size, np.bool_)
        sizes = pred[-1], true[-1]
        default = np.zeros(sizes[0], np.int64), np.zeros(sizes[1], np.int64)
        chosen = Chosen(pairs, default, (np.zeros(sizes[0]), np.zeros(sizes[1])))
        assert best_pairings(given, False, chosen).all()
        return chosen

    def theirs(library: ctypes.CDLL) -> Work:
        def run() -> Any:
            cost, mate = np.empty(len(data.batch)), np.empty(pred[-1], np.int32)
            ends = address(pred), address(true), address(model.kappa)
            library.best_pairings(data.size, *ends, c_double(5), address(cost), address(mate))
            return cost

        return run

    return compared(ours, theirs, lambda chosen, cost: same((total_costs(given, chosen),), (cost,)))
