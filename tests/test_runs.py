"""Long runs: folders that survive everything, workers that die, clusters; and always the same bits."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import current_process, get_context
from pathlib import Path

import numpy as np
import pytest

from hemlp import Bounds, Evaluation, Hierarchy, PairMeasure, evaluate, examples, measure
from hemlp.errors import (
    InvalidOption,
    MisalignedSides,
    RunMismatch,
    UndefinedScore,
    UnknownLabel,
    UnwritableFile,
    WorkerLost,
)
from hemlp.instances.label_files import LabelFile
from hemlp.options import parse_memory
from hemlp.processes.executors import map_unordered
from hemlp.report.outputs import write_per_instance
from hemlp.run.workers import ScoringOptions, all_compiled
from hemlp.solvers.registry import as_solver
from tests import hungry
from tests.processes import start, usual_signals

FOLDER = examples.DATA / "mesh_mini"
FILES = [str(FOLDER / name) for name in ("hierarchy.txt", "gold.txt", "pred_knn30.txt", "pred_topdown_lcpn.txt")]
NAMES = ["F", "MGIA", "F_H", "F_LCA"]
H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])


@pytest.fixture(scope="module")
def mini():
    example = examples.mesh_mini()
    systems = {name: example.systems[name] for name in ("knn30", "topdown_lcpn")}
    return example.hierarchy, example.true, systems


@pytest.fixture(scope="module")
def usual(mini) -> dict:
    return evaluate(*mini, NAMES).to_dict()


# ---- the same bits, whoever works


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("chunk", [7, 64, 20_000])
def test_workers_and_chunks(mini, usual, workers, chunk):
    assert evaluate(*mini, NAMES, workers=workers, chunk=chunk).to_dict() == usual


@pytest.mark.parametrize("kind", ["threads", "spawned processes"])
def test_executors(mini, usual, kind):
    made = ThreadPoolExecutor(3) if kind == "threads" else ProcessPoolExecutor(2, get_context("spawn"))
    with made as executor:
        assert evaluate(*mini, NAMES, executor=executor, chunk=30).to_dict() == usual


def test_what_is_compiled_is_scored_in_threads_and_python_in_processes(mini, monkeypatch):
    """Strangers' code and solvers that hold the lock of Python, or are not known to be safe, get processes."""
    used = []
    monkeypatch.setattr(PairMeasure, "model", _noting(used, PairMeasure.model))
    evaluate(*mini, ["GIE"], workers=2, chunk=50)
    assert len(used) > 4
    assert set(used) == {os.getpid()}
    plain = ScoringOptions("error")
    assert all_compiled((measure("F_H"), measure("F_LCA"), measure("GIE(cost='wu_palmer')")), plain)
    assert all_compiled((measure("GIE"),), ScoringOptions("error", as_solver("augmenting"), 5.0))
    own = PairMeasure("m", Bounds((1, 1), (1, 1)), cost=hungry.refuses, default_cost=2)
    assert not all_compiled((own,), plain)
    assert not all_compiled((hungry.Mine("mine", "ancestors"),), plain)
    assert not all_compiled((measure("GIE"),), ScoringOptions("error", hungry.Stranger()))
    for name in ("pulp", "networkx", "cpsat", "milp", "flow", "portfolio"):
        assert not all_compiled((measure("GIE"),), ScoringOptions("error", as_solver(name)))
    monkeypatch.setattr("hemlp.run.workers.COMPILED", False)
    assert not all_compiled((measure("F_H"),), plain)


def _noting(used, usual):
    """The usual thing, and in which process it was done."""

    def call(*args):
        used.append(os.getpid())
        return usual(*args)

    return call


@pytest.mark.parametrize(
    "solver", ["pulp", "networkx", "cpsat", "milp", "flow", hungry.Stranger()], ids=lambda s: getattr(s, "name", s)
)
def test_solvers_in_processes_and_in_threads(mini, solver):
    """Threads of one's own executor, too: no solver comes in the way of another."""
    h, true, systems = mini
    data = h, [*true][:40], {"knn30": [*systems["knn30"]][:40]}
    usual = evaluate(*data, ["GIE"], solver=solver).to_dict()
    assert evaluate(*data, ["GIE"], solver=solver, workers=2, chunk=10).to_dict() == usual
    with ThreadPoolExecutor(3) as executor:
        assert evaluate(*data, ["GIE"], solver=solver, executor=executor, chunk=5).to_dict() == usual


def test_a_daemon_of_multiprocessing_is_told_that_it_can_start_no_workers(monkeypatch):
    monkeypatch.setattr(current_process(), "_config", {**current_process()._config, "daemon": True})
    m = PairMeasure("m", Bounds((1, 1), (1, 1)), cost=hungry.refuses, default_cost=2)
    with pytest.raises(InvalidOption, match="cannot start workers; choose workers="):
        evaluate(H, ["cow"], ["cow"], [m], workers=2)


def test_any_order_of_completion(mini, usual):
    """An executor that finishes its tasks last first."""

    class Backwards(ThreadPoolExecutor):
        count = 0

        def submit(self, function, /, *args):
            Backwards.count += 1
            wait = 0.05 * (10 - Backwards.count % 10)

            def late():
                time.sleep(wait)
                return function(*args)

            return super().submit(late)

    with Backwards(10) as executor:
        assert evaluate(*mini, NAMES, executor=executor, chunk=40).to_dict() == usual


def test_files_are_streamed_to_the_same_bits(mini, usual, tmp_path):
    true, pred = LabelFile(FILES[1]), {"knn30": LabelFile(FILES[2]), "topdown_lcpn": LabelFile(FILES[3])}
    for options in ({"chunk": 33}, {"memory": "1GB"}, {"memory": "1GB", "chunk": 50, "workers": 2}):
        streamed = evaluate(mini[0], true, pred, NAMES, **options)
        assert streamed.to_dict() == usual
        assert (streamed.stored is not None) == ("memory" in options)
    assert str(streamed.explain("knn30", 117)) == str(evaluate(*mini, NAMES).explain("knn30", 117))
    streamed.to_html(tmp_path / "streamed.html")
    evaluate(*mini, NAMES).to_html(tmp_path / "usual.html")
    assert (tmp_path / "streamed.html").read_bytes() == (tmp_path / "usual.html").read_bytes()


def test_streamed_mistakes_name_the_row(mini, tmp_path, monkeypatch):
    monkeypatch.setattr("hemlp.results.inputs.BLOCK", 7)
    lines = Path(FILES[2]).read_text().splitlines()
    short, wrong, odd = (tmp_path / name for name in ("short.txt", "wrong.txt", "odd.txt"))
    short.write_text("\n".join(lines[:50]) + "\n")
    wrong.write_text("\n".join([*lines[:150], "D00081", *lines[151:]]) + "\n")
    odd.write_bytes("\n".join(lines[:60]).encode() + b"\nD0\xff\n")
    gold = LabelFile(FILES[1])
    with pytest.raises(MisalignedSides, match=r"gold.txt has 200 rows and .*short.txt has 50"):
        evaluate(mini[0], gold, LabelFile(short), ["F"])
    with pytest.raises(UnknownLabel, match=r"wrong.txt, row 151: label 'D00081'"):
        evaluate(mini[0], gold, LabelFile(wrong), ["F"])
    with pytest.raises(Exception, match=r"odd.txt, line 61"):
        evaluate(mini[0], gold, LabelFile(odd), ["F"])
    with pytest.raises(UndefinedScore, match="instance 1: TIE"):
        evaluate(mini[0], gold, LabelFile(FILES[2]), ["TIE"])
    for unknown in ("drop", "isolate"):
        streamed = evaluate(mini[0], gold, LabelFile(wrong), ["F", "hamming"], unknown=unknown)
        rows = [line.split() for line in wrong.read_text().split("\n")[:-1]]
        whole = evaluate(mini[0], mini[1], rows, ["F", "hamming"], unknown=unknown)
        assert streamed.to_dict() == {**whole.to_dict(), "facts": streamed.facts}
        assert streamed.facts["system"]["unknown labels"] == whole.facts["system"]["unknown labels"] == 1


def test_memory_of_a_long_run_stays_within_its_limit(tmp_path):
    """200 times the bundled documents: 40,000 rows a system; the same limit holds for 10,000 and for 40,000."""
    peaks = []
    for times in (1, 50, 200):  # the first loads what compiling alone would take memory for
        gold, pred = (tmp_path / f"{name}{times}.txt" for name in ("gold", "pred"))
        gold.write_text(Path(FILES[1]).read_text() * times)
        pred.write_text(Path(FILES[2]).read_text() * times)
        code = (
            "import re, sys; from hemlp.cli.main import main\n"
            "try:\n main()\nfinally:\n"
            " print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1], file=sys.stderr)"
        )
        arguments = ["evaluate", FILES[0], str(gold), str(pred), "-m", "F_LCA", "-m", "GIE", "--memory", "350MB"]
        arguments += ["--per-instance", str(tmp_path / "rows"), "--json", str(tmp_path / "all.json")]
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
        peaks.append(int(done.stderr.split()[-1]) / 1024)
    assert max(peaks[1:]) < 350, peaks


@pytest.mark.parametrize(
    ("text", "size"), [("500MB", 500 * 2**20), ("2gb", 2**31), ("1.5 GB", 3 * 2**29), (2**24, 2**24)]
)
def test_sizes(text, size):
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["", "lots", "0", "-1GB", "1XB", True, "1.2.3GB", 1000])
def test_bad_sizes(text):
    with pytest.raises(InvalidOption, match="is not a size"):
        parse_memory(text)


def _of_a_script():
    """A function as one has it that is defined in the script which is run."""
    import __main__

    exec("def cost_of_the_script(predicted, true):\n    return 1.0", __main__.__dict__)
    return __main__.cost_of_the_script


def test_contradictions(mini, tmp_path):
    with ThreadPoolExecutor(1) as pool, pytest.raises(InvalidOption, match="not both"):
        evaluate(*mini, NAMES, executor=pool, workers=2)
    with pytest.raises(InvalidOption, match="before the first instance"):
        evaluate(*mini, NAMES, memory="100MB")
    custom = PairMeasure("custom_cost", Bounds((1, 1), (1, 1)), cost=lambda p, t: 1.0, default_cost=2)
    with pytest.raises(InvalidOption, match="have to be importable"):
        evaluate(*mini, [custom], workers=2)
    script = PairMeasure("m", Bounds((1, 1), (1, 1)), cost=_of_a_script(), default_cost=2)
    with pytest.raises(InvalidOption, match="have to be importable"):
        evaluate(*mini, [script], workers=2)
    with pytest.raises(InvalidOption, match="cannot identify"):
        evaluate(*mini, [custom], resume=tmp_path / "run")


# ---- workers that die


def test_a_killed_worker_is_replaced(tmp_path, monkeypatch):
    monkeypatch.setenv("HUNGRY", str(tmp_path / "times"))
    for cost in (hungry.kills_once, hungry.runs_out_of_memory):
        (tmp_path / "times").unlink(missing_ok=True)
        m = PairMeasure("m", Bounds((1, 1), (1, 1)), cost=cost, default_cost=5)
        true, pred = ["cow", "sheep"] * 20, ["cow", "cow"] * 20
        values = evaluate(H, true, pred, [m], workers=2, chunk=5).per_instance("system", "m")
        assert values.tolist() == [0.0, 1.0] * 20
        assert (tmp_path / "times").stat().st_size > 1


def test_a_worker_that_always_dies_is_named_and_the_rest_is_kept():
    m = PairMeasure("m", Bounds((1, 1), (1, 1)), cost=hungry.kills_always, default_cost=5)
    with pytest.raises(WorkerLost, match=r"rows 11 to 15 of system.*died 3 times \(killed by signal 9") as caught:
        evaluate(H, ["cow"] * 12 + ["sheep"] + ["cow"] * 7, ["cow"] * 20, [m], workers=2, chunk=5)
    assert (caught.value.first, caught.value.last, caught.value.system) == (11, 15, "system")


def test_an_error_in_a_worker_is_the_users_error():
    close = PairMeasure("close", Bounds((1, 1), (1, 1)), max_distance=1)
    with pytest.raises(Exception, match="instance 4") as caught:
        evaluate(H, ["cow"] * 5, ["cow", "mammal", "cow", "sheep", "cow"], [close], chunk=2, workers=2)
    assert type(caught.value).__name__ == "InfeasibleModel"


def test_a_broken_executor_is_named(tmp_path):
    m = PairMeasure("m", Bounds((1, 1), (1, 1)), cost=hungry.kills_always, default_cost=5)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool, pytest.raises(WorkerLost, match="the executor lost"):
        evaluate(H, ["sheep"] * 4, ["cow"] * 4, [m], executor=pool, chunk=2)


# ---- run folders


def run_command(folder: Path, out: Path, *more: str) -> list[str]:
    options = [word for name in NAMES for word in ("-m", name)]
    return [
        sys.executable, "-m", "hemlp", "evaluate", *FILES, *options, "--resume", str(folder), "--chunk", "9",
        "--json", str(out), "--per-instance", str(out.parent / f"{out.stem}-rows"), *more,
    ]  # fmt: skip


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("uninterrupted")
    subprocess.run(run_command(folder / "run", folder / "all.json"), check=True, capture_output=True)
    return folder / "all.json"


def same_files(one: Path, other: Path) -> bool:
    """But for a .part that nobody can remove any more after SIGKILL."""
    folders = [path.parent / f"{path.stem}-rows" for path in (one, other)]
    rows = [sorted(file for file in folder.iterdir() if file.suffix != ".part") for folder in folders]
    pairs = [(one, other), *zip(*rows, strict=True)]
    return all(a.read_bytes() == b.read_bytes() for a, b in pairs)


def test_killed_at_twenty_moments_and_resumed_to_the_same_bytes(uninterrupted, tmp_path):
    """The whole process group, by SIGKILL, with one worker and with two; each run goes on until it is through."""
    moments = random.Random(0)
    begun = time.monotonic()
    subprocess.run(run_command(tmp_path / "usual", tmp_path / "all.json"), check=True, capture_output=True)
    whole = time.monotonic() - begun
    killed = 0
    for attempt in range(100):
        folder = tmp_path / f"run{attempt}"
        for go in range(12):
            more = ["--workers", "2"] if attempt % 3 == 0 else []
            begun = time.monotonic()
            command = run_command(folder, tmp_path / "all.json", *more)
            process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       preexec_fn=usual_signals)  # fmt: skip
            try:
                process.communicate(timeout=moments.uniform(0.3, 1.0) * whole)
                assert process.returncode == 0
                if go == 0:  # a whole run that was faster than those before
                    whole = time.monotonic() - begun
                break
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                killed += 1
        else:
            subprocess.run(run_command(folder, tmp_path / "all.json"), check=True, capture_output=True)
        assert same_files(tmp_path / "all.json", uninterrupted)
        if killed >= 20:
            break
    assert killed >= 20


def test_finished_chunks_are_not_computed_again(mini, usual, tmp_path, monkeypatch):
    first = evaluate(*mini, NAMES, chunk=50, resume=tmp_path / "run")
    assert first.to_dict() == usual
    monkeypatch.setattr("hemlp.run.workers.score_together", lambda *a, **k: pytest.fail("computed again"))
    assert evaluate(*mini, NAMES, resume=tmp_path / "run").to_dict() == usual


def test_another_input_measure_option_or_chunk_is_refused(mini, tmp_path):
    h, true, systems = mini
    folder = tmp_path / "run"
    evaluate(h, true, systems, NAMES, chunk=50, resume=folder)
    changed = {**systems, "knn30": [*systems["knn30"]][::-1]}
    for arguments, options, word in (
        ((h, true, dict(reversed(systems.items())), NAMES), {}, "predictions"),
        ((h, true, systems, NAMES[::-1]), {}, "measures .*there; .*here"),
        ((h, true, changed, NAMES), {}, "predictions .knn30: something else"),
        ((h, [*true][::-1], systems, NAMES), {}, "true labels"),
        ((h, true, systems, [*NAMES[1:], "MGIA(default_cost=4)"]), {}, "measures"),
        ((h.with_isolated(["new"]), true, systems, NAMES), {}, "hierarchy"),
        ((h, true, systems, NAMES), {"undefined": "nan"}, "options .undefined:error there; undefined:nan here"),
        ((h, true, systems, NAMES), {"chunk": 49}, "chunk .50 there; 49 here"),
    ):
        with pytest.raises(RunMismatch, match=f"other {word}"):
            evaluate(*arguments, resume=folder, **options)
    (folder / "run.json").write_text((folder / "run.json").read_text().replace('"version": "', '"version": "9'))
    with pytest.raises(RunMismatch, match="another version"):
        evaluate(h, true, systems, NAMES, resume=folder)
    evaluate(h, true, systems, {"own": measure("MGIA")}, resume=tmp_path / "own")
    with pytest.raises(RunMismatch, match="own: default_cost was 5 and is 4"):
        evaluate(h, true, systems, {"own": measure("MGIA", default_cost=4)}, resume=tmp_path / "own")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("precious")
    with pytest.raises(RunMismatch, match="holds no run"):
        evaluate(h, true, systems, NAMES, resume=tmp_path / "other")


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty"])
def test_a_damaged_chunk_is_found_and_computed_again(mini, usual, tmp_path, damage, caplog):
    folder = tmp_path / "run"
    evaluate(*mini, NAMES, chunk=50, resume=folder)
    victim = sorted(folder.glob("chunk-*"))[3]
    data = bytearray(victim.read_bytes())
    if damage == "flipped":
        data[-5] ^= 1
    victim.write_bytes({"truncated": data[:-9], "flipped": data, "empty": b""}[damage])
    assert evaluate(*mini, NAMES, resume=folder).to_dict() == usual
    assert "is damaged: its chunk is computed again" in caplog.text


def test_a_chunk_of_another_run_is_not_taken(mini, usual, tmp_path, caplog):
    folder, other = tmp_path / "run", tmp_path / "other"
    evaluate(*mini, NAMES, chunk=50, resume=folder)
    evaluate(*mini, NAMES[::-1], chunk=50, resume=other)
    name = sorted(path.name for path in folder.glob("chunk-*"))[2]
    (folder / name).write_bytes((other / name).read_bytes())
    (folder / "thesis.part").write_text("precious")
    assert evaluate(*mini, NAMES, resume=folder).to_dict() == usual
    assert "computed again" in caplog.text
    assert (folder / "thesis.part").exists()


def test_the_same_run_from_files_and_from_memory(mini, usual, tmp_path):
    evaluate(*mini, NAMES, chunk=50, resume=tmp_path / "run")
    systems = {"knn30": LabelFile(FILES[2]), "topdown_lcpn": LabelFile(FILES[3])}
    assert evaluate(mini[0], LabelFile(FILES[1]), systems, NAMES, resume=tmp_path / "run").to_dict() == usual


def test_a_disk_that_fills_up_keeps_what_it_had(mini, usual, tmp_path):
    """A limit on the size of files stands for the disk: small chunks fit, a large one does not; then room is made."""
    folder = tmp_path / "run"
    h, true, systems = mini
    evaluate(h, true, systems, NAMES, chunk=50, resume=folder)
    files = sorted(folder.glob("chunk-*"))
    kept = {file.name: file.read_bytes() for file in files[:3]}
    for file in files[3:]:
        file.unlink()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    usual_handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, limits[1]))
    try:
        with pytest.raises(UnwritableFile, match="cannot write"):
            evaluate(h, true, systems, NAMES, resume=folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, usual_handler)
    assert {file.name: file.read_bytes() for file in folder.glob("chunk-*")} == kept
    assert evaluate(h, true, systems, NAMES, resume=folder).to_dict() == usual


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_says_how_to_go_on(tmp_path, workers):
    """With many rows, so that the run takes a while; Ctrl-C goes to the workers, too."""
    gold, pred = tmp_path / "gold.txt", tmp_path / "pred.txt"
    gold.write_text(Path(FILES[1]).read_text() * 100)
    pred.write_text(Path(FILES[2]).read_text() * 100)
    command = [
        sys.executable,
        "-m",
        "hemlp",
        "evaluate",
        FILES[0],
        str(gold),
        str(pred),
        "-m",
        "F_LCA",
        "--chunk",
        "50",
    ]
    command += ["--resume", str(tmp_path / "run")]
    command += ["--workers", workers]
    process = start(command)
    while not list((tmp_path / "run").glob("chunk-*")) if (tmp_path / "run").exists() else True:
        time.sleep(0.02)
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    out, error = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert f"hemlp: interrupted; go on with --resume {tmp_path / 'run'}" in error
    assert "Traceback" not in error
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "pred" in done.stdout


def test_a_stored_evaluation_is_like_any_other(mini, tmp_path):
    plain, stored = evaluate(*mini, NAMES), evaluate(*mini, NAMES, chunk=30, resume=tmp_path / "run")
    assert stored.stored is not None
    assert str(stored.table()) == str(plain.table())
    assert str(stored.compare("knn30", "topdown_lcpn")) == str(plain.compare("knn30", "topdown_lcpn"))
    assert np.array_equal(stored.per_instance("knn30", "F_LCA", "lcas"), plain.per_instance("knn30", "F_LCA", "lcas"))
    stored.to_json(tmp_path / "e.json")
    assert Evaluation.from_json(tmp_path / "e.json").to_dict() == plain.to_dict()
    with pytest.raises(InvalidOption, match="no column"):
        stored.per_instance("knn30", "F_LCA", "lca")
    assert measure("F_LCA").name in stored.scores["knn30"]["F_LCA"].columns


def test_ids_are_written_beside_their_rows_in_every_chunk(tmp_path):
    gold = {f"d{k}": ["sheep" if k % 3 else "cow"] for k in range(7)}
    pred = {f"d{k}": ["sheep"] for k in (3, 0, 6, 1, 2, 5, 4)}
    stored = evaluate(H, gold, {"A": pred}, ["F"], chunk=2, resume=tmp_path / "run")
    write_per_instance(stored, tmp_path)
    lines = [line.split(",")[:2] for line in (tmp_path / "A.csv").read_text().splitlines()[1:]]
    assert lines == [[f"d{k}", "1.0" if k % 3 else "0.0"] for k in range(7)]


# ---- a cluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    distributed = pytest.importorskip("distributed")
    os.environ["HUNGRY"] = str(tmp_path_factory.mktemp("cluster") / "times")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", host="127.0.0.1"
    ) as made:
        yield made
    del os.environ["HUNGRY"]


def test_a_dask_cluster_by_the_command_line(cluster, uninterrupted, tmp_path):
    options = [word for name in NAMES for word in ("-m", name)]
    command = [sys.executable, "-m", "hemlp", "evaluate", *FILES, *options, "--dask", cluster.scheduler_address]
    command += ["--chunk", "30", "--json", str(tmp_path / "all.json")]
    subprocess.run(command, check=True, capture_output=True)
    assert (tmp_path / "all.json").read_bytes() == uninterrupted.read_bytes()


def test_a_dask_worker_that_is_killed(cluster, mini, usual):
    with cluster.get_client() as client:
        assert evaluate(*mini, NAMES, executor=client.get_executor(), chunk=25).to_dict() == usual
        m = PairMeasure("m", Bounds((1, 1), (1, 1)), cost=hungry.kills_once, default_cost=5)
        true, pred = ["cow", "sheep"] * 20, ["cow", "cow"] * 20
        values = evaluate(H, true, pred, [m], executor=client.get_executor(), chunk=5).per_instance("system", "m")
        assert values.tolist() == [0.0, 1.0] * 20
        assert Path(os.environ["HUNGRY"]).stat().st_size > 1


def test_arrays_arrive_where_numbers_can_be_read(cluster):
    """Dask leaves arrays anywhere within a message; compiled code reads numbers where C expects them."""
    items = [("x" * k, [np.arange(100 + k), np.ones(3)]) for k in range(8)]
    with cluster.get_client() as client:
        found = map_unordered(lambda _, item: [a.ctypes.data % 8 for a in item[1]], None, items, client.get_executor())
        assert [places for _, places in found] == [[0, 0]] * 8


def test_no_cluster_at_the_address():
    out = subprocess.run(
        [sys.executable, "-m", "hemlp", "evaluate", *FILES[:3], "--dask", "tcp://127.0.0.1:9"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert out.returncode == 1
    assert "no Dask scheduler answers" in out.stderr
    assert "Traceback" not in out.stderr
