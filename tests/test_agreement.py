"""Agreement of annotators, and how many instances an evaluation needs."""

from __future__ import annotations

import gzip
import json
import math
import random
from fractions import Fraction
from functools import cache
from itertools import permutations
from statistics import NormalDist, stdev

import numpy as np
import pytest
from click.testing import CliRunner

from hemlp import Hierarchy, agreement, evaluate, examples, measure
from hemlp.analysis.agreement import _BySet
from hemlp.analysis.statistics import planning
from hemlp.analysis.statistics.planning import detectable_difference
from hemlp.cli.main import commands
from hemlp.errors import InvalidOption, MisalignedSides, UndefinedScore
from hemlp.run.gate import Gate
from tests.oracle import DATA

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])


def plain_alpha(rows, error):
    """By the definition, one pair after the other; rows are instances, None is a missing annotation."""
    rows = [[each for each in row if each is not None] for row in rows]
    rows = [row for row in rows if len(row) > 1]
    values = [each for row in rows for each in row]
    n = len(values)
    if not n:
        return None
    observed = sum(sum(error(a, b) for a, b in permutations(row, 2)) / (len(row) - 1) for row in rows) / n
    expected = sum(error(a, b) for a, b in permutations(values, 2)) / (n * (n - 1))
    return 1 if expected == 0 else 1 - observed / expected


def random_annotations(rng, labels, instances=12, annotators=4):
    return [
        [None if rng.random() < 0.25 else sorted(rng.sample(labels, rng.randrange(0, 3))) for _ in range(annotators)]
        for _ in range(instances)
    ]


@pytest.mark.parametrize("name", ["SDL", "SDL(top=True)", "F_H"])
def test_annotations_that_are_all_empty_agree(name):
    empty = agreement(H, {"A": {1: [], 2: ["cow"]}, "B": {1: []}, "C": {1: []}}, name)
    assert (empty.alpha, empty.observed, tuple(empty.interval)) == (1, 0, (1, 1))


@pytest.mark.parametrize("name", ["SDL", "SDL(top=True)", "SDL(horizon=2)", "F_H", "GIE", "F_LCA", "accuracy"])
def test_alpha_is_its_definition(name):
    rng, own = random.Random(name), measure(name)

    @cache
    def error_of(a, b):
        score = Fraction(float(own.score(H, a, b)))
        return 1 - score if own.greater_is_better else score

    def error(a, b):
        return error_of(tuple(a), tuple(b))

    for _ in range(3):
        rows = random_annotations(rng, list(H.labels), 8)
        annotators = {f"a{k}": [row[k] for row in rows] for k in range(4)}
        assert agreement(H, annotators, name, rows="sets").alpha == pytest.approx(float(plain_alpha(rows, error)))
        by_id = {
            name_of: {f"i{k}": row for k, row in enumerate(given) if row is not None}
            for name_of, given in annotators.items()
        }
        by_ids = agreement(H, by_id, name)
        assert by_ids.alpha == pytest.approx(agreement(H, annotators, name, rows="sets").alpha, abs=1e-12)


def test_values_of_the_oracle():
    compared = 0
    for line in (DATA / "decide.jsonl").read_text().splitlines():
        row = json.loads(line)
        h, given = Hierarchy.from_edges(row["edges"], classes=range(row["classes"])), row["alpha"]
        annotators = {f"a{k}": [each[k] for each in given["annotators"]] for k in range(len(given["annotators"][0]))}
        for name, key in (("SDL", "SDL"), ("F_H", "1-F_H")):
            outcome = agreement(h, annotators, name, rows="sets")
            if given[key] is None:
                with pytest.raises(UndefinedScore):
                    outcome.alpha  # noqa: B018
            else:
                assert outcome.alpha == pytest.approx(given[key], abs=1e-12)
            compared += 1
    assert compared > 100


def test_both_ways_of_sdl_agree():
    rng = random.Random(3)
    rows = random_annotations(rng, list(H.labels), 30)
    outcome = agreement(H, {f"a{k}": [row[k] for row in rows] for k in range(4)}, "SDL", rows="sets")
    times = np.ones((1, 30))
    by_class = outcome._sums
    table = outcome._table
    used = np.unique(table[table >= 0])
    counts = np.array([[(table[:, k] == each).sum() for each in used] for k in range(30)], float)
    import scipy.sparse as sp

    by_set = _BySet(sp.csr_matrix(counts), outcome._errors(used))
    assert by_class.observed() == pytest.approx(by_set.observed())
    assert by_class.expected(times) == pytest.approx(by_set.expected(times))


def test_flat_single_labels_are_krippendorffs_own():
    krippendorff = pytest.importorskip("krippendorff")
    rng = random.Random(5)
    codes = np.array([[rng.choice([0, 1, 2, np.nan]) for _ in range(40)] for _ in range(3)])
    labels = ["sheep", "cow", "bird"]
    annotators = {f"a{k}": [None if np.isnan(c) else [labels[int(c)]] for c in row] for k, row in enumerate(codes)}
    expected = krippendorff.alpha(codes, level_of_measurement="nominal")
    assert agreement(H, annotators, "accuracy", rows="sets").alpha == pytest.approx(expected)


def test_order_and_names_do_not_matter_and_intervals_are_seeded():
    rows = random_annotations(random.Random(8), list(H.labels), 25)
    annotators = {f"a{k}": {f"i{j}": row[k] for j, row in enumerate(rows) if row[k] is not None} for k in range(4)}
    turned = {name: dict(reversed(given.items())) for name, given in reversed(annotators.items())}
    one, two = agreement(H, annotators, "SDL"), agreement(H, turned, "SDL")
    assert one.alpha == pytest.approx(two.alpha, abs=1e-12)
    assert tuple(one.interval) == pytest.approx(tuple(two.interval), abs=1e-12)
    assert one.interval.low <= one.alpha <= one.interval.high


def test_pairs_levels_branches_and_instances():
    annotators = {
        "A": ["sheep", "cow", "bird", "bird"],
        "B": ["sheep", "sheep", "bird", "cow"],
        "C": ["sheep", "cow", "bird", None],
    }
    outcome = agreement(
        H, {name: [None if c is None else [c] for c in row] for name, row in annotators.items()}, "SDL", rows="sets"
    )
    pairs = {(a, b): (n, alpha) for a, b, n, alpha in outcome.pairs().rows}
    assert pairs["A", "C"] == (3, 1.0)
    assert pairs["A", "B"][0] == 4
    square = {
        (row[0], name): alpha for row in outcome.matrix().rows for name, alpha in zip("ABC", row[1:], strict=True)
    }
    assert all(square[a, b] == square[b, a] == alpha for (a, b), (_, alpha) in pairs.items())
    assert [square[name, name] for name in "ABC"] == [1, 1, 1]
    assert [row[0] for row in outcome.instances(2).rows] == [4, 2]
    levels = dict(outcome.levels().rows)
    assert levels[0] == 1.0  # all say animal
    assert levels[2] < levels[0]
    branches = {label: number for label, number, _ in outcome.branches(1).rows}
    assert repr(outcome).startswith(f"Agreement({outcome.measure.display_name}, ")
    with pytest.raises(InvalidOption, match="the deepest level is"):
        outcome.branches(9)
    assert branches == {"mammal": 3, "bird": 2}
    with pytest.raises(InvalidOption, match="by level"):
        agreement(H, {"A": ["cow"], "B": ["cow"]}, "F_H").levels()


def test_what_cannot_be_agreement():
    with pytest.raises(InvalidOption, match="not symmetric"):
        agreement(H, {"A": ["cow"], "B": ["cow"]}, "P_H")
    with pytest.raises(InvalidOption, match="at least two"):
        agreement(H, {"A": ["cow"]})
    with pytest.raises(MisalignedSides, match="different numbers of rows"):
        agreement(H, {"A": ["cow"], "B": ["cow", "cow"]})
    with pytest.raises(MisalignedSides, match="some annotators have ids"):
        agreement(H, {"A": {1: ["cow"]}, "B": ["cow"]})
    for number in ("alpha", "observed"):
        with pytest.raises(UndefinedScore, match="no instance has two"):
            getattr(agreement(H, {"A": {1: ["cow"]}, "B": {2: ["cow"]}}), number)


def test_the_command(tmp_path):
    (tmp_path / "h.txt").write_text("animal mammal\nmammal sheep\nmammal cow\nanimal bird\n")
    (tmp_path / "a.csv").write_text("id,label\n1,sheep\n2,cow\n3,bird\n")
    (tmp_path / "b.csv").write_text("id,label\n1,sheep\n2,sheep\n")
    files = [str(tmp_path / name) for name in ("h.txt", "a.csv", "b.csv")]
    outcome = CliRunner().invoke(
        commands, ["agreement", *files, "--pairs", "--levels", "--worst", "1", "--branches", "1"]
    )
    assert outcome.exit_code == 0, outcome.output
    expected = agreement(H, {"a": {1: ["sheep"], 2: ["cow"], 3: ["bird"]}, "b": {1: ["sheep"], 2: ["sheep"]}}).alpha
    assert f"{expected:.4f}" in outcome.output
    assert "2 instances with at least two annotations" in outcome.output


def test_sample_size_is_its_formula():
    mesh = examples.mesh_mini()
    first, second, *_ = mesh.systems
    ev = evaluate(mesh.hierarchy, mesh.true, {name: mesh.systems[name] for name in (first, second)}, ["F_H", "GIE"])
    for name in ("F_H", "GIE"):
        values = [float(v) for v in ev.per_instance(first, name) - ev.per_instance(second, name)]
        z = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.9)
        size = ev.sample_size(first, second, name, power=0.9)
        assert size == max(2, math.ceil((z * stdev(values) / (math.fsum(values) / len(values))) ** 2))
        assert 0.8 < size.checked < 0.97  # that of the pilot itself, not far from 0.9
        given = ev.sample_size(first, second, name, power=0.9, difference=0.01)
        assert given == math.ceil((z * stdev(values) / 0.01) ** 2)
        assert detectable_difference(given.deviation, int(given), power=0.9) <= 0.01 + 1e-12
    with pytest.raises(InvalidOption, match="do not differ"):
        ev.sample_size(first, first, "F_H")
    with pytest.raises(InvalidOption, match="power"):
        ev.sample_size(first, second, "F_H", power=1)


def test_sample_size_of_rounding_is_refused_and_a_huge_one_is_not_drawn(monkeypatch):
    path, near, far = ["animal", "mammal", "sheep"], ["animal", "mammal", "cow"], ["animal", "cow", "bird"]
    ev = evaluate(H, [path] * 2, {"A": [path, far], "B": [near, near]}, ["F"], rows="sets")
    first, second = (ev.per_instance(system, "F") for system in "AB")
    assert math.fsum(first - second) != 0  # 1 − 2/3 and 2/3 − 1/3
    with pytest.raises(InvalidOption, match="do not differ"):
        ev.sample_size("A", "B", "F")
    monkeypatch.setattr(planning, "DRAWS", 10)
    size = evaluate(H, [path] * 3, {"A": [path, far, path], "B": [near] * 3}, ["F"], rows="sets").sample_size(
        "A", "B", "F"
    )
    assert size > 10
    assert math.isnan(size.checked)


def test_planning_on_medline(data):
    folder = data / "medline_mesh"
    systems = {name: folder / f"pred_{name}.txt" for name in ("knn30", "topdown_lcpn", "rocchio_top8")}
    ev = evaluate(data / "mesh2016" / "mesh_hierarchy.txt", folder / "gold.txt", systems, ["F_H"])
    assert ev.sample_size("knn30", "topdown_lcpn", "F_H") == 53
    assert 6_000 < ev.sample_size("topdown_lcpn", "rocchio_top8", "F_H") < 6_400


def test_nine_classifiers_of_16s_sequences(data):
    annotators = {}
    for file in sorted((data / "taxa16s").glob("pred_*.tsv.gz")):
        rows = (line.split("\t") for line in gzip.decompress(file.read_bytes()).decode().splitlines()[1:])
        paths = {row[0]: [part.strip() for part in row[1].split(";")] for row in rows}
        annotators[file.name] = {
            name: [part for part in path if not part.endswith("__") and part] for name, path in paths.items()
        }
    paths = [path for of in annotators.values() for path in of.values()]
    edges = {(">".join(path[:k]), ">".join(path[: k + 1])) for path in paths for k in range(1, len(path))}
    h = Hierarchy.from_edges(edges, classes={path[0] for path in paths if path})
    labels = {
        who: {name: [">".join(path)] if path else [] for name, path in of.items()} for who, of in annotators.items()
    }
    assert agreement(h, labels, "accuracy").alpha == pytest.approx(0.73, abs=0.005)
    assert agreement(h, labels, "SDL").alpha == pytest.approx(0.95, abs=0.005)


def test_the_gate_and_the_page_say_what_is_too_small_to_see(tmp_path):
    mesh = examples.mesh_mini()
    first, second = "knn30", "svm_ovr_freq60"
    old = evaluate(mesh.hierarchy, mesh.true, {"a": mesh.systems[first]}, ["F_H"])
    new = evaluate(mesh.hierarchy, mesh.true, {"a": mesh.systems[second]}, ["F_H"])
    drops = Gate(old).compare(new)
    (change,) = drops.changes
    spread = stdev((new.per_instance("a", "F_H") - old.per_instance("a", "F_H")).tolist())
    assert change.detectable == pytest.approx(2.8015852 * spread / math.sqrt(200), rel=1e-6)
    assert any("smallest drop that this test set can detect" in note for note in drops.table().notes)
    h = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    ev = evaluate(h, ["a"] * 20, {"A": ["a"] * 19 + ["b"], "B": ["a"] * 18 + ["b", "b"]}, ["F_H"])
    size = ev.sample_size("A", "B", "F_H")
    ev.to_html(tmp_path / "r.html")
    assert f"would need about {int(size):,} instances" in (tmp_path / "r.html").read_text()
