"""A file of another layout is refused with the layout that it seems to have; label sets of every kind are accepted."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from click.testing import CliRunner

from hemlp import Batch, Hierarchy, LabelSets, ScoredSets, cafa, curve, evaluate, metrics, read_hierarchy, read_labels
from hemlp.cli.main import commands
from hemlp.errors import HemlpError, InvalidLabelSets, MisalignedSides, UnknownLabel
from hemlp.instances.score_files import as_gold, read_scores

EDGES = [("u:r", "u:a"), ("u:r", "u:b"), ("u:a", "u:c"), ("u:a", "u:d")]
NAMES = {"u:r": "Root", "u:a": "Arts", "u:b": "Books", "u:c": "Colour theory", "u:d": "Drawing"}
H = Hierarchy.from_edges(EDGES, aliases={name: label for label, name in NAMES.items()})
pytestmark = pytest.mark.filterwarnings("ignore:.*without true labels, left out")
SUBJECTS = ["u:a", "u:c", "u:b"]
"""Of one document."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    classes = "".join(f'u:{k} a skos:Concept ; skos:prefLabel "{NAMES["u:" + k]}"@en .\n' for k in "rabcd")
    edges = "".join(f"{child} skos:broader {parent} .\n" for parent, child in EDGES)
    heads = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n@prefix u: <http://x.org/> .\n"
    (tmp_path / "h.ttl").write_text(heads + classes + edges)
    return tmp_path


def run(*arguments):
    """Exit code and message."""
    result = CliRunner().invoke(commands, arguments)
    error = result.exception
    return (2, str(error)) if isinstance(error, HemlpError) else (result.exit_code, result.output)


@pytest.mark.parametrize("address", ["<http://x.org/{}>", "http://x.org/{}"])
@pytest.mark.parametrize("head", ["", "id\tlabel"])
def test_subjects_of_one_document(folder, address, head):
    """Annif's files, one per document: <address>, name, score; the names are those of the classes."""
    lines = [(address.format(label[-1]), NAMES[label]) for label in SUBJECTS]
    gold = [head] * bool(head) + ["\t".join(line) for line in lines[:2]]
    (folder / "d.tsv").write_text("\n".join(gold) + "\n")
    scores = [f"{head}\tscore"] * bool(head) + ["\t".join((*line, f"0.{9 - k}")) for k, line in enumerate(lines)]
    for name in ("d.annif", "s.tsv"):
        (folder / name).write_text("\n".join(scores) + "\n")
        code, message = run("evaluate", "h.ttl", "d.tsv", f"tfidf={name}@0.6", "-m", "F_H")
        assert code == 2
        assert "subjects of one document" in message
        for call in (curve, cafa):
            with pytest.raises(InvalidLabelSets, match="subjects of one document"):
                call(*(["h.ttl", "d.tsv", name, ["F_H"]] if call is curve else ["h.ttl", "d.tsv", name]))
    code, message = run("evaluate", "h.ttl", "d.tsv", "d.tsv", "-m", "F_H")
    assert code == 2
    assert "subjects of one document" in message or not head
    assert "choose --rows sets if" in run("check", "h.ttl", "d.tsv", "d.tsv")[1] or not head
    if head:
        assert "--rows sets" in message
        assert run("evaluate", "h.ttl", "d.tsv", "d.tsv", "-m", "F_H", "--rows", "sets")[0] == 0


def refused(sides, words, **options):
    """On either side, wherever label sets meet a hierarchy; but rows="sets" is a way out."""
    for call in (
        lambda **o: Batch.of(H, sides, sides, **options, **o),
        lambda **o: evaluate(H, sides, {"s": sides}, ["F_H"], **options, **o),
    ):
        with pytest.raises(InvalidLabelSets, match=f"{words}.*; choose rows='sets' if it does hold label sets"):
            call()
    if options:
        assert len(Batch.of(H, sides, sides, **options, rows="sets")) == len(sides)


ANYWAY = {"unknown": "drop", "unknown_true": "drop"}


def test_columns_in_the_wrong_order():
    refused({"u:a": "d1", "u:b": "d2"}, "all ids are classes .*wrong order", **ANYWAY)
    refused({"u:a": "d1", "u:b": "d2"}, "all ids are classes .*wrong order", unknown="isolate")
    with pytest.raises(InvalidLabelSets, match="wrong order"):
        Batch.of(H, {"Arts": "d1"}, {"Arts": "d1"})
    assert len(Batch.of(H, {"u:a": "d1", "u:b": "u:b"}, {"u:a": "d1", "u:b": "u:b"}, **ANYWAY)) == 2
    with pytest.raises(UnknownLabel):
        Batch.of(H, {"d1": "d1"}, {"d1": "d1"})


def test_ids_that_name_their_only_label():
    refused({"u:a": "Arts", "u:b": ["Books"], "u:c": []}, "every id names the same class as its only label")
    for good in ({"u:a": "u:a", "u:b": "u:b"}, {"u:a": "Arts", "u:b": "u:c"}, {"u:a": ["Arts", "u:b"]}, {"d": "Arts"}):
        assert len(Batch.of(H, good, good)) == len(good)


def test_numbers_of_rows_that_are_classes_by_accident():
    """Ids 0, 1, 2, ... are classes of a hierarchy of numbers, and may be predicted right or wrong."""
    h = Hierarchy.from_edges([(0, k) for k in range(1, 30)])
    texts = Hierarchy.from_edges([("0", str(k)) for k in range(1, 30)])
    rng = np.random.default_rng(0)
    for _ in range(50):
        rows = {k: rng.integers(0, 30, rng.integers(1, 3)).tolist() for k in range(1, 1 + rng.integers(1, 29))}
        assert len(Batch.of(h, rows, rows)) == len(rows)
        words = {str(k): list(map(str, labels)) for k, labels in rows.items()}
        assert len(Batch.of(texts, words, words)) == len(words)
    same = {k: k for k in range(30)}
    assert len(Batch.of(h, same, same)) == 30
    scores = ScoredSets.of({k: {k: 0.5} for k in range(30)})
    assert cafa(h, same, scores).fmax == 1


def test_the_hierarchy_itself(tmp_path):
    (tmp_path / "h.txt").write_text("".join(f"{parent} {child}\n" for parent, child in EDGES))
    (tmp_path / "up.txt").write_text("".join(f"{child} {parent}\n" for parent, child in EDGES))
    (tmp_path / "h.tsv").write_text("".join(f"{parent}\t{child}\n" for parent, child in EDGES))
    for name in ("h.txt", "up.txt"):
        refused(read_labels(tmp_path / name), "the edges of the hierarchy itself")
    for file in ("h.tsv",):
        with pytest.raises(InvalidLabelSets, match="the edges of the hierarchy itself"):
            curve(H, tmp_path / file, {"u:r": {"u:a": 0.5}}, ["F_H"])
    pairs = {"u:a": ["u:r"], "u:b": ["u:r"], "u:c": ["u:a"], "u:d": ["u:a"]}
    refused(pairs, "the edges of the hierarchy itself")
    lists = [list(edge) for edge in EDGES]
    assert len(Batch.of(H, lists, lists)) == 4
    some = LabelSets.of({"u:a": ["u:c", "u:d"], "u:b": ["u:r"]})
    assert len(Batch.of(H, some, some)) == 2
    (tmp_path / "two.txt").write_text("A a1\nA a2\nB b1\n")
    two = read_hierarchy(tmp_path / "two.txt")  # of two levels: a parent and a child each are label sets, too
    assert len(Batch.of(two, read_labels(tmp_path / "two.txt"), ["a1", "a2", "b1"])) == 3


def test_lines_of_id_and_label(tmp_path):
    (tmp_path / "long.txt").write_text("".join(f"d{k // 2} {label}\n" for k, label in enumerate(list(H) * 2)))
    refused(read_labels(tmp_path / "long.txt"), "look like lines of id and label", **ANYWAY)
    (tmp_path / "old.txt").write_text("gone u:a\n" * 6 + "lost u:b\n" * 6)
    old = read_labels(tmp_path / "old.txt")  # labels of another version, few of them
    assert len(Batch.of(H, old, old, **ANYWAY)) == 12


@pytest.mark.parametrize(
    ("label", "words"),
    [("u:a|u:b", "several labels in one string"), ("u:a, u:b", "several labels"), ("Arts/Books", "a path of classes")],
)  # fmt: skip
def test_labels_that_hold_more_than_a_label(label, words):
    for sides in ([["u:c"], [label]], {"d1": "u:c", "d2": label}):
        refused(sides, f"{label.replace('|', '.')!r} is unknown, and looks like {words}", **ANYWAY)
        with pytest.raises(UnknownLabel):
            Batch.of(H, sides, sides)


def test_heads_of_columns(tmp_path):
    tables = {"g.txt": "labels\nu:a\nu:b\n", "g.tsv": "doc\tterm\nd1\tu:a\nd2\tu:b\n"}
    tables |= {"h.txt": "id\tlabel\nd1\tu:a\nd2\tu:b\n", "i.txt": "Id label\nd1 u:a\n"}
    for name, text in tables.items():
        (tmp_path / name).write_text(text)
        gold = as_gold(tmp_path / name)
        refused(gold, "is unknown, and looks like the head of a column", **ANYWAY)
    refusing = Hierarchy.from_edges([("labels", "u:a"), ("labels", "u:b")])
    gold = read_labels(tmp_path / "g.txt")
    assert len(Batch.of(refusing, gold, gold)) == 3


def test_most_scored_instances_have_true_labels(folder):
    (folder / "h.txt").write_text("a b\na c\n")
    (folder / "gold.tsv").write_text("id\tlabel\nd1\tb\nd2\tc\n")
    (folder / "few.tsv").write_text("d1\tb\t0.9\nd2\tb\t0.9\nd3\tb\t0.9\n")
    (folder / "many.tsv").write_text("".join(f"d{k}\tb\t0.9\n" for k in range(2, 6)))
    assert run("evaluate", "h.txt", "gold.tsv", "few.tsv@0.5", "-m", "F_H")[0] == 0
    code, message = run("evaluate", "h.txt", "gold.tsv", "many.tsv@0.5", "-m", "F_H")
    assert code == 2
    assert "3 scored instances of 4, 'd3' for example, have no true labels" in message
    assert "--missing empty to leave these out" in message
    assert run("evaluate", "h.txt", "gold.tsv", "many.tsv@0.5", "-m", "F_H", "--missing", "empty")[0] == 0
    with pytest.raises(MisalignedSides, match="lacks"):
        evaluate("h.txt", "gold.tsv", {"s": read_scores("many.tsv").at(0.5)}, ["F_H"])


def test_real_data_is_accepted(data):
    for name, gold in (("mesh_mini", "gold.txt"), ("go2019_human", "gold.txt.gz")):
        folder = data / name
        h = read_hierarchy(next(folder.glob("hierarchy.txt*")))
        true = read_labels(folder / gold)
        for file in (folder / gold, *sorted(folder.glob("pred_*"))[:2]):
            assert len(Batch.of(h, true, read_labels(file))) == len(true)
    for folder in (data / "cafa2" / "mfo", data / "cafa2" / "cco"):
        ids = read_labels(folder / "ids.txt.gz")
        gold = dict(zip([name for (name,) in ids], read_labels(folder / "gold.txt.gz"), strict=True))
        scores = read_scores(folder / "scored_blast.tsv.gz")
        assert len(Batch.of(read_hierarchy(folder / "hierarchy.txt.gz"), gold, scores.take(list(gold)).at(0.5)))
        assert len(set(scores.ids) - set(gold)) < len(gold)


def test_ids_that_are_classes_are_said_to_be_ids(folder):
    """A .tsv file without a header has ids; a file of pairs of labels looks the same, so hemlp says how it reads it."""
    (folder / "h.txt").write_text("r a\nr b\na c\n")
    (folder / "g.tsv").write_text("a\tb\nb\tc\n")
    for command in (["check", "h.txt", "g.tsv"], ["evaluate", "h.txt", "g.tsv", "g.tsv", "-m", "F_H"]):
        with pytest.warns(UserWarning, match=r"g.tsv: every line is two classes .* read as lines of id and label"):
            assert run(*command)[0] == 0
    (folder / "p.tsv").write_text("a\tb\nb\tc\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run("evaluate", "h.txt", "g.tsv", "p.tsv", "-m", "F_H", "--format", "lines")[0] == 0
        for name in ("g.tsv", "p.tsv"):
            (folder / name).write_text("d1\tb\nb\tc\n")
        assert run("evaluate", "h.txt", "g.tsv", "p.tsv", "-m", "F_H")[0] == 0


def test_a_metric_says_so_too():
    with pytest.raises(InvalidLabelSets, match="every id names the same class"):
        metrics.f_h_score({"u:a": "Arts"}, {"u:a": "Arts"}, hierarchy=H)
    assert metrics.f_h_score({"u:a": "Arts"}, {"u:a": "Arts"}, hierarchy=H, rows="sets") == 1
