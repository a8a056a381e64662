"""Gold that is not the whole truth: every value against a brute force that is written from the definition alone."""

from __future__ import annotations

import json
import math
import random
import warnings
from itertools import combinations

import numpy as np
import pytest
from click.testing import CliRunner

from hemlp import Batch, Hierarchy, RankedMeasure, ScoredSets, evaluate, measure, read_measures, write_measures
from hemlp.cli.main import commands
from hemlp.errors import InvalidOption, UnknownLabel
from hemlp.measures.derived import LENIENT
from hemlp.measures.incomplete_gold import IncompleteGold
from hemlp.run.evaluation import Evaluation
from hemlp.text.tables import plural
from tests.oracle import DATA

TOP = "⊤"
H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])


class Plain:
    """A hierarchy as a mapping from classes to parents, and the definitions on it."""

    def __init__(self, size, edges):
        self.size = size
        self.parents = {c: [p for p, child in edges if child == c] for c in range(size)}
        self.up = {c: self._distances(c) for c in range(size)}

    def _distances(self, c):
        known, border = {c: 0}, [c]
        for node in border:
            for parent in self.parents[node]:
                if parent not in known:
                    known[parent] = known[node] + 1
                    border.append(parent)
        return known

    def below(self, c, a):
        return c != a and a in self.up[c]

    def distance(self, a, b):
        return min((self.up[a][c] + self.up[b][c] for c in self.up[a].keys() & self.up[b].keys()), default=math.inf)

    def excused(self, c, true):
        """The true classes above a predicted class that is not true."""
        return [] if c in true else [t for t in true if self.below(c, t)]

    def project(self, true, pred):
        made = set()
        for c in pred:
            above = self.excused(c, true)
            made |= {t for t in above if not any(self.below(other, t) for other in above)} if above else {c}
        return made

    def closure(self, labels, kind, top=False, horizon=None):
        if kind == "none":
            return set(labels)
        if kind == "down":
            return {c for c in range(self.size) for a in labels if a in self.up[c]}
        nodes = {a for c in labels for a, far in self.up[c].items() if horizon is None or far < horizon}
        return nodes | ({TOP} if labels and (top or horizon is not None) else set())

    def sets(self, true, pred, ignore, lenient, kind, **options):
        if kind == "none":
            true, pred = set(true) - ignore, set(pred) - ignore
        t, p = self.closure(true, kind, **options), self.closure(pred, kind, **options)
        if lenient:
            p = self.closure(self.project(true, pred), kind, **options) | (p & t)
        return t - ignore, p - ignore

    def error(self, true, pred, ignore, lenient, default, allowed):
        """Problem 1: the cheapest choice of pairs by which ``allowed(degree)`` holds of every class."""
        true, pred = sorted(set(true) - ignore), sorted(set(pred) - ignore)
        kappa, alone = {}, {}
        for p in pred:
            above = self.excused(p, true) if lenient else []
            alone[p] = 0 if above else default
            kappa |= {(p, t): 0 if t in above else self.distance(p, t) for t in true}
        pairs = [pair for pair, cost in kappa.items() if math.isfinite(cost)]
        best = math.inf
        for number in range(len(pairs) + 1):
            for chosen in combinations(pairs, number):
                degree = [[sum(pair[side] == c for pair in chosen) for c in of] for side, of in ((0, pred), (1, true))]
                if all(allowed(d) for of in degree for d in of):
                    left = sum(alone[p] for p, d in zip(pred, degree[0], strict=True) if not d)
                    left += sum(default for d in degree[1] if not d)
                    best = min(best, left + sum(kappa[pair] for pair in chosen))
        return best, set(true), set(pred)


def ratio(part, whole, equal):
    return part / whole if whole else float(equal)


def set_score(name, t, p, weight, classes, beta=1):
    wt, wp, common = (math.fsum(map(weight, s)) for s in (t, p, t & p))
    return {
        "P": lambda: ratio(common, wp, t == p),
        "R": lambda: ratio(common, wt, t == p),
        "F": lambda: ratio((1 + beta**2) * common, beta**2 * wt + wp, t == p),
        "jaccard": lambda: ratio(common, wt + wp - common, t == p),
        "difference": lambda: wt + wp - 2 * common,
        "exact": lambda: float(t == p),
        "hamming": lambda: (wt + wp - 2 * common) / max(classes, 1),
    }[name]()


SETS = {
    "P_H": ("up", "P", {}), "R_H": ("up", "R", {}), "F_H": ("up", "F", {}), "SDL": ("up", "difference", {}),
    "F_H(top=True)": ("up", "F", {"top": True}), "SDL(top=True)": ("up", "difference", {"top": True}),
    "F_H(horizon=1)": ("up", "F", {"horizon": 1}), "F_H(horizon=2)": ("up", "F", {"horizon": 2}),
    "simUI": ("up", "jaccard", {}), "P_De": ("down", "P", {}), "F_De": ("down", "F", {}), "P": ("none", "P", {}),
    "R": ("none", "R", {}), "F": ("none", "F", {}), "accuracy": ("none", "exact", {}),
    "jaccard": ("none", "jaccard", {}), "hamming": ("none", "hamming", {}),
}  # fmt: skip
PAIRS = ("GIE", "MGIA", "MGIA(normalizer='union')", "SunLim", "TIE", "GIE(default_cost=2)")


def pair_score(plain, name, true, pred, ignore, lenient):
    default = 2 if "2" in name else 5
    if name in ("SunLim", "TIE"):
        true, pred = sorted(set(true) - ignore), sorted(set(pred) - ignore)
        undefined = bool(true) != bool(pred) if name == "SunLim" else len(true) != 1 or len(pred) != 1
        free = {(p, t) for p in pred for t in (plain.excused(p, true) if lenient else ())}
        costs = [0 if (p, t) in free else plain.distance(p, t) for p in pred for t in true]
        return math.nan if undefined or math.inf in costs else float(sum(costs))
    one = name.startswith("GIE")
    error, true, pred = plain.error(true, pred, ignore, lenient, default, lambda d: d <= 1 if one else True)
    if one:
        return error
    number = len(true | pred) if "union" in name else len(true ^ pred)
    return 1.0 if true == pred else 1 - error / (number * default)


def random_hierarchy(rng):
    size = rng.randrange(2, 9)
    most = rng.choice([1, 1, 3])
    edges = {(p, c) for c in range(1, size) for p in rng.sample(range(c), min(c, rng.randrange(0, most + 1)))}
    names = rng.sample(range(size), size)  # numbers say nothing about order
    return size, sorted((names[p], names[c]) for p, c in edges)


def random_cases(seed, number, sizes=4):
    rng = random.Random(seed)
    for _ in range(number):
        size, edges = random_hierarchy(rng)
        classes = range(size)
        draw = lambda: [rng.sample(classes, min(size, rng.randrange(0, sizes))) for _ in range(5)]  # noqa: E731, B023
        ignore = set(rng.sample(classes, rng.randrange(0, min(size, 4))))
        yield Plain(size, edges), Hierarchy.from_edges(edges, classes=classes), draw(), draw(), ignore


def same(values, expected):
    assert np.array(values) == pytest.approx(np.array(expected, float), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("gold", ["exact", "at least"])
def test_sets_are_their_definition(gold):
    for plain, h, true, pred, ignore in random_cases(f"sets {gold}", 60):
        ev = evaluate(h, true, {"a": pred}, list(SETS), ignore=ignore, gold=gold, rows="sets")
        ignoring = f", ignoring {plural(len(ignore), 'class', 'classes')}" if ignore else ""
        assert f"{plural(len(true), 'instance')}{ignoring}" in ev.table().notes
        for name, (kind, score, options) in SETS.items():
            for lenient in (False, True)[: 1 + (gold == "at least")]:
                values = ev.per_instance("a", name + LENIENT if lenient else name)
                sets = [plain.sets(t, p, ignore, lenient, kind, **options) for t, p in zip(true, pred, strict=True)]
                left = plain.size - len(ignore)
                same(values, [set_score(score, t, p, lambda c: 1.0, left) for t, p in sets])


def test_weighted_sets_are_their_definition():
    for k, (plain, h, true, pred, ignore) in enumerate(random_cases("weights", 25)):
        rng = random.Random(k)
        weights = {c: rng.choice([0.0, 0.5, 1.25, 3.0]) for c in range(plain.size)}
        of = {"F_H": ("up", {}), "simGIC": ("up", {}), "F_De": ("down", {}), "F": ("none", {})}
        made = {name: measure(name, weights=weights) for name in of} | {
            "top": measure("F_H", weights=weights, top=True)
        }
        ev = evaluate(h, true, {"a": pred}, made, ignore=ignore, gold="at least", rows="sets")
        for name, (kind, options) in (of | {"top": ("up", {"top": True})}).items():
            score = "jaccard" if name == "simGIC" else "F"
            for lenient in (False, True):
                sets = [plain.sets(t, p, ignore, lenient, kind, **options) for t, p in zip(true, pred, strict=True)]
                weight = {**weights, TOP: 0.0}.__getitem__
                same(
                    ev.per_instance("a", name + LENIENT * lenient), [set_score(score, t, p, weight, 1) for t, p in sets]
                )


@pytest.mark.parametrize("gold", ["exact", "at least"])
def test_pairs_are_their_definition(gold):
    for plain, h, true, pred, ignore in random_cases(f"pairs {gold}", 25, sizes=3):
        ev = evaluate(h, true, {"a": pred}, PAIRS, ignore=ignore, gold=gold, undefined="nan", rows="sets")
        for name in PAIRS:
            for lenient in (False, True)[: 1 + (gold == "at least")]:
                expected = [pair_score(plain, name, t, p, ignore, lenient) for t, p in zip(true, pred, strict=True)]
                same(ev.per_instance("a", name + LENIENT * lenient), expected)


MATCHED = ("matched_P", "matched_R", "matched_F")


def matchings(pred, true):
    """All one-to-one pairings of some classes."""
    if not pred:
        yield {}
        return
    for rest in matchings(pred[1:], true):
        yield rest
        yield from ({**rest, pred[0]: t} for t in true if t not in rest.values())


def matched_shares(plain, true, pred, lenient):
    """[P, R, F]: the greatest shares that a pairing leaves unlost, and the least cost with default classes of 1/2."""
    depth = {
        c: min((far for a, far in plain.up[c].items() if not plain.up[a].keys() - {a}), default=0) for c in plain.up
    }

    def similarity(p, t):
        common = [(depth[a] + 1, plain.up[p][a] + plain.up[t][a]) for a in plain.up[p].keys() & plain.up[t].keys()]
        return max((2 * d / (2 * d + far) for d, far in common), default=0.0)

    if not true or not pred:
        return [float(not true and not pred)] * 3
    above = {p: plain.excused(p, true) if lenient else [] for p in pred}
    best = [0.0, 0.0, 0.0]
    for pairs in matchings(pred, true):
        alike = {p: 1.0 if t in above[p] else similarity(p, t) for p, t in pairs.items()}
        kept = math.fsum(alike.values()), sum(bool(above[p]) for p in pred if p not in pairs)
        shares = (kept[0] + kept[1]) / len(pred), kept[0] / len(true), (2 * kept[0] + kept[1]) / (len(pred) + len(true))
        best = [max(pair) for pair in zip(best, shares, strict=True)]
    return best


def test_matched_shares_by_enumeration():
    apart = 0
    for plain, h, true, pred, _ in random_cases("matched", 40, sizes=5):
        ev = evaluate(h, true, {"a": pred}, MATCHED, gold="at least", rows="sets")
        for lenient in (False, True):
            wanted = [
                matched_shares(plain, sorted(set(t)), sorted(set(p)), lenient) for t, p in zip(true, pred, strict=True)
            ]
            for k, name in enumerate(MATCHED):
                same(ev.per_instance("a", name + LENIENT * lenient), [row[k] for row in wanted])
                if name != "matched_F":
                    beside = ev.per_instance("a", "matched_F" + LENIENT * lenient, column=name)
                    same(beside, [row[k] for row in wanted])
            apart += sum(
                abs(p * len(set(y)) - r * len(set(t))) > 1e-9
                for t, y, (p, r, _) in zip(true, pred, wanted, strict=True)
            )
    assert apart > 5


def test_one_lenient_pairing_does_not_say_precision_and_recall():
    """The smallest hierarchy on which optimal pairings have other shares; one level more, and recall would fall."""
    for edges, f, ways, strict in (
        ([(0, 1), (1, 2), (0, 3)], 0.75, {(1.0, 0.5), (0.75, 0.75)}, 0.7),
        ([(0, 4), (4, 1), (1, 2), (0, 3)], 0.75, {(1.0, 0.5)}, 2 / 3),
    ):
        h, plain = Hierarchy.from_edges(edges), Plain(5, edges)
        ev = evaluate(h, [[1, 3]], {"a": [[1, 2]]}, MATCHED, gold="at least", rows="sets")
        means = [ev.mean("a", name, lenient=True) for name in MATCHED]
        wanted = matched_shares(plain, [1, 3], [1, 2], True)
        assert means == pytest.approx(wanted)
        assert (ev.mean("a", "matched_R"), means[2]) == (pytest.approx(strict), f)
        alike = {(1, 1): 1.0, (2, 1): 1.0, (1, 3): wanted[1] * 2 - 1, (2, 3): strict * 2 - 1}
        found = set()
        for pairs in matchings([1, 2], [1, 3]):
            kept, free = sum(alike[pair] for pair in pairs.items()), int(2 not in pairs)
            if (2 * kept + free) / 4 == pytest.approx(f):
                found.add(((kept + free) / 2, kept / 2))
        assert found == ways


def test_lenient_is_never_worse():
    names = [*SETS, "GIE", "MGIA", "BMA", *MATCHED]
    for _, h, true, pred, ignore in random_cases("never", 25):
        ev = evaluate(h, true, {"a": pred}, names, ignore=ignore, gold="at least", rows="sets")
        for name in names:
            strict, lenient = ev.per_instance("a", name), ev.per_instance("a", name + LENIENT)
            gain = lenient - strict if ev.greater_is_better[name] else strict - lenient
            assert gain.min() >= -1e-12, name


def test_explicit_models_agree_and_are_proved():
    """Any solver of the model finds what the fast path does, and the check knows a wrong solution."""
    names = ("F_H", "F_H(horizon=2)", "F_De", "F", "hamming", "GIE", "MGIA", "matched_P")
    for _, h, true, pred, ignore in random_cases("models", 6, sizes=3):
        batch = Batch.of(h, true, pred, rows="sets")
        for name in names:
            own = IncompleteGold("own", measure(name), tuple(ignore), "at least")
            values = own.score(batch, verify=True).values
            assert own.score(batch, solver="milp", verify=True).values == pytest.approx(values, abs=1e-12), name
            for i in range(len(batch)):
                model = own.model(batch)[i]
                solution = model.solve()
                assert model.check(solution)
                assert model.solve("pulp").objective == pytest.approx(solution.objective)
                assert float(own.evaluate(model, solution)) == pytest.approx(values[i], abs=1e-12)
                assert "minimize" in model.to_lp().lower()


def test_values_of_the_oracle():
    """Where a predicted class that is true lies below another true class the oracle goes its own way: see below."""
    compared, apart = 0, set()
    for number, line in enumerate((DATA / "decide.jsonl").read_text().splitlines()):
        row = json.loads(line)
        h = Hierarchy.from_edges(row["edges"], classes=range(row["classes"]))
        plain, given, own = Plain(row["classes"], row["edges"]), row["ignore"], {"GIE": "GIE", "GIE(D=5)": "GIE"}
        ev = evaluate(
            h, row["gold"], {"a": row["pred"]}, ["F_H", "GIE", "F", "SDL"], ignore=given["classes"], rows="sets"
        )
        for name in ("F_H", "GIE", "F", "SDL"):
            assert ev.mean("a", name) == pytest.approx(given[name], abs=1e-12)
        ev = evaluate(h, row["gold"], {"a": row["pred"]}, ["F_H", "GIE", "F", "SDL"], gold="at least", rows="sets")
        hit_below = any(
            p in true and plain.below(p, t) for true, pred in zip(row["gold"], row["pred"], strict=True)
            for p in pred for t in true
        )  # fmt: skip
        for name, (strict, lenient) in row["at_least_gold"].items():
            name = own.get(name, name)
            assert ev.mean("a", name) == pytest.approx(strict, abs=1e-12)
            if ev.mean("a", name, lenient=True) != pytest.approx(lenient, abs=1e-12):
                assert hit_below, (number, name)
                apart.add((number, name))
            compared += 1
    assert compared == 240
    assert apart == {(2, "GIE"), (7, "GIE"), (50, "GIE")}


def test_examples_of_the_definition():
    h = Hierarchy.from_edges([(0, 1)])
    ev = evaluate(h, [[1]], {"a": [[]]}, ["F_H", "F", "F_H(top=True)"], ignore=[1], rows="sets")
    assert [ev.mean("a", name) for name in ("F_H", "F", "F_H(top=True)")] == [0.0, 1.0, 0.0]
    weighted = measure("F_H", weights={0: 0.0, 1: 1.0})
    ev = evaluate(h, [[1]], {"a": [[0]]}, {"weight 0": weighted, "ignored": "F_H"}, ignore=[1], rows="sets")
    assert ev.mean("a", "ignored") == 1.0
    assert evaluate(h, [[0]], {"a": [[]]}, {"w": weighted}, rows="sets").mean("a", "w") == 0.0  # 0/0 of unequal sets
    assert evaluate(h, [[0]], {"a": [[]]}, ["F_H"], ignore=[0], rows="sets").mean("a", "F_H") == 1.0


def test_chunks_workers_and_folders_change_nothing(tmp_path):
    rng = random.Random(4)
    labels = list(H.labels)
    true, pred = ([rng.sample(labels, rng.randrange(0, 3)) for _ in range(60)] for _ in range(2))
    options = {"ignore": ["bird"], "gold": "at least", "rows": "sets"}
    names = ["F_H", "F_H(horizon=2)", "GIE", "F", "BMA"]
    whole = evaluate(H, true, {"a": pred}, names, **options)
    for how in ({"chunk": 7}, {"chunk": 7, "workers": 2}, {"chunk": 20, "resume": tmp_path / "run"}):
        other = evaluate(H, true, {"a": pred}, names, **options, **how)
        for name in whole.measures:
            assert other.per_instance("a", name).tolist() == whole.per_instance("a", name).tolist()
            assert other.scores["a"][name].signature == whole.scores["a"][name].signature
    with pytest.raises(Exception, match="another|other"):
        evaluate(H, true, {"a": pred}, names, ignore=["cow"], gold="at least", rows="sets", resume=tmp_path / "run")


def test_signatures_tell_readings_apart():
    def signature(**options):
        return evaluate(H, ["cow"], {"a": ["sheep"]}, ["F_H"], **options).scores["a"]["F_H"].signature

    texts = [signature(), signature(ignore=["cow"]), signature(ignore=["bird"]), signature(ignore=["cow", "bird"])]
    assert len(set(texts)) == 4
    assert signature(gold="at least") == texts[0]  # the strict value is what it was
    assert signature(ignore=["bird", "cow"]) == texts[3]
    own = measure("IncompleteGold('own', measure='F_H', ignore=('cow',), gold='at least')")
    assert measure(str(own)) == own == read_measures(write_measures([own]))[0]


def test_at_k_and_averages():
    scores = ScoredSets.of([{"cow": 0.9, "bird": 0.4}, {"mammal": 0.8}])
    ev = evaluate(H, [["mammal"], ["sheep"]], {"a": scores}, ["F_H@1"], gold="at least", rows="sets")
    assert ev.per_instance("a", "F_H@1" + LENIENT).tolist() == [1.0, 0.8]
    assert ev.mean("a", "F_H@1", "micro", lenient=True) == pytest.approx(8 / 9)
    assert isinstance(ev.inputs.measures["F_H@1" + LENIENT], RankedMeasure)


def test_what_is_refused():
    for name in ("F_LCA", "P_LCA", "F_LCA(method='extended')", "F_Tol", "SDL_Tol"):
        for options in ({"ignore": ["cow"]}, {"gold": "at least"}):
            with pytest.raises(InvalidOption, match=r"_LCA|_Tol"):
                evaluate(H, ["cow"], {"a": ["cow"]}, [name], **options)
    tied = measure("matched_P").with_constraints(lambda model: [], name="tied")
    with pytest.raises(InvalidOption, match="a pairing for each share"):
        evaluate(H, ["cow"], {"a": ["cow"]}, [tied], gold="at least")
    with pytest.warns(UserWarning, match="F_LCA left out"):
        ev = evaluate(H, ["mammal"], {"a": ["cow"]}, gold="at least")
    assert ev.measures == [name + kind for name in ("F_H", "F", "GIE") for kind in ("", LENIENT)]
    assert "F_LCA" not in ev.measures
    with pytest.raises(UnknownLabel, match="yeti"):
        evaluate(H, ["cow"], {"a": ["cow"]}, ["F_H"], ignore=["yeti"])
    with pytest.raises(InvalidOption, match="gold"):
        evaluate(H, ["cow"], {"a": ["cow"]}, ["F_H"], gold="at most")
    with pytest.raises(InvalidOption, match="gold='at least'"):
        evaluate(H, ["cow"], {"a": ["cow"]}, ["F_H"]).mean("a", "F_H", lenient=True)


def test_strict_and_lenient_stand_side_by_side(tmp_path):
    ev = evaluate(H, ["mammal", "cow"], {"a": ["cow", "bird"], "b": ["mammal", "cow"]}, ["F_H"], gold="at least")
    assert (ev.mean("a", "F_H"), ev.mean("a", "F_H", lenient=True)) == (pytest.approx(0.6), pytest.approx(0.7))
    assert [column.split(" ↑")[0] for column in ev.table().columns[1:3]] == ["F_H", "F_H" + LENIENT]
    ev.to_json(tmp_path / "r.json")
    assert Evaluation.from_json(tmp_path / "r.json").mean("a", "F_H", lenient=True) == ev.mean("a", "F_H", lenient=True)
    ev.to_html(tmp_path / "r.html")
    assert "F_H (lenient)" in (tmp_path / "r.html").read_text()


def test_the_command(tmp_path):
    (tmp_path / "h.txt").write_text("animal mammal\nmammal sheep\nmammal cow\nanimal bird\n")
    (tmp_path / "gold.txt").write_text("mammal\ncow\n")
    (tmp_path / "a.txt").write_text("cow\nbird\n")
    (tmp_path / "ignored.txt").write_text("bird\nanimal\n")
    files = [str(tmp_path / name) for name in ("h.txt", "gold.txt", "a.txt")]
    options = ["--gold", "at least", "--ignore", str(tmp_path / "ignored.txt"), "--json", "-"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outcome = CliRunner().invoke(commands, ["evaluate", *files, "-m", "F_H", *options])
    assert outcome.exit_code == 0, outcome.output
    means = json.loads(outcome.stdout)["systems"]["a"]
    expected = evaluate(
        H, ["mammal", "cow"], {"a": ["cow", "bird"]}, ["F_H"], ignore=["bird", "animal"], gold="at least"
    )
    assert means == {name: expected.mean("a", name) for name in ("F_H", "F_H" + LENIENT)}


def test_what_is_more_specific_than_the_gold_is_said():
    ev = evaluate(H, ["mammal", "cow"], {"a": ["cow", "bird"], "b": ["mammal", "cow"]}, ["F_H", "GIE"], gold="at least")
    rows = {row[:2]: row[2:] for row in ev.more_specific().rows}
    assert rows["a", "F_H"] == (pytest.approx(0.6), pytest.approx(0.7), pytest.approx(0.25))
    assert rows["a", "GIE"] == (2.0, 1.5, pytest.approx(0.25))
    assert math.isnan(rows["b", "F_H"][2])
    assert "F_H: share of the loss that is more specific than the gold: a 25.0%, b nothing lost" in ev.table().notes
    with pytest.raises(InvalidOption, match="at least"):
        evaluate(H, ["cow"], {"a": ["cow"]}, ["F_H"]).more_specific()


def test_consistency_is_its_definition():
    for plain, h, true, pred, _ in random_cases("consistency", 40):
        counts, number = [0] * 4, [0, 0]
        for t, p in zip(true, pred, strict=True):
            beside = [c for c in p if any(plain.below(c, a) for a in p)]
            broken = [c for c in beside if not set(plain.parents[c]) & set(p)]
            specific = [{c for c in s if not any(plain.below(d, c) for d in s)} for s in (t, p)]
            full = set(p) == plain.closure(t, "up")
            number = [number[0] + len(beside), number[1] + len(broken)]
            for k, true_of in enumerate((beside, broken, specific[0] == specific[1], full)):
                counts[k] += bool(true_of)
        rows = evaluate(h, true, {"a": pred}, ["F_H"], rows="sets").consistency("a").rows
        assert [row[1:3] for row in rows] == [
            (number[0], counts[0]),
            (number[1], counts[1]),
            ("", counts[2]),
            ("", counts[3]),
        ]


def test_hubs_change_nothing(monkeypatch):
    """Lists of ancestors that stop at a class with many parents."""
    monkeypatch.setattr("hemlp.hierarchy.structure.MANY_PARENTS", 0)
    for plain, h, true, pred, ignore in random_cases("hubs", 30):
        ev = evaluate(h, true, {"a": pred}, ["F_H", "GIE"], ignore=ignore, gold="at least", rows="sets")
        sets = [plain.sets(t, p, ignore, True, "up") for t, p in zip(true, pred, strict=True)]
        same(ev.per_instance("a", "F_H" + LENIENT), [set_score("F", t, p, lambda c: 1.0, 1) for t, p in sets])
        if max(map(len, (*true, *pred))) < 3:
            expected = [pair_score(plain, "GIE", t, p, ignore, True) for t, p in zip(true, pred, strict=True)]
            same(ev.per_instance("a", "GIE" + LENIENT), expected)


@pytest.mark.parametrize("ignore", [5, b"a"])
def test_classes_to_ignore_are_a_list(ignore):
    """Bytes were read as the integers of their letters."""
    h = Hierarchy.from_edges([(1, 97), (1, 2)])
    with pytest.raises(InvalidOption, match="not a list of labels"):
        evaluate(h, [[97]], [[2]], ["F_H"], ignore=ignore)


def test_no_measure_takes_the_name_of_a_lenient_one():
    """It took the place of the lenient values, too."""
    h = Hierarchy.from_edges([(1, 2)])
    with pytest.raises(InvalidOption, match="call the measure otherwise"):
        evaluate(h, [[1]], [[2]], {"F_H": "F_H", "F_H (lenient)": "SDL"}, gold="at least")
