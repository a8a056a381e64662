"""Decisions: reference values, enumeration in exact fractions, programs against the fast ways, risks and floors."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import hemlp
from hemlp import Belief, Hierarchy, LabelSets, decide, evaluate, measure
from hemlp.errors import InvalidOption, InvalidSolution, MisalignedSides
from hemlp.problems.decision.model import DecisionModel
from hemlp.solvers.registry import BaseSolver
from hemlp.testing import check_solver
from tests.decide_by_enumeration import enumerate_best, random_world, subsets, value

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


def test_weights_of_any_size_are_shares():
    h, systems = Hierarchy.from_edges(TREE), {"A": ["sheep"], "B": ["cow"], "C": ["sheep"]}
    for weights, answer in (
        ({"A": 1e308, "B": 1e308, "C": 1e308}, "sheep"),
        ({"A": Fraction(97, 89), "B": 2 + Fraction(1, 10**12), "C": Fraction(81, 89)}, "cow"),
        ({"A": Fraction(97, 89), "B": 2, "C": Fraction(81, 89)}, "mammal"),
    ):
        assert list(decide(h, systems, "SDL", weights=weights).sets) == [(answer,)]


def test_weightless_classes_join_no_answer():
    """They change no weighted F, and of equally good answers the smallest is taken."""
    h = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("q", "c")])
    weights = {"r": 1, "a": 0, "b": 2, "q": 0, "c": 0}
    for own in (measure("F_H", weights=weights), measure("simGIC", weights=weights)):
        made = decide(h, {"A": [["a", "c"], ["c"], ["b", "c"]]}, own)
        assert list(made.sets) == [("r",), ("c",), ("b",)]
        assert made.expected.tolist() == [1, 1, 1]


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
        assert_best_of_a_pool(h, systems, measure(name))
    weights = {label: k / 3 for k, label in enumerate(h.labels)}
    for own in (measure("simGIC", weights=weights), hemlp.SetMeasure("P_top", "ancestors", score="P", top=True)):
        assert_best_of_a_pool(h, systems | {"D": [[], ["cow"]]}, own)
    same = decide(h, systems, hemlp.SetMeasure("same", "ancestors", score="exact"))  # a scenario is best
    assert (same.status, same.candidates.tolist()) == ({"optimal": 2}, [3, 3])


def assert_best_of_a_pool(h, systems, own):
    d = decide(h, systems, own)
    assert d.status == {"feasible": 2}
    assert (d.candidates > 3).all()
    least, most = int(d.candidates.min()), int(d.candidates.max())
    span = f"{least} to {most}" if least < most else least
    assert d.notes == (f"each answer is the best of a pool of {span} candidates",)
    truths = list(zip(*systems.values(), strict=True))
    for row, answer in enumerate(d.sets):
        values = [float(own.score(h, [t] if isinstance(t, str) else t, list(answer))) for t in truths[row]]
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


def test_a_limit_on_relaxations_leaves_an_answer_with_a_bound(monkeypatch):
    monkeypatch.setattr("hemlp.solvers.decisions.FEW", 0)
    monkeypatch.setattr("hemlp.solvers.decisions.JOIN", 2)
    rng, left, best = np.random.default_rng(13), 0, 0
    for _ in range(8):
        h = Hierarchy.from_edges([(int(rng.integers(k)), k) for k in range(1, 40)])
        systems = {str(k): sets([rng.choice(40, 5, False).tolist()]) for k in range(6)}
        model = decide(h, systems, "GIE").model(0)
        wanted, found = model.solve().objective, model.solve("subsets(pairs=0)")
        assert found.bounds[0] <= wanted + 1e-9 <= found.objective + 2e-9
        assert model.check(found)
        left += int(found.statuses[0])
        best += found.objective <= wanted + 1e-9
    assert left > 2
    assert best > 5


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


def test_a_floor_is_shown_as_a_table():
    f = evaluate(Hierarchy.from_edges(TREE), [["sheep"]] * 3, {"a": [["sheep"]] * 3}, ["F"]).floor("F")
    assert str(f) == repr(f)
    lead, _, head, best, *_ = map(str.split, str(f).splitlines())
    assert " ".join(lead) == "Not above the best constant answer: all systems by F."
    assert (head, best) == (["floor", "F"], ["best", "constant", "(optimistic)", "1.0000"])
    assert "the constant answer: sheep" in str(f)


def test_a_constant_by_five_folds_is_the_best_for_the_other_four():
    rng = np.random.default_rng(7)
    for size in (5, 8, 12):
        world, _, _ = random_world(rng)
        h = Hierarchy.from_edges(world.edges, classes=range(world.size))
        gold = [tuple(rng.choice(world.size, min(world.size, int(rng.integers(0, 3))), False)) for _ in range(size)]
        ev = evaluate(h, sets(gold), {"a": sets(gold[::-1])}, ["SDL", "F_H", "GIE"])
        for name in ev.measures:
            total = Fraction(0)
            for row, true in enumerate(gold):
                others = [labels for k, labels in enumerate(gold) if k % 5 != row % 5]
                answer = enumerate_best(world, [(Fraction(1, len(others)), own) for own in others], name)[1]
                shape = frozenset if name == "GIE" else world.closure
                total += value(world, name, shape(true), shape(answer))
            f = ev.floor(name, corpus="folds")
            assert (f.best_constant, f.optimistic) == (pytest.approx(float(total / size)), False)
            assert f.answer == ev.floor(name).answer
    with pytest.raises(InvalidOption, match="at least 5 instances"):
        evaluate(h, sets(gold[:4]), {"a": sets(gold[:4])}, ["SDL"]).floor("SDL", corpus="folds")


def consistent_marginals(world, rng):
    """Eighths, some of them raised to the greatest of what lies below; those that are 0 left out."""
    scores = {
        v: Fraction(int(rng.integers(0, 9)), 8) for v in rng.permutation(world.size)[: rng.integers(0, 7)].tolist()
    }
    mass = {v: max((s for w, s in scores.items() if v in world.up[w]), default=Fraction(0)) for v in range(world.size)}
    return {v: float(s) for v, s in scores.items()}, mass


def model_of_draws(world, mass):
    """{closed set: probability} by the stated model: a root is in with m_v, others, given all parents, with a ratio."""
    order = sorted(range(world.size), key=lambda v: len(world.up[v]))
    parents = {v: [p for p, c in world.edges if c == v] for v in order}
    worlds = {frozenset(): Fraction(1)}
    for v in order:
        least = min((mass[p] for p in parents[v]), default=Fraction(1))
        share = mass[v] / least if least else Fraction(0)
        grown = {}
        for own, q in worlds.items():
            for inside, part in ((True, share), (False, 1 - share)) if set(parents[v]) <= own else ((False, 1),):
                key = own | {v} if inside else own
                grown[key] = grown.get(key, Fraction(0)) + q * part
        worlds = grown
    return {own: q for own, q in worlds.items() if q}


def test_marginals_by_enumeration():
    rng = np.random.default_rng(14)
    for _ in range(30):
        world, _, weights = random_world(rng)
        h = Hierarchy.from_edges(world.edges, classes=range(world.size))
        scores, mass = consistent_marginals(world, rng)
        raised, whole = sum(mass[v] > score for v, score in scores.items()), Belief.marginals([{}, scores])
        assert (whole.raised(h), any("raised" in note for note in decide(h, whole, "SDL").notes)) == (
            raised,
            raised > 0,
        )
        roots = [v for v in range(world.size) if len(world.up[v]) == 1]
        empty = Fraction(1)
        for root in roots:
            empty *= 1 - mass[root]
        for name, options in (
            ("SDL", {}),
            ("SDL", {"weights": True}),
            ("ICM", {"weights": True}),
            ("SDL", {"top": True}),
        ):
            mu = weights if "weights" in options else [1.0] * world.size
            for at_least in (0, 1):
                best = None
                for pred in {world.closure(own) for own in subsets(range(world.size))}:
                    if len(pred) < at_least:
                        continue
                    slope = 3 if name == "ICM" else 2  # Σ_P μ (a·m − 1) − Σ μ·m, of a loss with the other sign
                    worth = sum((Fraction(mu[v]) * (slope * mass[v] - 1) for v in pred), Fraction(0))
                    worth -= sum((Fraction(mu[v]) * m for v, m in mass.items()), Fraction(0))
                    if "top" in options:
                        worth -= empty if pred else 1 - empty
                    key = -worth, len(pred), sorted(pred)
                    best = key if best is None or key < best else best
                d = decide(h, Belief.marginals([scores]), made(name, options, weights), at_least=at_least)
                where = f"{name} {options} {at_least} {world.edges} {scores} {weights}"
                assert d.expected[0] == pytest.approx(float(best[0] if name == "SDL" else -best[0])), where
                assert (tuple(sorted(d.sets[0])), d.status) == (world.specific(best[2]), {"optimal": 1}), where


def test_drawn_label_sets_follow_the_stated_model():
    rng, draws = np.random.default_rng(15), 4000
    for _ in range(12):
        world, _, _ = random_world(rng)
        h = Hierarchy.from_edges(world.edges, classes=range(world.size))
        scores, mass = consistent_marginals(world, rng)
        wanted = model_of_draws(world, mass)
        drawn, shortfall = Belief.marginals([scores]).drawn(h, draws)
        shares = {
            frozenset(world.closure(own.tolist())): m / draws for own, m in zip(drawn.sets, drawn.mass, strict=True)
        }
        assert shares.keys() <= wanted.keys()
        for own, q in wanted.items():
            assert shares.get(own, 0.0) == pytest.approx(float(q), abs=5 * (float(q) / draws) ** 0.5), (
                world.edges,
                mass,
            )
        lost = max(float(m) - sum(share for own, share in shares.items() if v in own) for v, m in mass.items())
        assert shortfall == pytest.approx(max(0.0, lost))


def test_the_risk_of_marginals_and_of_weighted_systems_by_the_definition():
    rng = np.random.default_rng(16)
    for case in range(12):
        world, _, _ = random_world(rng)
        h = Hierarchy.from_edges(world.edges, classes=range(world.size))
        size = int(rng.integers(1, 22))
        gold = [tuple(rng.choice(world.size, min(world.size, int(rng.integers(0, 3))), False)) for _ in range(size)]
        if case % 2:
            pairs = [consistent_marginals(world, rng) for _ in range(size)]
            belief, masses, weights = Belief.marginals([scores for scores, _ in pairs]), [m for _, m in pairs], None
        else:
            weights, raw = {"a": 1, "b": 2, "c": Fraction(1, 2)}, {"a": 1, "b": 2, "c": Fraction(1, 2)}
            total = sum(raw.values(), Fraction(0))
            sides = {name: [tuple(rng.choice(world.size, 1)) for _ in range(size)] for name in raw}
            belief = {name: sets(own) for name, own in sides.items()}
            masses = [
                {
                    v: sum((raw[n] for n in raw if v in world.closure(sides[n][k])), Fraction(0)) / total
                    for v in range(world.size)
                }
                for k in range(size)
            ]
        for text in ("0.5", "0.25", "0.1", "0.05"):
            levels = sorted({Fraction(0), *(m for own in masses for m in own.values())})
            both = [(own, world.closure(t)) for own, t in zip(masses, gold, strict=True)]
            wrong = {
                lam: sum(any(m > lam and v not in true for v, m in own.items()) for own, true in both) for lam in levels
            }
            good = [lam for lam in levels if Fraction(wrong[lam] + 1, size + 1) <= Fraction(text)]
            d = decide(h, belief, "SDL", weights=weights, risk=float(text), dev=(sets(gold), belief))
            assert d.guarantee.threshold == pytest.approx(float(good[0]) if good else np.inf)
            for k, own in enumerate(masses):
                answer = {v for v, m in own.items() if good and m > good[0]}
                assert tuple(sorted(d.sets[k])) == world.specific(answer)


def test_fitted_votes_are_logistic_regressions_by_level_that_folds_have_chosen():
    from scipy.optimize import minimize

    h, rng, size = Hierarchy.from_edges(TREE), np.random.default_rng(17), 40
    closure = {label: h.ancestors(label) | {label} for label in h}
    labels = list(h)
    gold = rng.choice(labels, size).tolist()
    systems = {
        "good": [g if rng.random() < 0.8 else str(rng.choice(labels)) for g in gold],
        "poor": [g if rng.random() < 0.3 else str(rng.choice(labels)) for g in gold],
    }
    rows = [
        (k, v, [1.0, *(float(v in closure[side[k]]) for side in systems.values())], float(v in closure[gold[k]]))
        for k in range(size) for v in labels if any(v in closure[side[k]] for side in systems.values())
    ]  # fmt: skip

    def fit(part):
        x, y = np.array([row[2] for row in part]), np.array([row[3] for row in part])
        loss = lambda t: np.logaddexp(0, x @ t).sum() - y @ x @ t + t @ t / 2  # noqa: E731
        return minimize(loss, np.zeros(3), tol=1e-14, method="BFGS").x

    guess, kept = {}, 0
    for level in range(int(max(h.depth(v) for v in labels)) + 1):
        own = [row for row in rows if h.depth(row[1]) == level]
        chance = lambda row, t: 1 / (1 + np.exp(-np.dot(row[2], t)))  # noqa: E731
        terms = [fit([row for row in own if row[0] % 5 != fold]) for fold in range(5)]
        before = np.mean([(sum(row[2][1:]) / 2 - row[3]) ** 2 for row in own])
        after = np.mean([(chance(row, terms[row[0] % 5]) - row[3]) ** 2 for row in own])
        whole = fit(own)
        kept += after >= before
        guess |= {row[:2]: chance(row, whole) if after < before else sum(row[2][1:]) / 2 for row in own}
    d = decide(h, systems, "SDL", weights="fit", dev=(gold, systems))
    assert 0 < kept < 3
    for k in range(size):
        raised = {v: max(p for (i, w), p in guess.items() if i == k and v in closure[w]) for i, v in guess if i == k}
        found = {h.labels[c]: m for c, m in d.votes.of_row(k).items()}
        assert found == pytest.approx(raised, abs=1e-5)
        above = {v for v, p in raised.items() if p > 0.5}
        assert set(d.sets[k]) == {v for v in above if not any(v in h.ancestors(w) for w in above)}


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
            assert note in " ".join(str(d.guarantee.table()).split())


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
            assert any("or a descendant" in note for note in table.notes) == (name in ("F_H", "SDL"))
            for need in {each for each in needs if each < 5}:
                heavier = [{**masses, k: float(masses[k]) + need * 1.01 + 1e-6} for k in masses]
                heavier = [{k: float(w) for k, w in own.items()} for own in heavier]
                answers = {tuple(decide(h, systems, name, weights=own).sets[0]) for own in heavier}
                assert answers != {tuple(d.sets[0])}
                changed += 1
    assert changed > 20
    linear = decide(Hierarchy.from_edges(TREE), Belief.marginals([{"sheep": 0.7, "owl": 0.3}]), "SDL").explain(0)
    assert "votes: the probability of the class;" in str(linear)
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
        {"weights": {"A": Fraction(1, 10**16 + 1)}}, {"dev": (["cow"], systems)},
        {"risk": 2, "dev": (["cow"], systems)}, {"weights": [1, 2]},
        {"risk": 0.1, "dev": 5}, {"risk": 0.1, "at_least": 1, "dev": (["cow"], systems)},
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
    assert out.stderr == "hemlp: 2 answers: 2 optimal\n"
    assert "answers" not in run("decide h.txt a.txt b.txt c.txt -m F_H -o d.txt -q").stderr
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
    assert said in " ".join(out.output.split())
    assert all(word in out.output for word in ("coverage", "depth"))
    out = run(
        "decide h.txt a.txt b.txt --risk 0.5 --dev a=a.txt --dev b=b.txt --dev-true gold.txt -o e.txt --true gold.txt"
    )
    assert said in " ".join(out.output.split())


@pytest.mark.parametrize("name", ["simGIC", "F_H"])
def test_an_expected_value_is_the_mean_of_scores_to_the_bit(name):
    rng = np.random.default_rng(3)
    for _ in range(8):
        h = Hierarchy.from_edges([(int(rng.integers(k)), k) for k in range(1, 12)])
        own = measure(name, weights=dict(zip(h.labels, rng.random(12).tolist(), strict=True)))
        systems = {name: [rng.integers(0, 12, 4).tolist() for _ in range(9)] for name in ("a", "b")}
        found = decide(h, systems, own)
        first, second = (own.score(hemlp.Batch.of(h, true, found.sets)).values for true in systems.values())
        assert found.expected.tolist() == ((first + second) / 2).tolist()


def test_a_floor_says_that_it_is_the_best_of_a_pool():
    from hemlp.analysis.decision.floor import floor_notes

    h = Hierarchy.from_edges(TREE)
    ev = evaluate(h, ["sheep", "owl"], {"a": ["cow", "owl"]}, ["F_H", "F_LCA"])
    floors = [ev.floor(name) for name in ev.measures]
    assert [each.pooled for each in floors] == [False, True]
    notes = " ".join(floor_notes(floors))
    assert "best constant by F_LCA: the best of a pool" in notes
    assert "(perfect − shuffled)" in notes


def test_most_specific_classes_are_those_without_a_descendant():
    from hemlp.problems.decision.model import closure, specific_classes

    rng = np.random.default_rng(3)
    for _ in range(30):
        world, _, _ = random_world(rng)
        h = Hierarchy.from_edges(world.edges, classes=range(world.size))
        given = set(rng.integers(0, world.size, 4).tolist())
        plain = [v for v in sorted(given) if not any(w != v and v in closure(h, [w]) for w in given)]
        assert specific_classes(h, given) == plain
        assert specific_classes(h, given, flat=True) == sorted(given)


def test_answers_have_the_numbers_that_explain_takes(tmp_path, monkeypatch):
    """From 0 in Python, from 1 at the command line as in --row; ids are shown wherever there are any."""
    from click.testing import CliRunner

    from hemlp.cli.main import commands

    h = Hierarchy.from_edges(TREE)
    d = decide(h, {"A": ["sheep", "owl"], "B": ["sheep", "owl"]}, "SDL")
    assert [row[:2] for row in d.table().rows] == [[0, "sheep"], [1, "owl"]]
    assert "answer: owl" in d.explain(1).notes[0]
    named = decide(h, {"A": {"x": ["sheep"], "y": ["owl"]}, "B": {"x": ["sheep"], "y": ["owl"]}}, "SDL")
    assert [row[0] for row in named.table().rows] == ["x", "y"]
    assert "answer for y: owl" in named.explain(1).notes[0]
    monkeypatch.chdir(tmp_path)
    Path("h.txt").write_text("".join(f"{a} {b}\n" for a, b in TREE))
    Path("a.txt").write_text("sheep\nowl\n")
    command = ["decide", "h.txt", "A=a.txt", "B=a.txt", "-m", "SDL"]
    out = CliRunner().invoke(commands, command).output.splitlines()
    assert [line.split()[:2] for line in out[:3]] == [["row", "answer"], ["1", "sheep"], ["2", "owl"]]
    assert "answer: owl" in CliRunner().invoke(commands, [*command, "--row", "2"]).output


def test_the_command_follows_the_relations_asked_for(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from hemlp.cli.main import commands

    monkeypatch.chdir(tmp_path)
    terms = "[Term]\nid: X:1\n\n[Term]\nid: X:2\nis_a: X:1\n\n[Term]\nid: X:3\nrelationship: part_of X:2\n"
    Path("h.obo").write_text(f"format-version: 1.2\n\n{terms}")
    Path("a.txt").write_text("X:3\n")
    Path("b.txt").write_text("X:2\n")
    command = ["decide", "h.obo", "a.txt", "b.txt", "--at-least", "1"]
    followed = CliRunner().invoke(commands, [*command, "--relation", "is_a", "--relation", "part_of"])
    assert (followed.exit_code, "not followed" in followed.stderr) == (0, False)
    with pytest.warns(UserWarning, match="not followed"):
        alone = CliRunner().invoke(commands, command)
    assert followed.stdout != alone.stdout


def test_the_command_says_what_risk_and_dev_need(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from hemlp.cli.main import commands

    monkeypatch.chdir(tmp_path)
    Path("h.txt").write_text("".join(f"{a} {b}\n" for a, b in TREE))
    Path("a.txt").write_text("sheep\nowl\n")
    Path("b.txt").write_text("cow\nsheep\n")
    for words, said in {
        "--risk 0.05": "need --dev FILE",
        "--weights fit": "need --dev FILE",
        "--risk 0.05 --dev a=a.txt": "need --dev FILE",
        "--dev a=a.txt --dev-true a.txt": "used only with --risk or --weights fit",
        "--risk 5": "--risk 5 is not between 0 and 1",
        "--risk 0.05 --dev a=b.txt --dev-true a.txt": "only empty answers keep it",
        "-m F_H": "one system",
    }.items():
        out = CliRunner().invoke(commands, ["decide", "h.txt", "a.txt", *words.split(" ")])
        assert said in " ".join((out.output + str(out.exception)).split())


def test_a_missing_answer_is_told_with_its_system():
    cut = hemlp.ScoredSets.of({"x": {"sheep": 0.9}}).at(0.5)
    with pytest.raises(MisalignedSides, match="B lacks instance 'y'; give an empty label set where there is no answer"):
        decide(Hierarchy.from_edges(TREE), {"A": {"x": ["sheep"], "y": ["cow"]}, "B": cut}, "F_H")
    with pytest.raises(InvalidOption, match=r"for probabilities Belief\.marginals"):
        decide(Hierarchy.from_edges(TREE), hemlp.ScoredSets.of([{"sheep": 0.9}]))


def test_a_risk_is_promised_for_the_systems_that_dev_has():
    h, gold = Hierarchy.from_edges(TREE), ["cow", "owl"]
    systems, scores = {"A": ["sheep", "owl"], "B": ["cow", "owl"]}, Belief.marginals([{"cow": 0.5}, {"owl": 0.9}])
    for belief, known, said in (
        (systems, {"A": gold}, "dev has A, the answer A, B"),
        (systems, scores, "dev has probabilities, the answer A, B"),
        (scores, systems, "dev has A, B, the answer probabilities"),
    ):
        with pytest.raises(InvalidOption, match=said):
            decide(h, belief, "SDL", risk=0.5, dev=(gold, known))
    assert decide(h, systems, "SDL", risk=0.5, dev=(gold, {"A dev": gold, "B dev": gold})).guarantee.instances == 2


def test_decisions_for_drawn_label_sets_say_what_is_proved_of_them(monkeypatch):
    from hemlp.solvers.decisions import SubsetSearch

    rng = np.random.default_rng(19)
    h = Hierarchy.from_edges([(int(rng.integers(k)), k) for k in range(1, 25)])
    belief = Belief.marginals([{v: 0.8 ** int(h.unit_depths[h.id(v)]) for v in h}])
    proved = decide(h, belief, "GIE")
    assert (proved.status, proved.bounds.tolist()) == ({"sampled": 1}, proved.expected.tolist())
    assert not any("not proved" in note for note in proved.notes)
    monkeypatch.setattr("hemlp.solvers.decisions.JOIN", 2)
    monkeypatch.setattr(SubsetSearch.__init__, "__defaults__", (0, 0))
    left = decide(h, belief, "GIE")
    assert left.bounds[0] <= proved.expected[0] <= left.expected[0]
    assert (left.bounds[0] < left.expected[0]) == any("1 answer is not proved" in note for note in left.notes)
    assert left.bounds[0] < left.expected[0]


def test_a_table_says_how_many_answers_there_are_and_which_are_empty():
    d = decide(Hierarchy.from_edges(TREE), {"A": [[], ["sheep"]], "B": [[], ["sheep"]]}, "SDL")
    assert [row[1] for row in d.table().rows] == ["nothing", "sheep"]
    assert d.table().notes == ["2 answers: 2 optimal"]
    assert d.table(1).notes == ["2 answers, the first 1 of which are shown: 2 optimal"]
