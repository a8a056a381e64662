"""Decisions: reference values, enumeration in exact fractions, programs against the fast ways, risks and floors."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import hemlp
from hemlp import Belief, Hierarchy, LabelSets, decide, evaluate, measure
from hemlp.errors import InvalidOption, InvalidSolution
from hemlp.problems.decision.model import DecisionModel
from hemlp.solvers.registry import BaseSolver
from hemlp.testing import check_solver
from tests.decide_by_enumeration import enumerate_best, random_world, subsets

ROWS = [json.loads(line) for line in (Path(__file__).parent / "data/decide.jsonl").read_text().splitlines()]
CASES = (
    ("SDL", {}), ("SDL", {"top": True}), ("SDL", {"weights": True}), ("ICM", {"weights": True}),
    ("F_H", {}), ("F_H", {"beta": 2}), ("F_H", {"top": True}), ("F_H", {"beta": 0.5, "top": True}), ("F", {}),
    ("F", {"beta": 2}), ("accuracy", {}), ("GIE", {"default": 5}), ("GIE", {"default": 2}), ("GIE", {"default": 1.5}),
)  # fmt: skip


def sets(rows):
    return LabelSets.of(rows, rows="sets")


def as_systems(scenarios):
    systems = {str(k): sets([list(labels)]) for k, (_, labels) in enumerate(scenarios)}
    return systems, {str(k): q for k, (q, _) in enumerate(scenarios)}


def made(name, options, weights):
    names = {"default": "default_cost"}
    given = {names.get(key, key): value for key, value in options.items()}
    if "weights" in given:
        given["weights"] = dict(enumerate(weights))
    return measure(name, **given)


def compare_with_enumeration(seed, count, cases=CASES, per_world=4):
    """The number of comparisons; every one is equal, values and sets."""
    rng, done = np.random.default_rng(seed), 0
    for _ in range(count):
        world, scenarios, weights = random_world(rng)
        h = Hierarchy.from_edges(world.edges, classes=range(world.size))
        systems, masses = as_systems(scenarios)
        for k in rng.choice(len(cases), min(per_world, len(cases)), replace=False):
            name, options = cases[int(k)]
            at_least = int(rng.integers(0, 2))
            plain = {key: weights if key == "weights" else value for key, value in options.items()}
            wanted, answer = enumerate_best(world, scenarios, name, at_least, **plain)
            d = decide(h, systems, made(name, options, weights), weights=masses, at_least=at_least)
            where = f"{name} {options} at_least={at_least}: {world.edges} {scenarios} {weights}"
            assert d.expected[0] == pytest.approx(float(wanted), rel=1e-12, abs=1e-12), where
            assert tuple(sorted(d.sets[0])) == answer, where
            assert d.status == {"optimal": 1}, where
            done += 1
    return done


def test_enumeration_in_exact_fractions_gives_the_same_values_and_sets():
    assert compare_with_enumeration(seed=1, count=40) == 160


@pytest.mark.parametrize("row", range(len(ROWS)))
def test_reference_values(row):
    r = ROWS[row]
    h = Hierarchy.from_edges([tuple(edge) for edge in r["edges"]], classes=range(r["classes"]))
    own = {int(k): v for k, v in r["weights"].items()}
    measures = {
        "SDL": measure("SDL"), "SDL_weighted": measure("SDL", weights=own), "ICM": measure("ICM", weights=own),
        "F_H": measure("F_H"), "F_H(beta=2)": measure("F_H(beta=2)"), "F": measure("F"),
        "accuracy": measure("accuracy"), "GIE(D=5)": measure("GIE"), "GIE(D=2)": measure("GIE(default_cost=2)"),
    }  # fmt: skip
    systems, masses = as_systems([(Fraction(*q), labels) for q, labels in r["scenarios"]])
    for at_least, key in ((0, "values"), (1, "at_least_1")):
        for name, wanted in r[key].items():
            d = decide(h, systems, measures[name], weights=masses, at_least=at_least)
            assert d.expected[0] == pytest.approx(wanted["expected"], abs=1e-12), (name, key)
            assert sorted(d.sets[0]) == sorted(wanted["set"]), (name, key)


TREE = [("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird"), ("bird", "owl")]


def test_floats_that_are_equal_weights_give_the_same_answers():
    rng = np.random.default_rng(3)
    for _ in range(8):
        world, scenarios, _ = random_world(rng)
        h = Hierarchy.from_edges(world.edges, classes=range(world.size))
        systems, _ = as_systems(scenarios)
        for name in ("SDL", "F_H", "F", "GIE"):
            exact, rounded = decide(h, systems, name), decide(h, systems, name, weights=dict.fromkeys(systems, 0.1))
            assert list(exact.sets) == list(rounded.sets)
            assert exact.expected == pytest.approx(rounded.expected)


def test_weighted_f_has_a_bound_that_holds():
    rng, proved = np.random.default_rng(4), 0
    for _ in range(15):
        world, scenarios, weights = random_world(rng)
        h = Hierarchy.from_edges(world.edges, classes=range(world.size))
        systems, masses = as_systems(scenarios)
        own = measure("F_H", weights=dict(enumerate(weights)))
        d = decide(h, systems, own, weights=masses)
        best = max(
            sum(float(q) * float(own.score(h, list(t), list(answer))) for q, t in scenarios)
            for answer in {world.specific(world.closure(s)) for s in subsets(range(world.size))}
        )
        assert d.expected[0] <= best + 1e-12 <= d.bounds[0] + 1e-9
        proved += d.bounds[0] - d.expected[0] < 1e-9
    assert proved > 2


def test_other_measures_take_the_best_of_a_pool():
    h = Hierarchy.from_edges(TREE)
    systems = {"A": ["sheep", "owl"], "B": ["cow", "owl"], "C": ["sheep", "bird"]}
    for name in ("jaccard", "MGIA", "F_LCA", "F_H(horizon=2)", "GIE(horizon=2)", "F_De", "matched_F(cost='wu_palmer')"):
        d = decide(h, systems, name)
        assert d.status == {"feasible": 2}
        assert (d.candidates > 3).all()
        truths = list(zip(*systems.values(), strict=True))
        for row, answer in enumerate(d.sets):
            values = [float(d.measure.score(h, [t], list(answer))) for t in truths[row]]
            assert d.expected[row] == pytest.approx(np.mean(values))


def test_models_are_programs_and_false_claims_are_refused():
    h = Hierarchy.from_edges(TREE)
    systems = {"A": [["sheep", "owl"]], "B": [["cow"]], "C": [["sheep"]]}

    class Stubborn:
        name = "stubborn"

        def available(self):
            return None

        def accepts(self, model):
            return True

        def solve(self, model, time_limit):
            return model.solution([model.solve().answers[0].tolist()[:0]])

    for name in ("SDL", "F_H", "F", "GIE", "ICM_even"):
        own = hemlp.SetMeasure("even", "ancestors", score="ICM") if name == "ICM_even" else name
        model = decide(h, systems, own).model(0)
        assert model.to_lp().rstrip().endswith("End")
        usual = model.solve()
        assert model.solve("milp").objective == pytest.approx(usual.objective)
        assert model.verify(usual)
        wrong = Stubborn().solve(model, None)
        with pytest.raises(InvalidSolution):
            model.verify(wrong)
        lowered = model.solve(Stubborn())
        assert lowered.statuses.tolist() == [1]
        assert lowered.bounds == pytest.approx(usual.objectives)


class Answering(BaseSolver):
    name = "silent"
    kinds = (DecisionModel,)


def test_solvers_keep_their_contract():
    check_solver("consensus", count=20)
    check_solver("subsets", count=20)

    class Silent(Answering):
        def solve_batch(self, model):
            return model.solution([[]] * len(model))

    for name in ("SDL", "F_H", "GIE"):
        models = [decide(Hierarchy.from_edges(TREE), {"A": ["sheep"], "B": ["sheep"]}, name).model(0)]
        check_solver("milp", models)
        with pytest.raises(InvalidSolution):
            check_solver(Silent(), models)


def test_prices_of_the_relaxation_leave_the_same_answers(monkeypatch):
    monkeypatch.setattr("hemlp.solvers.decisions.FEW", 0)
    monkeypatch.setattr("hemlp.solvers.decisions.JOIN", 2)
    assert compare_with_enumeration(seed=12, count=25, cases=CASES[-3:], per_world=2) == 50


@pytest.mark.uncompiled
def test_the_sweep_runs_uncompiled():
    assert compare_with_enumeration(seed=9, count=8, cases=CASES[4:10]) == 32


@pytest.mark.parametrize("row", range(0, len(ROWS), 3))
def test_floors(row):
    r = ROWS[row]
    h = Hierarchy.from_edges([tuple(edge) for edge in r["edges"]], classes=range(r["classes"]))
    own = measure("ICM", weights={int(k): v for k, v in r["weights"].items()})
    ev = evaluate(h, sets(r["gold"]), {"a": sets(r["pred"])}, {"SDL": "SDL", "F_H": "F_H", "ICM": own, "GIE": "GIE"})
    for name in ("SDL", "F_H", "ICM"):
        f = ev.floor(name)
        wanted, answer = r["floor"]["best_constant"][name]
        assert (f.best_constant, sorted(f.answer)) == (pytest.approx(wanted), sorted(answer))
        assert f.shuffled["a"] == pytest.approx(r["floor"]["shuffled"][name])
        if r["floor"]["corrected"][name] is not None:
            assert f.corrected["a"] == pytest.approx(r["floor"]["corrected"][name])
        assert f.optimistic
        assert not ev.floor(name, corpus=sets(r["gold"])).optimistic
    assert ev.floor("GIE").best_constant == pytest.approx(r["floor"]["best_constant"]["GIE(D=5)"][0])


def test_marginals_are_exact_for_sums_and_sampled_for_others():
    h = Hierarchy.from_edges(TREE)
    belief = Belief.marginals([{"sheep": 0.7, "cow": 0.2, "mammal": 0.1, "owl": 0.3}])
    d = decide(h, belief, "SDL")
    assert (list(d.sets), d.status, d.expected[0]) == ([("sheep",)], {"optimal": 1}, pytest.approx(1.7))
    d = decide(h, belief, "F_H")
    assert (list(d.sets), d.status) == ([("sheep",)], {"sampled": 1})
    assert d.sampled < 0.1
    diamond = Hierarchy.from_edges([(0, 1), (0, 2), (1, 3), (2, 3)])
    d = decide(diamond, Belief.marginals([{0: 1.0, 1: 0.5, 2: 0.5, 3: 0.5}]), "F_H")
    assert 0.15 < d.sampled < 0.35  # 1 and 2 are drawn apart


def risky(rng, size):
    """Gold and samples of a noisy annotator."""
    leaves = ["sheep", "cow", "owl"]
    gold = rng.choice(leaves, size)
    noise = rng.choice(leaves, (size, 5))
    drawn = np.where(rng.random((size, 5)) < rng.uniform(0.3, 1, size)[:, None], gold[:, None], noise)
    return [[g] for g in gold.tolist()], Belief.samples([[[x] for x in row] for row in drawn.tolist()])


def test_the_risk_is_kept_on_average():
    h, rng, risks = Hierarchy.from_edges(TREE), np.random.default_rng(5), []
    closure = {label: h.ancestors(label) | {label} for label in h}
    for _ in range(12):
        dev, (gold, belief) = risky(rng, 60), risky(rng, 100)
        d = decide(h, belief, "SDL", risk=0.1, dev=dev)
        wrong = [any(c not in closure[t[0]] for c in answer) for t, answer in zip(gold, d.sets, strict=True)]
        risks.append(np.mean(wrong))
    assert np.mean(risks) <= 0.1 + 2 * np.std(risks) / np.sqrt(len(risks))
    assert "expected at most 0.1" in str(d)
    few = decide(h, belief, "SDL", risk=0.01, dev=risky(rng, 20))  # α < 1 / (n + 1)
    assert set(few.sets) == {()}
    lam = decide(
        h,
        Belief.samples([[["sheep"]]]),
        "SDL",
        risk=0.5,
        dev=([["cow"], ["owl"]], Belief.samples([[["cow"]], [["cow"]]])),
    )
    assert lam.guarantee.threshold == 1.0  # one of two errs: (2·½ + 1)/3 > ½ until nothing is answered


def test_the_threshold_and_the_curve_are_what_the_definition_says():
    h, rng = Hierarchy.from_edges([*TREE, ("sheep", "lamb"), ("bird", "lamb")]), np.random.default_rng(8)
    labels, closure = list(h), {label: h.ancestors(label) | {label} for label in h}
    for _ in range(10):
        size = int(rng.integers(1, 25))
        gold = [rng.choice(labels, int(rng.integers(0, 3))).tolist() for _ in range(size)]
        samples = [[rng.choice(labels, int(rng.integers(0, 3))).tolist() for _ in range(3)] for _ in range(size)]
        votes = [{v: sum(any(v in closure[x] for x in own) for own in row) / 3 for v in labels} for row in samples]

        def at(lam, votes=votes, gold=gold):
            sides = [[v for v, m in own.items() if m > lam + 1e-9] for own in votes]
            wrong = [
                any(all(v not in closure[t] for t in true) for v in own) for own, true in zip(sides, gold, strict=True)
            ]
            deep = [max(h.depth(v) for v in own) for own in sides if own]
            return np.mean(wrong), np.mean([bool(own) for own in sides]), np.mean(deep) if deep else np.nan

        for alpha in (0.5, 0.2, 0.05):
            d = decide(h, Belief.samples(samples), "SDL", risk=alpha, dev=(sets(gold), Belief.samples(samples)))
            good = [lam for lam in (0, 1 / 3, 2 / 3, 1) if (size * at(lam)[0] + 1) / (size + 1) <= alpha + 1e-12]
            assert d.guarantee.threshold == pytest.approx(min(good, default=np.inf))
            for lam, *rest in d.guarantee.curve:
                assert rest == pytest.approx(at(lam), nan_ok=True)
            note = f"expected at most {alpha:g} (conformal risk control on {size} development instances"
            assert note in str(d.guarantee.table())


def test_label_sets_that_are_drawn_are_the_most_specific_classes():
    h = Hierarchy.from_edges(TREE)
    belief = Belief.marginals([{"sheep": 1.0, "owl": 0.3}])
    drawn = {frozenset(h.labels[c] for c in own) for own in belief.drawn(h)[0].sets}
    assert drawn == {frozenset({"sheep"}), frozenset({"sheep", "owl"})}
    d = decide(h, belief, "GIE")  # not {animal, mammal, sheep}
    assert (list(d.sets), d.status) == ([("sheep",)], {"sampled": 1})


def test_explanations_say_what_would_have_to_change():
    rng, changed = np.random.default_rng(10), 0
    for _ in range(12):
        world, scenarios, _ = random_world(rng)
        h = Hierarchy.from_edges(world.edges, classes=range(world.size))
        systems, masses = as_systems(scenarios)
        for name in ("F_H", "SDL", "GIE", "F"):
            d = decide(h, systems, name, weights=masses)
            table = d.explain(0)
            assert table.columns[-1] == "needs"
            needs = [row[-1] for row in table.rows]
            assert all(gain <= 1e-9 for *_, gain, _ in table.rows)
            for need in {each for each in needs if each < 5}:
                heavier = [{**masses, k: float(masses[k]) + need * 1.01 + 1e-6} for k in masses]
                heavier = [{k: float(w) for k, w in own.items()} for own in heavier]
                answers = {tuple(decide(h, systems, name, weights=own).sets[0]) for own in heavier}
                assert answers != {tuple(d.sets[0])}
                changed += 1
    assert changed > 20
    linear = decide(Hierarchy.from_edges(TREE), Belief.marginals([{"sheep": 0.7, "owl": 0.3}]), "SDL").explain(0)
    assert {row[0]: row[-1] for row in linear.rows} == pytest.approx(
        {"animal": 0.2, "mammal": 0.2, "sheep": 0.2, "bird": 0.2, "owl": 0.2}
    )


def test_fitted_votes_trust_the_better_system():
    h, rng = Hierarchy.from_edges(TREE), np.random.default_rng(6)
    leaves = np.array(["sheep", "cow", "owl"])

    def data(size):
        gold = rng.choice(leaves, size)
        good = np.where(rng.random(size) < 0.95, gold, rng.choice(leaves, size))
        return gold.tolist(), {
            "good": good.tolist(),
            "x": rng.choice(leaves, size).tolist(),
            "y": rng.choice(leaves, size).tolist(),
        }

    dev, (gold, systems) = data(150), data(60)
    plain, fitted = decide(h, systems, "SDL"), decide(h, systems, "SDL", weights="fit", dev=dev)
    ev = evaluate(h, gold, {"plain": plain.sets, "fitted": fitted.sets}, ["SDL"])
    assert ev.mean("fitted", "SDL") < ev.mean("plain", "SDL") - 0.2
    assert any("calibrated" in note for note in fitted.notes)


def test_bad_options_are_named():
    h, systems = Hierarchy.from_edges(TREE), {"A": ["sheep"], "B": ["cow"]}
    for options in (
        {"weights": {"C": 1}}, {"weights": {"A": 0}}, {"weights": "best"},
        {"weights": "fit", "risk": 0.1, "dev": (["cow"], systems)}, {"at_least": 2}, {"risk": 0.1},
        {"weights": {"A": Fraction(1, 10**12 + 1)}}, {"dev": (["cow"], systems)},
        {"risk": 2, "dev": (["cow"], systems)}, {"risk": 0.1, "at_least": 1, "dev": (["cow"], systems)},
    ):  # fmt: skip
        with pytest.raises(InvalidOption):
            decide(h, systems, "F_H", **options)
    with pytest.raises(InvalidOption):
        decide(h, Belief.samples([[["cow"]]]), "F_H", weights={"A": 1})
    with pytest.raises(hemlp.errors.InvalidScores):
        Belief.marginals([{"cow": 2.0}])


def test_command_line(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from hemlp.cli.main import commands

    monkeypatch.chdir(tmp_path)
    Path("h.txt").write_text("".join(f"{a} {b}\n" for a, b in TREE))
    for name, rows in {"a": "sheep\nowl\n", "b": "cow\nowl\n", "c": "sheep\nbird\n", "gold": "sheep\nowl\n"}.items():
        Path(f"{name}.txt").write_text(rows)

    def run(words):
        return CliRunner().invoke(commands, words.split(" "))

    out = run("decide h.txt a.txt b.txt c.txt -m F_H -o d.txt --true gold.txt")
    assert (out.exit_code, Path("d.txt").read_text()) == (0, "sheep\nowl\n")
    assert all(word in out.output for word in ("decided", "majority", "best sample"))
    out = run("decide h.txt a.txt b.txt c.txt -m GIE --row 1 --weights b=5 -o d.jsonl")
    assert (out.exit_code, Path("d.jsonl").read_text().splitlines()[0]) == (0, '["cow"]')
    assert "gain of a change" in out.output
    out = run("evaluate h.txt gold.txt a.txt b.txt -m F_H -m SDL --floor")
    assert out.exit_code == 0
    assert all(word in out.output for word in ("best constant (optimistic)", "shuffled a", "corrected b"))
    assert "optimistic" not in run("evaluate h.txt gold.txt a.txt -m SDL --floor gold.txt").output
    out = run("decide h.txt a.txt b.txt --risk 0.5 --dev a=a.txt --dev b=b.txt --dev-true gold.txt")
    said = "expected at most 0.5 (conformal risk control on 2 development instances"
    assert said in out.output
    assert all(word in out.output for word in ("coverage", "depth"))
    out = run(
        "decide h.txt a.txt b.txt --risk 0.5 --dev a=a.txt --dev b=b.txt --dev-true gold.txt -o e.txt --true gold.txt"
    )
    assert said in out.output
