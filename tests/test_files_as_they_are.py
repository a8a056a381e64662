"""Files of the Gene Ontology, Annif, CAFA and cell typing are read as they are; damaged ones are refused by line."""

from __future__ import annotations

import gzip
import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from hemlp import Batch, Hierarchy, LabelSets, evaluate, read_hierarchy, read_labels, read_scores
from hemlp.cli.main import commands
from hemlp.errors import (
    AmbiguousLabel,
    FileFormatError,
    HemlpError,
    InvalidLabelSets,
    InvalidOption,
    InvalidScores,
    UnreadableFile,
)

OBO = """format-version: 1.2

[Term]
id: GO:1
name: root process

[Term]
id: GO:2
name: growth
alt_id: GO:20
synonym: "getting larger" EXACT [x:1]
synonym: "change" BROAD []
is_a: GO:1

[Term]
id: GO:3
name: cell growth
synonym: "getting larger" EXACT []
is_a: GO:2

[Term]
id: GO:7
is_obsolete: true
replaced_by: GO:8

[Term]
id: GO:8
is_obsolete: true
replaced_by: GO:20

[Term]
id: GO:9
is_obsolete: true
replaced_by: GO:10

[Term]
id: GO:10
is_obsolete: true
replaced_by: GO:9
"""


def as_dict(sets):
    return dict(zip(sets.ids, map(set, sets), strict=True))


def gaf(*rows: tuple[str, str, str, str], database: str = "UniProtKB") -> str:
    """Lines of 17 cells: id, qualifier, term, evidence."""
    lines = [
        "\t".join([database, key, "SYM", qualifier, term, "PMID:1", code, "", "P", "", "", "protein", "taxon:9606",
                   "20200101", "GO_Central", "", ""])
        for key, qualifier, term, code in rows
    ]  # fmt: skip
    return "!gaf-version: 2.2\n!generated-by: x\n" + "".join(f"{line}\n" for line in lines)


def gpad(*rows: tuple[str, str, str, str], version: str = "2.0") -> str:
    lines = []
    for key, qualifier, term, code in rows:
        first = (
            [f"UniProtKB:{key}", qualifier, "RO:1"] if version == "2.0" else ["UniProtKB", key, qualifier or "part_of"]
        )
        lines.append("\t".join([*first, term, "PMID:1", code, "", "", "20200101", "UniProt", "", ""]))
    return f"!gp{'ad' if version == '2.0' else 'a'}-version: {version}\n" + "".join(f"{line}\n" for line in lines)


ROWS = [
    ("P1", "involved_in", "GO:3", "IDA"), ("P1", "involved_in", "GO:3", "IEA"),
    ("P1", "NOT|involved_in", "GO:1", "IDA"),
    ("P2", "involved_in", "GO:7", "IEA"), ("P2", "involved_in", "GO:20", "EXP"),
]  # fmt: skip


def test_gaf(tmp_path):
    (tmp_path / "go.obo").write_text(OBO)
    (tmp_path / "a.gaf").write_text(gaf(*ROWS))
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(gaf(*ROWS).encode()))
    for name in ("a.gaf", "b.txt.gz"):
        with pytest.warns(UserWarning, match=f"{name}: left out 1 annotation with NOT$"):
            sets = read_labels(tmp_path / name)
        assert as_dict(sets) == {"P1": {"GO:3"}, "P2": {"GO:7", "GO:20"}}
        assert sets.layout == "GAF 2.2"
    with pytest.warns(UserWarning, match="left out 2 annotations of other evidence, 1 annotation with NOT"):
        chosen = read_labels(tmp_path / "a.gaf", evidence="experimental")
    assert as_dict(chosen) == {"P1": {"GO:3"}, "P2": {"GO:20"}}
    with pytest.warns(UserWarning, match="other evidence"):
        assert as_dict(read_labels(tmp_path / "a.gaf", evidence=["IEA"])) == {"P1": {"GO:3"}, "P2": {"GO:7"}}
    batch = Batch.of(read_hierarchy(tmp_path / "go.obo"), sets, sets)
    assert batch.hierarchy.labels[int(batch.true[1][0])] == "GO:2"  # replaced twice, and an alternative id


@pytest.mark.parametrize("version", ["1.1", "2.0"])
def test_gpad(tmp_path, version):
    codes = {"IDA": "ECO:0000314", "IEA": "ECO:0000501", "EXP": "ECO:0000269"}
    rows = [(key, "NOT" if "NOT" in q else "", term, codes[code]) for key, q, term, code in ROWS]
    (tmp_path / "a.gpad").write_text(gpad(*rows, version=version))
    with pytest.warns(UserWarning, match="1 annotation with NOT"):
        sets = read_labels(tmp_path / "a.gpad")
    assert as_dict(sets) == {"P1": {"GO:3"}, "P2": {"GO:7", "GO:20"}}
    assert sets.layout == f"GPAD {version}"
    for evidence in ("IDA,EXP", "ECO:0000314,ECO:0000269", "experimental"):
        with pytest.warns(UserWarning, match="other evidence"):
            assert as_dict(read_labels(tmp_path / "a.gpad", evidence=evidence)) == {"P1": {"GO:3"}, "P2": {"GO:20"}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("!gaf-version: 2.2\nUniProtKB\tP1\tS\n", "line 2: 3 cells between tabs instead of 15"),
        (gaf(("P1", "", "", "IDA")), "line 3: no database, id, term or evidence"),
        (gaf(("P1", "NOT", "GO:1", "IDA")), "no annotation that is left"),
        (gaf(("P1", "", "GO:1", "IDA")) + gaf(("P1", "", "GO:1", "IDA"), database="MGI"), "line 6: 'P1' is an id of"),
        ("!gaf-version: 2.2\n", "has no annotation"),
        ("!gpad-version: 2.0\nP1\tNOT\n", "line 2: 2 cells"),
        (gpad(("", "", "GO:1", "ECO:0000314")), "line 2: no database, id"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*left out")
def test_damaged_annotations(tmp_path, text, words):
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(FileFormatError, match=words):
        read_labels(tmp_path / "a.txt")


def test_evidence_codes_are_known(tmp_path):
    (tmp_path / "a.gaf").write_text(gaf(*ROWS))
    with pytest.raises(InvalidOption, match="no evidence code 'IDB'; did you mean"):
        read_labels(tmp_path / "a.gaf", evidence="IDB")
    (tmp_path / "a.txt").write_text("GO:1\n")
    with pytest.raises(InvalidOption, match="evidence codes are those of GAF"):
        read_labels(tmp_path / "a.txt", evidence="IDA")


def test_synonyms_and_replaced_terms_of_obo(tmp_path):
    (tmp_path / "go.obo").write_text(OBO)
    h = read_hierarchy(tmp_path / "go.obo")
    assert h.labels[h.id("cell growth")] == "GO:3"
    with pytest.raises(AmbiguousLabel, match="name of 2 classes: 'GO:2', 'GO:3'"):
        h.id("getting larger")
    assert h.aliases == {"GO:20": "GO:2", "GO:7": "GO:2", "GO:8": "GO:2"}
    assert "change" not in h  # a wider term is no name
    (tmp_path / "bad.obo").write_text("[Term]\nid: GO:1\nsynonym: EXACT\n")
    with pytest.raises(FileFormatError, match="line 3"):
        read_hierarchy(tmp_path / "bad.obo")


# ---- pairs without a head

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])


@pytest.mark.parametrize("name", ["g.tsv", "g.txt", "g", "g.tsv.gz"])
def test_pairs_without_a_head(tmp_path, name):
    data = b"d1\ta\nd2\tb\nd1\tc\n"
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    sets = read_labels(tmp_path / name)
    assert as_dict(sets) == {"d1": {"a", "c"}, "d2": {"b"}}
    ev = evaluate(TREE, tmp_path / name, {"A": tmp_path / name}, ["F_H"], memory="2GB" if name == "g.txt" else None)
    assert ev.mean("A", "F_H") == 1


def test_lines_with_tabs_are_no_pairs_unless_all_are(tmp_path):
    for text, rows in (("a\tb\n\nc\ta\n", 3), ("a\tb\na\tb\tc\n", 2), ("a b\tc\nr\tb\n", None)):
        (tmp_path / "g.txt").write_text(text)
        sets = read_labels(tmp_path / "g.txt")
        assert (None if sets.ids else len(sets)) == rows
    (tmp_path / "g.txt").write_text("a\tb\nc\tr\n")
    with pytest.raises(InvalidLabelSets, match="two classes of the hierarchy.*format='lines' if both are labels"):
        evaluate(TREE, tmp_path / "g.txt", {"A": tmp_path / "g.txt"}, ["F_H"])
    assert list(read_labels(tmp_path / "g.txt", format="lines")) == [("a", "b"), ("c", "r")]
    (tmp_path / "g.tsv").write_text("d1\ta\nd2\n")
    with pytest.raises(FileFormatError, match="line 2: 1 cells instead of id and label"):
        read_labels(tmp_path / "g.tsv")


def test_tables_of_cafa_5_and_of_cells(tmp_path):
    (tmp_path / "terms.tsv").write_text("EntryID\tterm\taspect\nP1\ta\tBPO\nP1\tb\tBPO\n")
    assert as_dict(read_labels(tmp_path / "terms.tsv")) == {"P1": {"a", "b"}}
    (tmp_path / "obs.csv").write_text(",cell_type,conf_score\nAAC,a,0.9\nAAG,b,0.2\n")
    assert as_dict(read_labels(tmp_path / "obs.csv", label="cell_type")) == {"AAC": {"a"}, "AAG": {"b"}}
    (tmp_path / "obs.csv").write_text(",cell_type,conf_score\nAAC,a,0.9\nAAC,b,0.2\n")
    with pytest.raises(FileFormatError, match="'conf_score' looks like scores"):
        read_labels(tmp_path / "obs.csv", label="cell_type")
    obs = pd.DataFrame({"cell_type": ["a", "b"], "guess": ["c", "b"], "conf": [0.9, 0.2]}, index=["AAC", "AAG"])
    obs["guess"] = obs["guess"].astype("category")
    ev = evaluate(TREE, obs["cell_type"], {"ct": LabelSets.of(obs, label="guess")}, ["F"])
    assert ev.mean("ct", "F") == 0.5
    named = LabelSets.of(obs.reset_index(names="cell"), id="cell", label="guess")
    assert as_dict(named) == {"AAC": {"c"}, "AAG": {"b"}}


# ---- Annif

TTL = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix : <http://x.org/> .
:r a skos:Concept ; skos:prefLabel "Root"@en, "Wurzel"@de .
:a a skos:Concept ; skos:prefLabel "Arts"@en, "Kunst"@de ; skos:altLabel "Works"@en ; skos:broader :r .
:b a skos:Concept ; skos:prefLabel "Books"@en, "Buch"@de ; skos:altLabel "Works"@en ; skos:broader :r .
:c a skos:Concept ; skos:prefLabel "Colour"@en ; skos:broader :a .
"""
TRUE = [["http://x.org/a", "http://x.org/c"], ["http://x.org/b"], []]
RESULTS = [{"http://x.org/a": 0.9, "http://x.org/b": 0.3}, {}, {"http://x.org/c": 0.5}]


@pytest.fixture
def annif(tmp_path, monkeypatch):
    """The same three documents in every layout."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v.ttl").write_text(TTL)
    documents = [
        {"document_id": f"d{k}", "text": "x", "subjects": [{"uri": uri} for uri in subjects],
         "results": [{"uri": uri, "label": "y", "score": score} for uri, score in results.items()]}
        for k, (subjects, results) in enumerate(zip(TRUE, RESULTS, strict=True))
    ]  # fmt: skip
    (tmp_path / "c.annif.jsonl").write_text("".join(json.dumps(each) + "\n" for each in documents))
    for each in documents:
        del each["document_id"]
    (tmp_path / "bare.jsonl").write_text("".join(json.dumps(each) + "\n" for each in documents))
    (tmp_path / "c.tsv").write_text("".join("A text\t" + " ".join(f"<{u}>" for u in s) + "\n" for s in TRUE))
    rows = "".join(f'd{k},"x, y",{" ".join(s)}\n' for k, s in enumerate(TRUE))
    (tmp_path / "c.csv").write_text("document_id,text,subject_uris\n" + rows)
    folder = tmp_path / "docs"
    folder.mkdir()
    for k, (subjects, results) in enumerate(zip(TRUE, RESULTS, strict=True)):
        (folder / f"d{k}.txt").write_text("x")
        (folder / f"d{k}.annif").write_text("".join(f"<{uri}>\tlabel\t{score}\n" for uri, score in results.items()))
        if k == 1:
            (folder / "d1.key").write_text("Books\n")
        elif k == 2:
            (folder / "d2.json").write_text('{"text": "x", "subjects": []}')
        else:
            (folder / f"d{k}.tsv").write_text("".join(f"<{uri}>\tArts\n" for uri in subjects))
    (folder / "unlabelled.txt").write_text("x")
    return tmp_path


def test_layouts_of_annif(annif):
    h = read_hierarchy("v.ttl")
    expected = evaluate(h, TRUE, {"s": [[u for u, v in r.items() if v >= 0.4] for r in RESULTS]}, ["F_H", "F"])
    for gold, scores in (
        ("c.tsv", "bare.jsonl"), ("bare.jsonl", "bare.jsonl"), ("c.csv", "c.annif.jsonl"), ("docs", "docs"),
        ("docs", "c.annif.jsonl"), ("c.annif.jsonl", "docs"),
    ):  # fmt: skip
        ev = evaluate(h, gold, {"s": read_scores(scores).at(0.4)}, ["F_H", "F"])
        for name in ("F_H", "F"):
            assert ev.per_instance("s", name).tolist() == expected.per_instance("s", name).tolist(), (gold, scores)
        done = CliRunner().invoke(commands, ["evaluate", "v.ttl", gold, f"s={scores}@0.4", "-m", "F_H"])
        assert done.exit_code == 0, done.exception
        assert f"{expected.mean('s', 'F_H'):.4f}" in done.output


def test_damaged_files_of_annif(annif):
    (annif / "docs" / "d0.tsv").write_text("Arts\tx\n")
    with pytest.raises(FileFormatError, match="d0.tsv, line 1: 'Arts' is not an <address>"):
        read_labels("docs")
    (annif / "docs" / "d0.annif").write_text("<http://x.org/a>\tArts\n")
    with pytest.raises(FileFormatError, match="d0.annif, line 1: not <address>, label and score"):
        read_scores("docs")
    (annif / "c.tsv").write_text("A text\t<http://x.org/a>\nno tab\n")
    with pytest.raises(FileFormatError, match="line 2: 1 cells where"):
        read_labels("c.tsv")
    (annif / "c.csv").write_text("document_id,subject_uris\nd1,x\nd1,y\n")
    with pytest.raises(FileFormatError, match="document_id"):
        read_labels("c.csv")
    (annif / "c.jsonl").write_text('{"subjects": [{"uri": []}]}\n')
    with pytest.raises(FileFormatError, match="line 1: subjects are a list"):
        read_labels("c.jsonl")
    (annif / "c.jsonl").write_text('{"results": [{"uri": "x", "score": 0.5}]}\n')
    with pytest.raises(FileFormatError, match="Annif suggestions with scores.*FILE@0.3"):
        read_labels("c.jsonl")
    (annif / "empty").mkdir()
    with pytest.raises(UnreadableFile, match="directory without subjects"):
        read_labels("empty")
    with pytest.raises(UnreadableFile, match="directory without suggested subjects"):
        read_scores("empty")


def test_a_folder_holds_both_labels_and_scores(annif, recwarn):
    """So it may be given twice where a measure reads scores; read as labels twice, it is a mistake."""
    for measure, warned in (("F@5", False), ("F", True)):
        assert CliRunner().invoke(commands, ["evaluate", "v.ttl", "docs", "s=docs", "-m", measure]).exit_code == 0
        assert any("are the same file" in str(each.message) for each in recwarn) == warned


def test_addresses_in_angle_brackets_and_ambiguous_labels(annif):
    h = read_hierarchy("v.ttl")
    batch = Batch.of(h, [["<http://x.org/a>"], ["Books"]], [["http://x.org/a"], ["<http://x.org/z>"]], unknown="drop")
    assert [row.tolist() for row in (batch.true[0], batch.pred[0])] == [[h.id("http://x.org/a")]] * 2
    assert batch.true.named_counts is None
    with pytest.raises(AmbiguousLabel, match="'Works' is the name of 2 classes"):
        Batch.of(h, [["Works"]], [["Arts"]])
    german = CliRunner().invoke(commands, ["check", "v.ttl", "--language", "de"])
    assert german.exit_code == 0
    (annif / "g.csv").write_text("id,label\n1,Kunst\n2,http://x.org/a\n3,<http://x.org/a>\n")
    german = CliRunner().invoke(commands, ["check", "v.ttl", "g.csv", "--language", "de"])
    assert re.search(r"labels read by name or alias +1\n", german.output)  # and two addresses
    done = CliRunner().invoke(commands, ["evaluate", "v.ttl", "g.csv", "g.csv", "-m", "F", "--language", "de"])
    assert done.exit_code == 0


def test_vocabularies_of_annif(annif):
    (annif / "v.tsv").write_text("<http://x.org/a>\tArts\n<http://x.org/b>\tBooks\tB\n")
    (annif / "v.csv").write_text(
        "uri,label_de,label_en,notation\nhttp://x.org/a,Kunst,Arts,1\nhttp://x.org/b,,Books,2\n"
    )
    for name, language in (("v.tsv", "en"), ("v.csv", "en"), ("v.csv", "de")):
        h = read_hierarchy(name, language=language)
        assert set(h.labels) == {"http://x.org/a", "http://x.org/b"}
        assert h.names["http://x.org/a"] == ("Kunst" if language == "de" else "Arts")
    (annif / "v.csv").write_text("uri,label_en\nhttp://x.org/a\n")
    with pytest.raises(FileFormatError, match="line 2"):
        read_hierarchy("v.csv")


# ---- matrices of probabilities


@pytest.mark.parametrize("head", ["id,a,b", ",a,b", "a,b"])
def test_a_matrix_with_class_names(tmp_path, head):
    rows = np.array([[0.25, 0.75], [1, 1e-3]])
    ids = head.count(",") == 2
    lines = [",".join([*([f"d{k}"] if ids else []), *map(str, row)]) for k, row in enumerate(rows)]
    (tmp_path / "p.csv").write_text("\n".join([head, *lines]) + "\n")
    s = read_scores(tmp_path / "p.csv")
    assert s.ids == (("d0", "d1") if ids else None)
    assert [[each["a"], each["b"]] for each in s] == rows.tolist()
    assert evaluate(TREE, {"d0": "b", "d1": "a"} if ids else ["b", "a"], {"s": s.top(1)}, ["F"]).mean("s", "F") == 1


def test_damaged_matrices(tmp_path):
    for text, words in (
        ("id,a,b\nd1,0.5,x\n", "line 2, column 'b': 'x' is not a number"),
        ("id,a,b\nd1,0.5\n", "line 2: 2 cells"),
        ("id,a,a\nd1,0.5,0.5\n", "line 1: each column needs a class of its own"),
        ("id,a,b\nd1,0.5,0.1\nd1,0.5,0.1\n", "the instance 'd1' has several rows"),
    ):
        (tmp_path / "p.csv").write_text(text)
        with pytest.raises((FileFormatError, InvalidScores), match=words):
            read_scores(tmp_path / "p.csv", format="matrix")
    (tmp_path / "p.csv").write_text("doc,topic,0.3\nd1,a,0.5\n")
    with pytest.raises(HemlpError, match="no column 'id'"):
        read_scores(tmp_path / "p.csv")


# ---- check


def test_check_names_formats_and_ends_with_a_verdict(annif):
    done = CliRunner().invoke(commands, ["check", "v.ttl", "docs", "docs@0.4", "c.csv"])
    assert done.exit_code == 0
    assert all(words in done.output for words in ("rdf", "annif, a folder", "annif\n"))
    assert done.output.strip().endswith("Ready: no problem was found. The files can be scored as they are.")
    (annif / "names.csv").write_text("id,label\nd0,Works\nd1,Boks\nd2,Colour\n")
    done = CliRunner().invoke(commands, ["check", "v.ttl", "docs", "names.csv"])
    assert done.exit_code == 2
    assert "'Works' is the name of 2 classes" in done.output
    assert "did you mean 'Books'" in done.output
    assert done.output.strip().endswith("Not ready: 2 problems to solve first.")
    done = CliRunner().invoke(commands, ["check", "v.ttl", "docs/d0.tsv"])
    assert done.exit_code == 2
    assert "subjects of one document" in done.output
    assert "Ready" in CliRunner().invoke(commands, ["check", "v.ttl", "docs", "c.annif.jsonl"]).output
