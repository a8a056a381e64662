"""Hard instances are solved after all others, each by itself, and nothing about the results shows it."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from hemlp import Batch, evaluate, examples, measure
from hemlp.errors import InvalidOption
from hemlp.optimize.program import Status
from hemlp.run import workers
from hemlp.run.workers import Chunk
from hemlp.solvers.registry import POLICIES

KIND = "hemlp.problems.lca.model:LcaModel"
NAMES = ["F_H", "P_LCA", "F_LCA", "GIE"]


@pytest.fixture(scope="module")
def data():
    example = examples.mesh_mini()
    return example.hierarchy, example.true, {name: example.systems[name] for name in ("knn30", "topdown_lcpn")}


@pytest.fixture(scope="module")
def usual(data):
    return evaluate(*data, NAMES, solver=None).to_dict()


@pytest.fixture
def many_hard(monkeypatch):
    """Whatever has more than one partial choice is hard."""
    policy = replace(POLICIES[KIND], phases=("search(states=1, programs='never')", "search"))
    monkeypatch.setitem(POLICIES, KIND, policy)


@pytest.fixture
def seen(monkeypatch):
    """Chunks in the order in which they were made: how many rows, and whether they were to be quick."""
    made = []

    def noted(system, start, batch, round):
        made.append((len(batch), round == 0))
        return Chunk(system, start, batch, round)

    monkeypatch.setattr(workers, "Chunk", noted)
    return made


def test_a_quick_search_leaves_what_is_hard(data):
    batch = Batch.of(data[0], data[1], data[2]["topdown_lcpn"])
    model = measure("F_LCA").model(batch)
    quick, whole = model.solve("search(states=1, programs='never')"), model.solve()
    unsolved = np.array([each is Status.UNSOLVED for each in (quick.by_instance[i].status for i in range(len(batch)))])
    assert 0 < unsolved.sum() < len(batch)
    assert quick.sums[~unsolved].tolist() == whole.sums[~unsolved].tolist()
    assert quick.lcas[~unsolved].tolist() == whole.lcas[~unsolved].tolist()
    assert model.check(quick)
    assert model[int(np.flatnonzero(unsolved)[0])].solve("search(states=1, programs='never')").status is Status.UNSOLVED


def test_parts_at_once(data):
    batch = Batch.of(data[0], data[1], data[2]["topdown_lcpn"])[:60]
    model = measure("F_LCA").model(batch)
    for states in (2, 20_000):
        parts = model.solve(f"search(states={states}, programs='at once')", verify=True)
        assert parts.sums.tolist() == model.solve().sums.tolist()
        assert set(parts.steps.tolist()) <= {1, 2}
    with pytest.raises(InvalidOption, match="programs"):
        model.solve("search(programs='before')")


@pytest.mark.parametrize("chunk", [7, 20_000])
def test_two_rounds_give_the_same(data, usual, many_hard, seen, chunk):
    assert evaluate(*data, NAMES, chunk=chunk).to_dict() == usual
    rounds = [quick for _, quick in seen]
    assert rounds == sorted(rounds, reverse=True)  # no hard one before the last easy one
    assert 0 < rounds.count(False) < sum(rows for rows, quick in seen if quick)
    assert {rows for rows, quick in seen if not quick} == {1}


def test_others_share_the_hard_ones(data, usual, many_hard):
    with ThreadPoolExecutor(3) as pool:
        assert evaluate(*data, NAMES, executor=pool, chunk=9).to_dict() == usual


def test_a_run_that_was_stopped_between_the_rounds(tmp_path, data, usual, many_hard, seen, monkeypatch):
    def stopped(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(workers, "_amend", stopped)
        with pytest.raises(KeyboardInterrupt):
            evaluate(*data, NAMES, resume=tmp_path / "run", chunk=20)
    seen.clear()
    assert evaluate(*data, NAMES, resume=tmp_path / "run").to_dict() == usual
    assert seen
    assert not any(quick for _, quick in seen)  # the first round was there
    seen.clear()
    assert evaluate(*data, NAMES, resume=tmp_path / "run").to_dict() == usual
    assert not seen


def test_files_are_read_again_for_the_hard_ones(tmp_path, data, usual, many_hard):
    folder = examples.DATA / "mesh_mini"
    files = {name: folder / f"pred_{name}.txt" for name in data[2]}
    streamed = evaluate(folder / "hierarchy.txt", folder / "gold.txt", files, NAMES, memory="1GB", chunk=11)
    assert streamed.to_dict()["systems"] == usual["systems"]
    assert streamed.to_dict()["status"] == usual["status"]


def test_a_solver_of_the_users_choice_is_asked_once(data, seen):
    evaluate(*data, ["F_LCA"], solver="search(states=1, programs='never')", undefined="nan", chunk=50)
    assert not any(quick for _, quick in seen)
    assert {rows for rows, _ in seen} != {1}


def test_the_bar_says_what_is_done(data, many_hard, capsys, monkeypatch):
    from hemlp.processes.progress import Progress

    monkeypatch.setattr(Progress, "patience", -1.0)
    evaluate(*data, NAMES, progress=True)
    assert "hard instances" in capsys.readouterr().err
