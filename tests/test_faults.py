"""Faults around a run: folders that several processes use, stale files, workers that die."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from hemlp import Bounds, Hierarchy, PairMeasure, evaluate, examples
from hemlp.errors import HemlpError, InvalidOption, NoCluster, RunMismatch, UnwritableFile
from hemlp.instances.label_files import LabelFile
from hemlp.io.files import write_bytes
from hemlp.processes.executors import GONE
from hemlp.processes.sending import Pickled
from hemlp.run.folder import RunFolder
from tests import hungry
from tests.processes import FILES, HEMLP, end_of, environment, many_rows, start, until

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
NAMES = ["F", "MGIA", "F_LCA"]


@pytest.fixture(scope="module")
def mini():
    example = examples.mesh_mini()
    return example.hierarchy, example.true, {name: example.systems[name] for name in ("knn30", "topdown_lcpn")}


@pytest.fixture(scope="module")
def usual(mini) -> dict:
    return evaluate(*mini, NAMES).to_dict()


# ---- run folders


def test_two_processes_begin_a_run_at_once(tmp_path):
    """Both go through, and both have the bytes of a single run."""
    command = [*HEMLP, "evaluate", *FILES, "-m", "F_LCA", "-m", "GIE", "--chunk", "9"]
    subprocess.run([*command, "--json", str(tmp_path / "alone.json")], check=True, capture_output=True)
    for attempt in range(3):
        folder = tmp_path / f"run{attempt}"
        files = [tmp_path / f"{attempt}-{k}.json" for k in range(3)]
        running = [start([*command, "--resume", str(folder), "--json", str(file)]) for file in files]
        for process in running:
            code, _, error = end_of(process)
            assert (code, error) == (0, "")
        for file in files:
            assert file.read_bytes() == (tmp_path / "alone.json").read_bytes()
        assert not list(folder.glob("*.part"))


def test_of_two_different_runs_in_one_folder_one_is_refused(tmp_path):
    for attempt in range(20):
        begun: list[object] = []
        ready = threading.Barrier(4)

        def begin(number: int, folder: Path, begun=begun, ready=ready) -> None:
            ready.wait()
            try:
                begun.append(RunFolder(folder, {"number": number % 2}).identity["number"])
            except RunMismatch as error:
                begun.append(error)

        threads = [threading.Thread(target=begin, args=(k, tmp_path / str(attempt))) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        winner = json.loads((tmp_path / str(attempt) / "run.json").read_text())["number"]
        assert [each for each in begun if not isinstance(each, RunMismatch)] == [winner] * 2
        assert len(begun) == 4


@pytest.mark.parametrize("number", [0, 1, 4_000_000, "ours", "0123456789abcdef"])
@pytest.mark.parametrize("fresh", [True, False])
def test_stale_parts_are_cleared(mini, usual, tmp_path, number, fresh):
    """Whatever process has the number in their names now."""
    folder = tmp_path / "run"
    folder.mkdir()
    if not fresh:
        evaluate(*mini, NAMES, chunk=50, resume=folder)
        sorted(folder.glob("chunk-*"))[2].unlink()
    mark = os.getpid() if number == "ours" else number
    for name in ("run.json", "chunk-000-000000000000.bin", "chunk-001-000000000050.bin"):
        (folder / f"{name}.{mark}.part").write_bytes(b"half a fi")
    assert evaluate(*mini, NAMES, chunk=50, resume=folder).to_dict() == usual
    assert not list(folder.glob("*.part"))


def test_a_part_that_somebody_writes_stays(tmp_path):
    part = tmp_path / "run" / "run.json.0123456789abcdef.part"
    part.parent.mkdir()
    with part.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        RunFolder(part.parent, {"a": 1})
        assert part.exists()
    RunFolder(part.parent, {"a": 1})
    assert not part.exists()


@pytest.mark.parametrize("name", ["thesis.tex", "run.json.part", "run.json.x.part", "a.12.part", "chunk-1.bin"])
def test_what_is_not_ours_is_not_touched(tmp_path, name):
    (tmp_path / name).write_text("precious")
    if name == "a.12.part":  # what hemlp writes elsewhere looks like that
        RunFolder(tmp_path, {"a": 1})
    else:
        with pytest.raises(RunMismatch, match="not empty and holds no run"):
            RunFolder(tmp_path, {"a": 1})
    assert (tmp_path / name).read_text() == "precious"


def test_odd_things_called_like_parts_do_no_harm(tmp_path):
    os.mkfifo(tmp_path / "run.json.12.part")
    (tmp_path / "run.json.13.part").mkdir()
    RunFolder(tmp_path, {"a": 1})
    RunFolder(tmp_path, {"a": 1})


def test_a_file_system_without_links_or_locks(tmp_path, monkeypatch):
    def refuse(*args, **options):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(fcntl, "flock", refuse)
    RunFolder(tmp_path, {"a": 1})
    RunFolder(tmp_path, {"a": 1})
    with pytest.raises(RunMismatch):
        RunFolder(tmp_path, {"a": 2})


def test_a_part_that_is_taken_for_stale_before_it_is_locked_is_written_again(tmp_path, monkeypatch):
    lock, taken = fcntl.flock, []

    def late(file, how):
        if not taken:
            taken.extend(tmp_path.glob("*.part"))
            taken[0].unlink()
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    write_bytes(tmp_path / "a", b"whole")
    assert (tmp_path / "a").read_bytes() == b"whole"
    assert len(taken) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


def test_threads_that_write_one_file_write_it_whole(tmp_path):
    contents = [bytes([65 + k]) * 300_000 for k in range(6)]
    threads = [threading.Thread(target=write_bytes, args=(tmp_path / "a", content)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "a").read_bytes() in contents
    assert len(list(tmp_path.iterdir())) == 1


def test_long_names_of_files_can_be_written(tmp_path):
    write_bytes(tmp_path / ("ä" * 120), b"a")
    with pytest.raises(UnwritableFile, match="too long"):
        write_bytes(tmp_path / ("ä" * 200), b"a")
    assert len(list(tmp_path.iterdir())) == 1


# ---- pipes


def test_pipes_are_read_where_once_is_enough(tmp_path):
    pipes = [str(tmp_path / name) for name in ("h", "gold", "knn")]
    for pipe in pipes:
        os.mkfifo(pipe)
    process = start([*HEMLP, "evaluate", *pipes, "-m", "F_H", "--json", str(tmp_path / "a.json")])
    for pipe, file in zip(pipes, FILES, strict=False):
        threading.Thread(target=Path(pipe).write_bytes, args=(Path(file).read_bytes(),), daemon=True).start()
    assert end_of(process)[0] == 0
    assert '"knn"' in (tmp_path / "a.json").read_text()


def test_pipes_are_refused_before_any_work_where_files_are_read_twice(tmp_path):
    pipe = tmp_path / "pred"
    os.mkfifo(pipe)
    hierarchy = str(tmp_path / "is not even there")
    for files in ([FILES[1], str(pipe)], [str(pipe), FILES[2]]):
        done = subprocess.run(
            [*HEMLP, "evaluate", hierarchy, *files, "--memory", "1GB"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert f"{pipe} is a pipe or a device, which can be read only once" in done.stderr
        assert "Traceback" not in done.stderr
    with pytest.raises(InvalidOption, match="only once"):
        LabelFile(pipe)


# ---- worker processes


def hostile(folder: Path) -> Path:
    """A folder whose modules must not be imported."""
    folder.mkdir(exist_ok=True)
    names = ("pickle", "numpy", "json", "struct", "hemlp", "mmap", "threading", "cython", "scipy", "click", "ortools")
    for name in (*names, "sitecustomize", "usercustomize", "gurobipy", "highspy", "cplex", "selectors", "tempfile"):
        (folder / f"{name}.py").write_text(f"import os; os.write(2, b'imported {name}\\n'); os._exit(77)\n")
    return folder


COST = """
def apart(predicted, true):
    return {}.0 * (predicted != true)
"""
SCRIPT = """
import os, sys
{}
import hemlp
from costs_of_mine import apart
h = hemlp.Hierarchy.from_edges([("a", "b"), ("a", "c")])
m = hemlp.PairMeasure("m", hemlp.Bounds((1, 1), (1, 1)), cost=apart, default_cost=5)
print(hemlp.evaluate(h, ["b", "c"], ["c", "c"], [m], workers=2, chunk=1).per_instance("system", "m").tolist())
"""


def test_workers_import_nothing_from_the_current_folder(tmp_path):
    folder = hostile(tmp_path / "here")
    (tmp_path / "costs_of_mine.py").write_text(COST.format(3))
    (tmp_path / "run.py").write_text(SCRIPT.format(""))
    command = [sys.executable, str(tmp_path / "run.py")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[3.0, 0.0]\n", "")


@pytest.mark.parametrize(
    ("first", "where", "path"),
    [
        ("", "scripts", ""),
        ("", ".", ""),
        ("os.chdir('..')", "scripts", ""),
        ("sys.path.insert(0, '')", "scripts", ""),
        ("", "elsewhere", "scripts"),
        ("sys.path.insert(0, os.path.abspath('scripts'))", "elsewhere", ""),
    ],
)
def test_functions_beside_a_script_are_found_by_workers(tmp_path, first, where, path):
    """Where the script is, in the current folder, on PYTHONPATH; never another module of that name.

    The script says nothing of __name__ == "__main__": no worker runs it once more.
    """
    for folder in ("scripts", "elsewhere", "older"):
        (tmp_path / folder).mkdir()
    source = tmp_path if where == "." else tmp_path / "scripts"
    (source / "costs_of_mine.py").write_text(COST.format(3))
    (tmp_path / "older" / "costs_of_mine.py").write_text(COST.format(7))
    script = tmp_path / where / "run.py"
    script.write_text(SCRIPT.format(first))
    places = [str(tmp_path / folder) for folder in (path, "older") if folder]
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, env=environment(PYTHONPATH=os.pathsep.join(places)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "[3.0, 0.0]\n"), done.stderr


def test_only_functions_of_the_script_itself_are_refused():
    """Not classes of a hierarchy that happen to be called so."""
    h = Hierarchy.from_edges([("a", "__main__"), ("a", "c")])
    assert evaluate(h, ["c"] * 4, ["__main__"] * 4, ["F_H"], workers=2, chunk=2).per_instance("system", "F_H")[0] == 0.5
    assert "tests.hungry" in Pickled.of(hungry.kills_once).modules
    with pytest.raises(InvalidOption, match="have to be importable"):
        Pickled.of(lambda: 1)


def test_errors_of_ones_own_functions_come_back_from_workers():
    m = PairMeasure("m", Bounds((1, 1), (1, 1)), cost=hungry.refuses, default_cost=5)
    with pytest.raises(KeyError, match="no idea about cow") as caught:
        evaluate(H, ["cow"] * 4, ["sheep"] * 4, [m], workers=2, chunk=2)
    assert "in refuses" in str(caught.value.__cause__)
    m = PairMeasure("m", Bounds((1, 1), (1, 1)), cost=hungry.refuses_oddly, default_cost=5)
    with pytest.raises(RuntimeError, match="Odd: "):
        evaluate(H, ["cow"] * 4, ["sheep"] * 4, [m], workers=2, chunk=2)


# ---- a cluster


@pytest.fixture
def single():
    """A cluster of one worker, which is started anew when it dies."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", host="127.0.0.1"
        ) as made,
        made.get_client() as client,
    ):
        yield made, client


def kill_worker(cluster) -> None:
    """As soon as there is one."""

    def pids():
        return [worker.process.process.pid for worker in cluster.workers.values() if worker.process]

    until(pids)
    os.kill(pids()[0], signal.SIGKILL)


@pytest.mark.parametrize("moment", ["before", "sending", "first", "later"])
def test_a_dask_cluster_of_one_worker_that_is_killed(single, mini, usual, monkeypatch, moment):
    import hemlp.processes.executors as module

    cluster, client = single
    submitting, sending = module._submitting, module._scatter
    submitted: list[object] = []

    @contextmanager
    def killing(*args):
        with submitting(*args) as submit:

            def kill_and_submit(item):
                submitted.append(item)
                if (moment, len(submitted)) in (("first", 1), ("later", 9)):
                    kill_worker(cluster)
                return submit(item)

            yield kill_and_submit

    def killed(*args):
        sent = sending(*args)
        if moment == "sending":
            kill_worker(cluster)
        return sent

    monkeypatch.setattr(module, "PIECE", 1000)
    monkeypatch.setattr(module, "_submitting", killing)
    monkeypatch.setattr(module, "_scatter", killed)
    if moment == "before":
        kill_worker(cluster)
    assert evaluate(*mini, NAMES, executor=client.get_executor(), chunk=25).to_dict() == usual


def test_what_chunks_share_is_sent_once_to_each_worker(mini, usual):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", host="127.0.0.1"
        ) as cluster,
        cluster.get_client() as client,
    ):
        assert evaluate(*mini, NAMES, executor=client.get_executor(), chunk=5).to_dict() == usual
        logs = client.run(lambda dask_worker: [list(entry["keys"]) for entry in dask_worker.transfer_incoming_log])
    moved = [key for log in logs.values() for keys in log for key in keys]
    assert len(moved) <= 8  # of 80 chunks; on a busy machine a worker may ask again for what it has not got in time


def test_a_chunk_that_kills_every_dask_worker_is_named(single):
    _, client = single
    m = PairMeasure("m", Bounds((1, 1), (1, 1)), cost=hungry.kills_always, default_cost=5)
    with pytest.raises(HemlpError, match=r"rows 1 to 2 of system: the executor lost a worker") as caught:
        evaluate(H, ["sheep"] * 2, ["cow"] * 2, [m], executor=client.get_executor(), chunk=2)
    assert type(caught.value).__name__ == "WorkerLost"


def test_functions_of_a_script_go_to_a_cluster(single, monkeypatch):
    import __main__

    exec("def cost_for_a_cluster(predicted, true):\n    return 1.5", __main__.__dict__)
    m = PairMeasure("m", Bounds((1, 1), (1, 1)), cost=__main__.cost_for_a_cluster, default_cost=5)
    found = evaluate(H, ["sheep"] * 2, ["cow"] * 2, [m], executor=single[1].get_executor(), chunk=1)
    assert found.per_instance("system", "m").tolist() == [1.5, 1.5]


@pytest.mark.long
def test_a_scheduler_that_dies_is_named(tmp_path):
    """And what was finished before is kept."""
    address = tmp_path / "scheduler.json"
    programs = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    scheduler = start([*programs, "--no-dashboard", "--scheduler-file", str(address)])
    until(address.exists, scheduler)
    worker = start([sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(address)])
    run = tmp_path / "run"
    command = [*HEMLP, "evaluate", *many_rows(tmp_path, 300), "-m", "F_LCA", "--chunk", "50", "--resume", str(run)]
    process = start([*command, "--dask", json.loads(address.read_text())["address"]])
    try:
        until(lambda: run.exists() and list(run.glob("chunk-*.bin")), process)
        scheduler.kill()
        code, _, error = end_of(process)
    finally:
        for each_one in (scheduler, worker):
            each_one.kill()
            each_one.communicate()
    assert code == NoCluster.exit_code
    assert error.splitlines()[-1] == f"hemlp: {GONE}"
    assert "Traceback" not in error
