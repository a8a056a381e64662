"""Signals end a run at once, whatever it is doing: with their exit code, one line, and nothing unfinished."""

from __future__ import annotations

import contextvars
import os
import pty
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hemlp.processes.interrupts import Abandoned, run_interruptible
from tests.processes import (
    FILES,
    HEMLP,
    PATIENCE,
    ROOT,
    begun,
    end_of,
    environment,
    many_rows,
    session,
    start,
    until,
    usual_signals,
)

SOLVING = ["compiled", "cpsat", "milp", "pulp", "flow", "networkx"]
STUDY = """
hierarchy = "{0}"
true = "{1}"
measures = {4}

[systems]
knn = "{2}"
topdown = "{3}"
{5}
[options]
resume = "run"
chunk = 9

[outputs]
json = "all.json"
"""
LOOSE = """
[[measure]]
name = "loose"
predicted = [1, 2]
true = [1, "ALL"]
default_cost = 5
cost = "{}"
"""


def interrupted(folder: Path, step: str, *arguments: str, number: int = signal.SIGINT, after: int = 0):
    """Exit code, output and errors of a process that is interrupted in a step that never ends."""
    mark = folder / "begun"
    changes = environment(ENDLESS_BEGUN=str(mark), ENDLESS_AFTER=str(after), PYTHONPATH=str(ROOT), TMPDIR=str(folder))
    process = start([sys.executable, str(ROOT / "tests" / "endless.py"), step, *arguments], cwd=folder, env=changes)
    until(mark.exists, process)
    mark.unlink()
    time.sleep(0.1)  # a little into it
    os.kill(process.pid, number)
    return end_of(process)


def write_study(folder: Path, step: str) -> None:
    folder.mkdir(exist_ok=True)
    cost = "shortest_path(decay=0.3)" if step == "milp" else "shortest_path"
    own = ("['F_H']", "") if step == "compiled" else ("[]", LOOSE.format(cost))
    (folder / "study.toml").write_text(STUDY.format(*FILES, *own))


@pytest.mark.parametrize("step", SOLVING)
def test_ctrl_c_while_solving_keeps_nothing_unfinished(tmp_path, step):
    """Some chunks are finished; a resumed run gives the bytes of one that was never disturbed."""
    here, other = tmp_path / "here", tmp_path / "other"
    for folder in (here, other):
        write_study(folder, step)
    code, out, error = interrupted(here, step, "run", "study.toml", after=3 if step in ("compiled", "flow") else 40)
    assert (code, out) == (130, "")
    assert error.splitlines()[-1] == "hemlp: interrupted; repeat the command to go on"
    assert "Traceback" not in error
    names = {file.name for file in (here / "run").iterdir()}
    assert len(names) > 2
    assert not [name for name in names if name.endswith(".part")]
    for folder in (here, other):
        subprocess.run([*HEMLP, "run", "study.toml"], cwd=folder, check=True, capture_output=True)
    assert (here / "all.json").read_bytes() == (other / "all.json").read_bytes()
    assert names <= {file.name for file in (other / "run").iterdir()}
    for file in (here / "run").iterdir():
        assert file.read_bytes() == (other / "run" / file.name).read_bytes()


@pytest.mark.parametrize("step", SOLVING)
def test_ctrl_c_in_evaluate_is_a_keyboard_interrupt(tmp_path, step):
    assert interrupted(tmp_path, step) == (0, "KeyboardInterrupt\n", "")


def test_ctrl_c_in_a_score_by_cp_sat_is_a_keyboard_interrupt(tmp_path):
    assert interrupted(tmp_path, "cpsat", "score", after=5) == (0, "KeyboardInterrupt\n", "")


SIGNALS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated", signal.SIGHUP: "hung up"}


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("memory", [[], ["--memory", "2GB"]])
def test_signals_while_writing_leave_no_part(tmp_path, number, memory):
    arguments = ["evaluate", *FILES, "-m", "F_H", "--json", "all.json", "--per-instance", "rows", *memory]
    code, out, error = interrupted(tmp_path, "writing", *arguments, number=number)
    assert (code, out) == (128 + number, "")
    advice = (
        "; --resume DIR would have kept finished chunks" if memory else ""
    )  # with a limit it scores and writes by turns
    assert error.endswith(f"hemlp: {SIGNALS[number]}{advice}\n")
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []
    assert list(tmp_path.glob("hemlp-run-*")) == []


COMMANDS = {
    "evaluate": ["evaluate", *FILES, "-m", "F_H"],
    "run": ["run", "study.toml"],
    "explain": ["explain", *FILES[:3], "-m", "F_H"],
    "diagnose": ["diagnose", *FILES[:3]],
    "model": ["model", *FILES[:3]],
    "compare-exact": ["compare-exact", *FILES[:3], "--sample", "3"],
    "measures": ["measures"],
    "cases": ["cases", "2a"],
    "properties": ["properties", "GIE", "--classes", "2"],
    "agreement": ["agreement", FILES[0], f"A={FILES[1]}", f"B={FILES[2]}"],
    "compare-versions": ["compare-versions", FILES[0], FILES[0], *FILES[1:3]],
    "decide": ["decide", FILES[0], f"A={FILES[1]}", f"B={FILES[2]}"],
    "sample-size": ["sample-size", *FILES, "-m", "F_H"],
    "play": ["play", "--no-browser"],
    "demo": ["demo"],
    "curve": ["curve", *FILES[:2], "scores.tsv", "-m", "F_H"],
    "cafa": ["cafa", *FILES[:2], "scores.tsv"],
    "tune": ["tune", *FILES[:2], "scores.tsv", "-m", "F_H"],
    "sensitivity": ["sensitivity", *FILES, "-m", "GIE"],
    "ic": ["ic", *FILES[:2]],
    "check": ["check", *FILES[:2]],
    "convert": ["convert", FILES[0], "edges.tsv"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_ends_with_one_line(tmp_path, command):
    write_study(tmp_path, "compiled")
    labels = Path(FILES[1]).read_text().split()
    (tmp_path / "scores.tsv").write_text("".join(f"1\t{label}\t0.5\n" for label in sorted(set(labels[:3]))))
    code, out, error = interrupted(tmp_path, "showing", *COMMANDS[command])
    assert (code, out) == (130, "")
    assert [line.partition(";")[0] for line in error.splitlines()] == ["hemlp: interrupted"]


def test_all_commands_are_tried():
    from hemlp.cli.main import commands

    assert set(COMMANDS) == set(commands.commands)


def test_ctrl_c_while_reading(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    process = start([*HEMLP, "evaluate", str(tmp_path / "pipe"), *FILES[1:3]])
    begun(process)
    os.kill(process.pid, signal.SIGINT)
    code, out, error = end_of(process)
    assert (code, out, error.count("\n")) == (130, "", 1)


def test_a_signal_that_is_ignored_stays_ignored(tmp_path):
    """As a shell does for what it runs in the background, and nohup for SIGHUP."""
    os.mkfifo(tmp_path / "pipe")

    def ignore():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    process = start([*HEMLP, "evaluate", str(tmp_path / "pipe"), *FILES[1:3], "-m", "F_H"], preexec_fn=ignore)
    begun(process)
    for number in (signal.SIGINT, signal.SIGHUP):
        os.kill(process.pid, number)
    (tmp_path / "pipe").write_text(Path(FILES[0]).read_text())
    assert end_of(process)[0] == 0


# ---- workers


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("group", [False, True], ids=["the process", "its group"])
def test_workers_end_with_the_process_that_started_them(tmp_path, number, group):
    run = tmp_path / "run"
    command = [*HEMLP, "evaluate", *many_rows(tmp_path, 300), "-m", "F_LCA", "--chunk", "50", "--workers", "2"]
    process = start([*command, "--resume", str(run)])
    until(lambda: run.exists() and list(run.glob("chunk-*.bin")), process)
    (os.killpg if group else os.kill)(process.pid, number)
    code, out, error = end_of(process)
    assert out == ""
    assert code == (-9 if number == signal.SIGKILL else 128 + number)
    assert "Traceback" not in error
    if number != signal.SIGKILL:
        assert not list(run.glob("*.part"))


IN_PROCESSES = ["evaluate", *FILES, "-m", "GIE", "--solver", "networkx", "--chunk", "50"]


IN_PYTHON = """
import hemlp, os, sys
from tests import hungry
m = hemlp.PairMeasure("m", hemlp.Bounds((1, 1), (1, 1)), cost=hungry.never_ends, default_cost=5)
h = hemlp.Hierarchy.from_edges([("a", "b"), ("a", "c")])
try:
    hemlp.evaluate(h, ["b", "c"], ["c", "b"], [m], workers=2, chunk=1)
except KeyboardInterrupt:
    print("KeyboardInterrupt")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_in_compiled_code_end_with_the_process_that_started_them(tmp_path, number):
    begun_file = tmp_path / "begun"
    process = start([sys.executable, "-c", IN_PYTHON], env=environment(ENDLESS_BEGUN=str(begun_file)), cwd=ROOT)
    until(lambda: begun_file.exists() and begun_file.stat().st_size == 2, process)
    os.kill(process.pid, number)
    code, out, _ = end_of(process)
    assert (code, out) == ((0, "KeyboardInterrupt\n") if number == signal.SIGINT else (-number, ""))


@pytest.mark.parametrize("wait", [0.0, 0.1, 0.2, 0.4])
def test_ctrl_c_in_a_terminal_is_not_for_workers(tmp_path, wait):
    """Whatever they are at, importing or scoring, they say nothing of it."""
    process = start([*HEMLP, *IN_PROCESSES, "--workers", "2"], env=environment(TMPDIR=str(tmp_path)))
    until(lambda: len(session(process.pid)) >= 3, process)
    time.sleep(wait)
    os.killpg(process.pid, signal.SIGINT)
    code, out, error = end_of(process)
    assert (code, out, error.partition(";")[0], error.count("\n")) == (130, "", "hemlp: interrupted", 1)


# ---- any moment


def disturbed(folder: Path, moments: random.Random, workers: str, uninterrupted: Path) -> int:
    """Interrupt a run at random moments until it is through; how often that was."""
    command = [*HEMLP, "evaluate", *FILES, "-m", "F_LCA", "-m", "GIE", "--chunk", "9", "--workers", workers]
    command += ["--resume", str(folder / "run"), "--json", str(folder / "all.json")]
    for times in range(1000):
        process = start(command)
        begun(process)
        try:
            process.wait(moments.uniform(0, 1 + times))  # later and later, until it is through on any machine
        except subprocess.TimeoutExpired:
            number = moments.choice([signal.SIGINT, signal.SIGTERM])
            moments.choice([os.kill, os.killpg])(process.pid, number)
            code, out, error = end_of(process)
            if code != 0:  # else it was ready
                assert (code, out) == (128 + number, "")
                assert [line.partition(";")[0] for line in error.splitlines()] == [f"hemlp: {SIGNALS[number]}"]
                assert not list(folder.rglob("*.part"))
                continue
        assert end_of(process)[0] == 0
        assert (folder / "all.json").read_bytes() == uninterrupted.read_bytes()
        return times
    raise AssertionError("no end")


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("whole") / "all.json"
    command = [*HEMLP, "evaluate", *FILES, "-m", "F_LCA", "-m", "GIE", "--chunk", "9", "--json", str(file)]
    subprocess.run(command, check=True, capture_output=True)
    return file


@pytest.mark.parametrize("workers", ["1", "2"])
def test_interrupted_at_random_moments_and_resumed_to_the_same_bytes(tmp_path, workers, uninterrupted):
    disturbed(tmp_path, random.Random(workers), workers, uninterrupted)


@pytest.mark.long
@pytest.mark.parametrize("workers", ["1", "2", "3"])
def test_interrupted_at_many_random_moments(tmp_path, workers, uninterrupted):
    moments = random.Random()
    times = 0
    for attempt in range(200):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        times += disturbed(folder, moments, workers, uninterrupted)
        if times > 60:
            return


def test_the_cursor_comes_back(tmp_path):
    """The bar of progress hides it."""
    ours, theirs = pty.openpty()
    command = [*HEMLP, "evaluate", *many_rows(tmp_path, 500), "-m", "F_LCA", "--chunk", "50"]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
                               preexec_fn=usual_signals)  # fmt: skip
    os.close(theirs)
    seen = b""
    while b"\x1b[?25l" not in seen:
        seen += os.read(ours, 4096)
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(PATIENCE) == 130
    rest = b""
    try:
        while piece := os.read(ours, 4096):
            rest += piece
    except OSError:  # the end of a terminal
        pass
    os.close(ours)
    assert b"\x1b[?25h" in rest
    assert b"hemlp: interrupted" in rest


# ---- the function behind it


def test_interruptible_is_a_call_like_any_other():
    variable = contextvars.ContextVar("variable", default=0)
    variable.set(3)
    assert run_interruptible(variable.get) == 3
    assert run_interruptible(threading.current_thread) is not threading.main_thread()
    with pytest.raises(ZeroDivisionError):
        run_interruptible(lambda: 1 // 0)
    with pytest.raises(SystemExit):
        run_interruptible(sys.exit)
    inner = []
    thread = threading.Thread(target=lambda: inner.append(run_interruptible(threading.current_thread)))
    thread.start()
    thread.join()
    assert inner == [thread]


@pytest.mark.parametrize("time", range(5))
def test_what_is_abandoned_ends_and_has_no_result(time):
    """An error in the thread that waits stands for a signal, which comes about when that thread looks for one."""
    ended, stopped, kept = threading.Event(), threading.Event(), []

    def solver():
        try:
            kept.append(run_interruptible(work, stop=stopped.set))
        except Abandoned:
            ended.set()

    def work():
        signal.setitimer(signal.ITIMER_REAL, 0.2)  # not before: on a busy machine the thread begins late
        stopped.wait(PATIENCE)

    def alarm(number, frame):
        raise TimeoutError

    usual = signal.signal(signal.SIGALRM, alarm)
    try:
        with pytest.raises(TimeoutError):
            run_interruptible(solver)
    finally:
        signal.signal(signal.SIGALRM, usual)
    assert ended.wait(PATIENCE)
    assert kept == []
