"""Scores of chunks from run folders and workers: nothing that is not what it should be is used."""

from __future__ import annotations

import hashlib
import json
import logging
import math
import pickle
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pytest

from hemlp import Batch, Hierarchy, evaluate, examples, measure
from hemlp.errors import NoCluster, RunMismatch, WorkerLost
from hemlp.processes import executors
from hemlp.run import workers

H = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
TRUE, PRED = ["a", "b", "c", "a"], ["c", "b", "b", "a"]
MEASURES = ["F_H", "F_LCA"]
ROWS = 2


def crafted(body: bytes, change) -> bytes:
    """The bytes of a chunk with its head and its arrays changed."""
    line, _, rest = body.partition(b"\n")
    head = json.loads(line)
    made = change(head, rest)
    rest = rest if made is None else made
    return json.dumps(head).encode() + b"\n" + rest


def at(*path, value):
    """A change of the value at a path of the head."""

    def change(head, rest):
        place = head
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


def column(measure: int, name: str, values) -> object:
    """A change of a column of a measure."""
    return lambda head, rest: array("<f8", values, head["measures"][measure]["columns"][name])(head, rest)


def array(kind: str, values, place: int | None = None) -> object:
    """A change of an array, of the first one of its kind unless its place is given."""

    def change(head, rest):
        sizes = [ROWS * (1 if each == "|i1" else 8) for each in head["arrays"]]
        k = head["arrays"].index(kind) if place is None else place
        begin = sum(sizes[:k])
        return rest[:begin] + np.array(values, kind).tobytes() + rest[begin + sizes[k] :]

    return change


def rename(measure, old, new):
    measure["columns"] = {new if name == old else name: place for name, place in measure["columns"].items()}


FIRST = ("measures", 0)
CRAFTED = {
    "object dtype": at("arrays", 0, value="|O"),
    "huge dtype": at("arrays", 0, value="|V50000000000"),
    "other dtype": at("arrays", 1, value="<f4"),
    "dtype of fields": at("arrays", 0, value=[["a", "<i8"]]),
    "offset": at("arrays", 0, value=["|i1", -8]),
    "number as a dtype": at("arrays", 0, value=1),
    "arrays": at("arrays", value={}),
    "no arrays": at("arrays", value=[]),
    "null arrays": at("arrays", value=None),
    "extra array": lambda head, rest: head["arrays"].append("<f8"),
    "extra array with content": lambda head, rest: (head["arrays"].append("<f8"), rest + bytes(8 * ROWS))[1] + b"x",
    "missing array": lambda head, rest: head["arrays"].pop() and None,
    "huge rows": at("rows", value=10**12),
    "negative rows": at("rows", value=-1),
    "rows": at("rows", value=1.5),
    "true rows": at("rows", value=True),
    "text rows": at("rows", value="2"),
    "endless rows": at("rows", value=10**4000),
    "truncated": lambda head, rest: rest[:-1],
    "longer": lambda head, rest: rest + b"\0",
    "nothing": lambda head, rest: b"",
    "negative status": array("|i1", [-1, 0]),
    "no such status": array("|i1", [0, 4]),
    "far status": array("|i1", [0, 127]),
    "status without a value": array("|i1", [0, 3]),
    "undefined": at(*FIRST, "undefined", value=1),
    "undefined text": at(*FIRST, "undefined", value="0"),
    "negative undefined": at(*FIRST, "undefined", value=-1),
    "nan": array("<f8", [math.nan, 0]),
    "infinite": array("<f8", [math.inf, 0]),
    "great": array("<f8", [5.5e275, 0]),
    "below": array("<f8", [-0.5, 0]),
    "great number of classes": column(0, "predicted", [math.inf, 0]),
    "negative number of classes": column(0, "common", [-1, 0]),
    "great precision": column(1, "P_LCA", [1, 1.5]),
    "no such step": column(1, "step", [1, 1e12]),
    "negative step": column(1, "step", [-math.inf, 1]),
    "renamed columns": lambda head, rest: rename(head["measures"][0], "predicted", "x"),
    "another signature": at(*FIRST, "signature", value="another"),
    "status at no array": at(*FIRST, "status", value=99),
    "status at a negative array": at(*FIRST, "status", value=-1),
    "status at numbers": at(*FIRST, "status", value=1),
    "column at statuses": at(*FIRST, "columns", value={"F_H": 0}),
    "columns": at(*FIRST, "columns", value=[1]),
    "no columns": at(*FIRST, "columns", value={}),
    "text as a column": at(*FIRST, "columns", value={"F_H": "1"}),
    "no such column": at(*FIRST, "columns", value={"F_H": 10**9}),
    "name": at(*FIRST, "name", value="F_LCA"),
    "list as a name": at(*FIRST, "name", value=["F_H"]),
    "signature": at(*FIRST, "signature", value=3),
    "exact": at(*FIRST, "exact", value=1),
    "field": at(*FIRST, "more", value=1),
    "measure": at(*FIRST, value=[]),
    "measures": at("measures", value={}),
    "no measures": at("measures", value=[]),
    "key": at("more", value=1),
    "fewer measures": lambda head, rest: head["measures"].pop() and None,
    "chunk": at("chunk", value="x"),
}


def signed(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "run"
    evaluate(H, TRUE, PRED, MEASURES, chunk=ROWS, resume=place)
    return place


def resumed(folder):
    return evaluate(H, TRUE, PRED, MEASURES, resume=folder)


@pytest.mark.parametrize("name", CRAFTED)
def test_a_crafted_chunk_with_a_right_digest_is_refused(folder, name):
    chunk = sorted(folder.glob("chunk-*"))[1]
    body = crafted(chunk.read_bytes().partition(b"\n")[2], CRAFTED[name])
    chunk.write_bytes(signed(body))
    with pytest.raises(RunMismatch, match="does not hold the scores of a chunk, though its digest is right"):
        resumed(folder)


@pytest.mark.parametrize("body", [b"", b"\n", b"{}", b"[]\n", b"null\n", b"[" * 5000 + b"\n", b"\xff\n", b"\x80\4.\n"])
def test_other_bytes_with_a_right_digest_are_refused(folder, body):
    sorted(folder.glob("chunk-*"))[0].write_bytes(signed(body))
    with pytest.raises(RunMismatch, match="does not hold the scores"):
        resumed(folder)


def test_chunks_with_other_columns_than_the_first_are_refused(folder):
    chunk = sorted(folder.glob("chunk-*"))[1]
    body = chunk.read_bytes().partition(b"\n")[2]
    chunk.write_bytes(
        signed(
            crafted(
                body, lambda head, rest: head["measures"][0].update(signature=head["measures"][0]["signature"] + "|x")
            )
        )
    )
    with pytest.raises(RunMismatch, match="has other columns"):
        resumed(folder)


def test_what_is_not_crafted_is_taken(folder, monkeypatch):
    """Also where a head is written otherwise, and means the same."""
    usual = resumed(folder).to_dict()
    chunk = sorted(folder.glob("chunk-*"))[1]
    chunk.write_bytes(signed(crafted(chunk.read_bytes().partition(b"\n")[2], lambda head, rest: None)))
    monkeypatch.setattr(workers, "score_chunk", lambda *_: pytest.fail("scored again"))
    assert resumed(folder).to_dict() == usual


@pytest.mark.parametrize("name", ["run.json", "chunk-000-000000000002.bin"])
def test_links_in_a_run_folder_are_refused(folder, tmp_path, name):
    precious = tmp_path / "precious"
    precious.write_bytes((folder / name).read_bytes())
    (folder / name).unlink()
    (folder / name).symlink_to(precious)
    with pytest.raises(RunMismatch, match="is a link"):
        resumed(folder)


# ---- workers


@pytest.mark.parametrize("name", [*CRAFTED, "not bytes", "another chunk"])
def test_what_a_worker_sends_is_checked(name, monkeypatch):
    honest = workers.pack_chunk

    def sent(context, chunk):
        if name == "not bytes":
            return workers.score_chunk(context, chunk)
        body = honest(context, chunk)
        return crafted(body, CRAFTED.get(name, at("chunk", value=["system", 100, 0])))

    monkeypatch.setattr(workers, "pack_chunk", sent)
    with ThreadPoolExecutor(1) as pool, pytest.raises(WorkerLost, match="a worker sent something else than its scores"):
        evaluate(H, TRUE, PRED, MEASURES, executor=pool, chunk=ROWS)


# ---- a cluster without workers


class Client:
    """A cluster whose workers come and go as a test says, and that never finishes anything."""

    scheduler = "somewhere"
    status = "running"

    def __init__(self, threads) -> None:
        self.threads = iter(threads)

    def nthreads(self):
        return next(self.threads)

    def submit(self, *_, **__):
        return Future()


class Executor:
    def __init__(self, threads, timeout) -> None:
        self._client, self._kwargs = Client(threads), {}
        self.worker_timeout = timeout

    def submit(self, *_, **__):
        return Future()


@pytest.fixture
def clock(monkeypatch):
    """One second passes with each look."""
    ticks = iter(range(1000))
    monkeypatch.setattr(executors, "monotonic", lambda: float(next(ticks)))
    monkeypatch.setattr(executors, "GLANCE", 0.0)


def test_a_cluster_without_workers_is_said_and_ends_by_name(clock, caplog):
    pytest.importorskip("distributed")
    threads = [{}] * 20
    with caplog.at_level(logging.WARNING), pytest.raises(NoCluster, match="no workers for 9 seconds.*--dask-timeout"):
        list(executors.map_unordered(len, "shared", ["item"], Executor(threads, 9)))
    assert [record.message for record in caplog.records] == [
        "hemlp: the cluster has no workers: waiting for some, for 9 seconds at most"
    ]


def test_workers_that_come_in_time_begin_the_count_again(clock, caplog):
    pytest.importorskip("distributed")
    threads = [{}, *[{}] * 8, {"a": 1}, *[{}] * 9, {"a": 1}, *[{}] * 10]
    executor = Executor(threads, 9)
    with pytest.raises(NoCluster):
        list(executors.map_unordered(len, "shared", ["item"], executor))
    assert next(executor._client.threads, None) is None
    assert len(caplog.records) == 3


def test_a_chunk_is_sent_without_its_hierarchy():
    """Workers have it already: what is sent holds class numbers alone, and scores are the same."""
    mesh = examples.mesh_mini()
    batch = Batch.of(mesh.hierarchy, mesh.true, mesh.systems["knn30"])
    chunk = workers.Chunk("knn30", 0, batch)
    sent = pickle.dumps(chunk)
    assert len(sent) < len(pickle.dumps(batch)) / 5
    options = workers.ScoringOptions("error")
    context = workers.Context({"knn30": batch.hierarchy}, batch.given, batch.policies, (measure("F_LCA"),), options)
    here, there = (workers.score_chunk(context, each)[0] for each in (chunk, pickle.loads(sent)))
    assert (here.signature, here.values.tolist()) == (there.signature, there.values.tolist())
    assert pickle.loads(pickle.dumps(pickle.loads(sent))).rows == chunk.rows == len(batch)
