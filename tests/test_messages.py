"""What readers, scores and commands say where something is wrong, and that options are those of the caller."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from hemlp import (
    Batch,
    Evaluation,
    Hierarchy,
    LabelSets,
    ScoredSets,
    SetMeasure,
    SetScore,
    Tuned,
    cafa,
    curve,
    evaluate,
    read_hierarchy,
    read_labels,
    read_scores,
    reliability,
    tune,
)
from hemlp.cli.main import commands
from hemlp.errors import Advice, FileFormatError, HemlpError, InvalidOption
from hemlp.hierarchy.class_names import read_names
from hemlp.instances.label_files import LabelFile, open_labels
from hemlp.report.outputs import check_writable
from hemlp.report.plots import score_by_depth

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
S = ScoredSets.of([{"sheep": 0.9, "cow": 0.4}, {"cow": 0.7}])
GOLD = LabelSets.of([["sheep"], ["cow"]], rows="sets")
T = tune(H, GOLD, S, "F_H")
NAN = SetMeasure("odd", "none", score=SetScore(lambda facts: np.where(facts.predicted > 1, np.nan, facts.common)))


def stored() -> Evaluation:
    evaluate(H, [["sheep"]], {"A": [["cow"]]}, ["F_H"]).to_json("ev.json")
    return Evaluation.from_json("ev.json")


def of_file(reader, name, content, **options):
    """A call of a reader on a file of this content."""

    def call():
        data = content if isinstance(content, bytes) else content.encode()
        Path(name).write_bytes(data)
        return reader(name, **options)

    return call


CALLS = {
    # hierarchies
    "name columns, but the file has one column": of_file(read_hierarchy, "h.txt", "a b\n", parent="x"),
    "line 3: expected the columns ['parent', 'child'], not ['a']": of_file(
        read_hierarchy, "h.csv", "parent,child\nr,a\na\n"),
    "holds paths: they have no columns": of_file(read_hierarchy, "h.txt", "a > b\n", format="paths", parent="x"),
    "relations='is_a' is one string: write ['is_a']": of_file(
        read_hierarchy, "h.obo", "[Term]\nid: A\n", relations="is_a"),
    "the separator 'ab' is not one character": of_file(read_hierarchy, "h.csv", "parent,child\nr,a\n", sep="ab"),
    "one character: give '>', blanks around it do not count": of_file(read_labels, "g.txt", "a > b\n", sep=" > "),
    "5 is not the path of a file": lambda: read_hierarchy(5),  # type: ignore[arg-type]
    "classes='a' is not a list of labels: write ['a']": of_file(read_hierarchy, "h.txt", "a b\n", classes="a"),
    "a graph has no columns": lambda: Hierarchy.of(__import__("networkx").DiGraph([("a", "b")]), parent="x"),
    "is not a Hierarchy: make one with Hierarchy.from_edges": lambda: Batch.over(
        "x", GOLD, GOLD, None),  # type: ignore[arg-type]
    # label files
    "neither a string nor a number": of_file(read_labels, "l.jsonl", '{"id": ["a"], "labels": ["b"]}\n'),
    "cannot be read block by block: use read_labels": of_file(LabelFile, "l.csv", "id,label\n1,a\n"),
    "is a damaged gzip file": of_file(lambda name: list(LabelFile(name).blocks(9)), "l.txt.gz", b"\x1f\x8b\x08\x00ab"),
    "cannot read l.none": lambda: list(LabelFile("l.none").blocks(9)),
    "which can be read only once": lambda: open_labels("/dev/null"),
    "no instance id in the column 'id'": of_file(read_labels, "l.csv", 'id,label\n1,a\n,"b"\n'),
    "expected a tab between a label and its name": of_file(read_names, "n.tsv", "a name\n"),
    "a matrix without gaps, and labels= as a list": lambda: LabelSets.of([[1]], labels="a"),
    "labels= is for a matrix of numbers, and this holds values": lambda: LabelSets.of([["x", 1]], labels=["a", "b"]),
    # scores
    "the measure is undefined at every threshold": lambda: curve(
        H, [[]], [{"cow": 0.5}], ["TIE"], undefined="nan").best("TIE"),
    "no instance of the gold has a score: there is no threshold": lambda: curve(H, [["cow"]], [{}], ["F_H"]),
    "no instance of the gold has a score: there is no threshold to choose": lambda: tune(H, [["cow"]], [{}], "F_H"),
    "points=1 is not an integer of at least 2": lambda: curve(H, GOLD, S, ["F_H"], points=1),
    "a curve needs at least one measure": lambda: curve(H, GOLD, S, []),
    "the measure 'F_H' is asked for twice": lambda: curve(H, GOLD, S, ["F_H", "F_H"]),
    "what is excluded has 1 instance, the gold has 2": lambda: cafa(H, GOLD, S, exclude=[["cow"]]),
    "5 holds no scores: give a list": lambda: ScoredSets.of(5),
    "a matrix without gaps, and labels=": lambda: ScoredSets.of([[0.5]], labels="a"),
    "labels= names the columns of the frame in another order": lambda: ScoredSets.of(
        __import__("pandas").DataFrame({"b": [0.5], "a": [0.1]}), labels=["a", "b"]),
    "are of different lengths": lambda: ScoredSets.of({"id": [1, 2], "label": ["a"], "score": [0.5]}),
    "ids= names the rows of a list or a matrix": lambda: ScoredSets.of(
        {"id": [1], "label": ["a"], "score": [0.5]}, ids=["x"]),
    "a mapping has its ids already": lambda: ScoredSets.of({"x": {"a": 0.5}}, ids=["x"]),
    "labels= is for a matrix of numbers": lambda: ScoredSets.of([["x"]], labels=["a"]),
    "row 1: 1.5 is not a label": lambda: ScoredSets.of([{1.5: 0.5}]),
    "data, row 1: 1.5 is not a label": lambda: ScoredSets.of({"id": [1], "label": [1.5], "score": [0.5]}),
    "these are label sets without scores: give ScoredSets": lambda: curve(H, GOLD, GOLD, ["F_H"]),
    "line 2: 2 cells, the header has 3": of_file(read_scores, "s.csv", "id,label,score\na,b\n"),
    "line 2: no instance id in the column 'id'": of_file(read_scores, "s.csv", "id,label,score\n,b,1\n"),
    "line 1: not JSON": of_file(read_scores, "s.jsonl", "{\n"),
    "no instance of the gold has a score": lambda: reliability(H, [["cow"]], [{}]),
    "these scores have no instance ids to be taken by": lambda: S.take(["a"]),
    "default= is for a mapping class → threshold: what was tuned": lambda: S.at(T, default=0.5),
    "instance 1: the score of odd is not a number": lambda: curve(H, GOLD, S, [NAN]),
    "is not a list of finite numbers": lambda: cafa(H, GOLD, S, thresholds=[0.5, float("nan")]),
    "is not an array of numbers": lambda: cafa(H, GOLD, S, thresholds=["x"]),
    "does not hold thresholds that hemlp has tuned": of_file(
        Tuned.from_json, "t.json", json.dumps({**T.to_dict(), "hemlp": "other"})),
    # runs and results
    "hold no instance": lambda: evaluate(H, [], {"A": []}, ["F_H"]),
    "give workers= or executor=, not both": lambda: evaluate(
        H, GOLD, {"A": GOLD}, ["F_H"], workers=2, executor=object()),  # type: ignore[arg-type]
    "cannot write to .: it is a folder": lambda: check_writable(["."]),
    "depths need the data": lambda: score_by_depth(stored(), "F_H"),
    "row and id= both say which instance": lambda: evaluate(H, GOLD, {"A": GOLD}, ["F_H"]).explain("A", 0, id="x"),
    "id='x': these instances have no ids": lambda: evaluate(H, GOLD, {"A": GOLD}, ["F_H"]).explain("A", id="x"),
    "there is no instance with the id 'doc'; did you mean 'doc1'?": lambda: evaluate(
        H, {"doc1": ["cow"]}, {"A": {"doc1": ["cow"]}}, ["F_H"]).explain("A", id="doc"),
}  # fmt: skip


@pytest.mark.parametrize("words", CALLS)
def test_what_is_wrong_is_said(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(HemlpError) as error:
        CALLS[words]()
    assert words in str(error.value)


# ---- the command line


FILES = {
    "h.txt": "animal mammal\nmammal sheep\nmammal cow\n", "gold.txt": "sheep\ncow\n", "pred.txt": "cow\ncow\n",
    "long.csv": "id,label,age\na,cow,3\n", "semi.csv": "a|b\nx|y\n", "rows.jsonl": '{"labels": ["cow"], "score": 3}\n',
    "edges.csv": "parent,child,length\nanimal,cow,2\nanimal,sheep,1\n", "gold.csv": "id,label\na,cow\nb,sheep\n",
    "paths.txt": "a > c\nb > c\n", "rows.csv": "id;labels\na;cow\nb;sheep\n",
    "twice.csv": "id,label\na,cow\na,sheep\nb,cow\n",
    "named.csv": "id,parent,name\n1,,Animal\n2,Animal,Cow\n", "fields.jsonl": '{"doc": 1, "topics": ["cow"]}\n',
    "scores.tsv": "a\tcow\t0.5\nb\tsheep\t0.4\n", "gold.tsv": "a\tcow\nb\tsheep\n",
    "shop.tsv": "child\tparent\nHome\t\nHome > Pans\tHome\n", "lines.txt": "Home > Pans\nHome > Pans\n",
    "scored.jsonl": '{"id": 1, "scores": {"cow": 0.5}}\n',
    "path.toml": 'hierarchy = "h.txt"\ntrue = "gold.txt"\nmeasures = ["mine:own"]\n[systems]\nA = "pred.txt"\n',
    "pair.toml": 'hierarchy = "h.txt"\ntrue = "gold.txt"\n[systems]\nA = "pred.txt"\n[tests]\ncompare = [["A", "B"]]\n',
    "own.toml": 'hierarchy = "h.txt"\ntrue = "gold.txt"\nmeasure = "F"\n[systems]\nA = "pred.txt"\n',
    "wrong.toml": '[[measure]]\nname = "x"\npredicted = [2, 1]\n', "ignored.txt": "cow\nshep\n",
    "bad.toml": "hierarchy = 5\n", "few.toml": 'hierarchy = "h.txt"\n',
    "tuning.toml": 'hierarchy = "h.txt"\ntrue = "g"\n[systems]\nA = "a"\n[tuning]\nsystems = "x"\n',
}  # fmt: skip


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("explain h.txt gold.txt pred.txt --row 9", "--row 9: the files have 2 rows"),
        ("explain h.txt gold.txt pred.txt --id x", "--id x: these files have no ids; choose the instance by --row"),
        ("explain h.txt gold.csv gold.csv --id x", "there is no instance 'x'; ids look like"),
        ("evaluate h.txt gold.txt =pred.txt", "names no system: write NAME=pred.txt"),
        ("evaluate h.txt gold.txt A=pred.txt A=gold.txt", "two systems are called 'A'"),
        ("evaluate h.txt gold.txt h.txt", "is given as the hierarchy and as labels"),
        ("run few.toml", "few.toml: true is missing"),
        ("run tuning.toml", "systems of [tuning] is not a table"),
        ("run path.toml", "give it on the command line (hemlp evaluate ... -m mine:own)"),
        ("evaluate shop.tsv lines.txt lines.txt", "choose --rows paths and --sep '>' as these lines look like paths"),
        ("evaluate shop.tsv lines.txt lines.txt --rows paths", "choose --sep '>' if that separates the classes"),
        ("evaluate h.txt scored.jsonl scored.jsonl", "a threshold first (FILE@0.5 on the command line)"),
        ("run none.toml", "cannot read none.toml"),
        ("run pair.toml", "pair.toml: there is no system 'B'"),
        (
            "run own.toml",
            'own.toml: measures of your own are tables [[measure]] that have a name; did you mean measures = ["F"]?',
        ),
        (
            "evaluate h.txt gold.txt pred.txt -m wrong.toml",
            "wrong.toml: the bounds (2, 1) of predicted classes: at least 2",
        ),
        (
            "evaluate h.txt gold.txt pred.txt -m F --ignore ignored.txt",
            "ignored.txt, row 2: label 'shep' is not in the",
        ),
        ("evaluate h.txt gold.tsv scores.tsv@top0", "scores.tsv@top0: the number of classes is an integer"),
        ("agreement h.txt gold.txt", "needs at least two annotators"),
        ("evaluate h.txt gold.txt pred.txt --solver pulp(x=1)", "Pulp got an unexpected"),
        ("evaluate h.txt twice.csv gold.csv -m TIE", "instance 1 (a): TIE is undefined"),
        ("sensitivity h.txt gold.txt pred.txt -m F_H", "F_H has no default cost (or has constraints"),
        ("evaluate h.txt gold.txt pred.txt -m ,", "-m is empty: name a measure"),
        ("evaluate h.txt gold.txt pred.txt -m F\tF_H", "names 2 measures: separate them by commas"),
        ("model h.txt gold.txt pred.txt -m F,F_H", "F,F_H holds 2 measures: -m takes one"),
        ("evaluate h.txt gold.txt pred.txt -m mine.py:own", "write mine:own, without .py"),
        ("evaluate h.txt gold.txt pred.txt -m mine.own", "or module:object on the command line"),
        ("convert h.txt h.txt", "h.txt is read by this run and would be overwritten"),
        ("convert h.txt out.xls", "hierarchies are written as .csv, .tsv or .txt"),
        ("ic h.txt gold.txt -o out.doc", "weights are written as .csv, .tsv or .txt"),
        ("decide h.txt gold.txt pred.txt -o out.doc", "answers are written as .jsonl or .txt"),
        ("evaluate h.txt long.csv long.csv -m F_H", "choose --id id and --label label to leave them out on purpose"),
        ("evaluate h.txt edges.csv gold.csv -m F_H", "choose --id COLUMN and --label COLUMN to name both columns"),
        ("evaluate h.txt semi.csv semi.csv -m F_H", "choose --sep '|' if that separates the columns"),
        ("evaluate h.txt rows.jsonl rows.jsonl -m F_H", "choose --label labels to leave them out on purpose"),
        ("convert edges.csv out.tsv", "choose --parent parent and --child child to ignore it on purpose"),
        ("evaluate h.txt gold.txt pred.txt -m F_H --solver none", "none"),
        ("evaluate h.txt gold.txt pred.txt -m F_G", "did you mean"),
        ("evaluate h.txt gold.txt pred.txt --memory much", "like 500MB or 2GB"),
        ("curve h.txt gold.txt pred.txt --grid 1", "--grid 1 is not FROM,TO,STEP"),
        ("measures F_G", "there is no measure 'F_G'"),
        ("evaluate h.txt gold.txt pred.txt --max-drop F_H=1", "add --baseline FILE"),
        ("evaluate h.txt gold.txt pred.txt --quiet --verbose", "contradict each other"),
        ("model h.txt gold.txt pred.txt -m BMA --algebra", "choose --stage predicted for that part, or --stage true"),
        ("convert paths.txt out.tsv --format paths", "choose --same-names join to make it one, or --same-names apart"),
        ("convert named.csv out.tsv", "choose --child name if parents are given by name"),
        ("evaluate h.txt fields.jsonl fields.jsonl -m F_H", "choose --label NAME to name another field"),
        ("evaluate h.txt fields.jsonl fields.jsonl -m F_H --label topics --id x", "choose --id NAME to name another"),
        ("tune h.txt gold.tsv scores.tsv --by class", "are true in fewer than 20 instances"),
        ("tune h.txt gold.tsv scores.tsv --folds 5", "5 folds: there are 2 instances only"),
        ("tune h.txt gold.tsv scores.tsv --by level --undefined nan", "one threshold; choose --by all for that"),
        ("curve h.txt gold.tsv scores.tsv --points 2 --grid 0,1,0.5", "give one of them"),
        ("cafa h.txt gold.tsv scores.tsv --exclude gold.txt", "what is excluded has 2 instances"),
        ("evaluate h.txt gold.txt pred.txt --sep ab", "the separator 'ab' is not one character"),
        ("evaluate h.txt gold.txt pred.txt --id x", "names for ids and labels are those of columns"),
    ],
)
def test_commands_say_what_is_wrong_and_which_option_helps(command, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    done = CliRunner().invoke(commands, command.split(" "))
    assert isinstance(done.exception, HemlpError), done.output
    assert words in str(done.exception)
    assert done.exception.exit_code == 2
    assert not re.search(r"(^|\s)[a-z_]+=", str(done.exception))  # no arguments of Python


def test_scores_beside_columns_that_had_to_be_named(tmp_path):
    """All rows count, which is said; a class is suggested by the end of its path."""
    (tmp_path / "doc.csv").write_text("doc,topic,prob\na,cow,0.5\na,sheep,0.4\n")
    with pytest.warns(UserWarning, match=r"doc\.csv: all rows count, whatever their 'prob'; FILE@0\.5"):
        made = read_labels(str(tmp_path / "doc.csv"), id="doc", label="topic")
    assert list(made) == [("cow", "sheep")]
    shop = Hierarchy.of(["Home > Pans", "Garden > Pans"], same_names="apart")
    with pytest.raises(HemlpError, match="did you mean 'Garden > Pans' or 'Home > Pans'"):
        evaluate(shop, [["Pans"]], {"A": [["Home"]]}, ["F_H"])
    with pytest.raises(HemlpError, match="did you mean 'Garden > Pans' or 'Home > Pans'"):  # what is accepted
        evaluate(shop, [["Pan"]], {"A": [["Home"]]}, ["F_H"])


def test_a_file_with_the_named_column_of_scores_needs_a_cut_off(tmp_path, monkeypatch):
    """In a table, in JSON lines, and as a matrix, which has no such column: as check says."""
    monkeypatch.chdir(tmp_path)
    Path("h.txt").write_text("animal cow\nanimal sheep\n")
    Path("gold.csv").write_text("sku,cat\n1,cow\n2,sheep\n")
    Path("p.csv").write_text("sku,cat,prob\n1,cow,0.9\n1,sheep,0.3\n2,sheep,0.6\n")
    Path("p.jsonl").write_text('{"sku": "1", "cat": "cow", "prob": 0.9}\n{"sku": "2", "cat": "sheep", "prob": 0.6}\n')
    Path("m.csv").write_text(",cow,sheep\nx1,0.9,0.3\nx2,0.1,0.6\n")
    named = ["--id", "sku", "--label", "cat", "--score", "prob"]
    for file in ("p.csv", "p.jsonl"):
        refused = CliRunner().invoke(commands, ["evaluate", "h.txt", "gold.csv", file, *named])
        assert f"{file}@0.5 or {file}@top5" in str(refused.exception)
    for label in (None, "cat"):
        with pytest.raises(FileFormatError, match=r"holds scores, a column for each class: .*m\.csv@0\.5"):
            read_labels("m.csv", label=label)
    checked = CliRunner().invoke(commands, ["check", "h.txt", "gold.csv", "p.csv", *named]).output
    assert "Ready, with a cut-off: p.csv holds scores; give p.csv@0.5" in checked
    cut = CliRunner().invoke(commands, ["evaluate", "h.txt", "gold.csv", "p.csv@0.5", "-m", "F", *named])
    assert "F of p@0.5 is 1.0000" in cut.output
    Path("c.csv").write_text("doc,topic\n1,4\n2,5\n")
    with pytest.raises(FileFormatError, match="no column 'id'"):  # integers may be codes of classes
        read_labels("c.csv")


def test_an_option_without_its_value_says_what_to_give():
    said = CliRunner().invoke(commands, ["evaluate", "h.txt", "gold.txt", "a.txt", "--kendall"]).output
    assert "'--kendall' requires an argument. Kendall's τ" in said
    assert "--kendall 1000" in said


def test_lines_of_paths_that_count_all_their_classes(tmp_path, monkeypatch):
    """With a separator and no word on rows, all classes of a path are labels, which every command says."""
    monkeypatch.chdir(tmp_path)
    Path("h.txt").write_text("Home > Kitchen > Pans\nHome > Bath > Towels\n")
    Path("gold.txt").write_text("Home > Kitchen > Pans\nHome > Bath > Towels\n")
    Path("a.txt").write_text("Home > Kitchen\nHome > Bath > Towels\n")
    Path("sets.txt").write_text("Kitchen > Pans\nHome > Towels\n")
    for command in ("check", "evaluate", "diagnose"):
        rows = "--rows" if command != "diagnose" else "--label-rows"
        given = [command, "h.txt", "gold.txt", "a.txt", "--sep", ">"]
        with pytest.warns(UserWarning, match="say rows='paths'") as said:
            CliRunner().invoke(commands, given)
        assert {str(each.message).partition(": every line is a path")[0] for each in said} == {"gold.txt", "a.txt"}
        for how in ("paths", "sets"):  # without a warning, which would be an error here
            assert CliRunner().invoke(commands, [*given, rows, how]).exit_code == 0
    assert CliRunner().invoke(commands, ["check", "h.txt", "sets.txt", "sets.txt", "--sep", ">"]).exit_code == 0


def test_check_reads_paths_as_evaluate_does(tmp_path, monkeypatch):
    """Of classes that are called by their whole paths, too; what is wrong in a path is a problem, and no crash."""
    monkeypatch.chdir(tmp_path)
    Path("h.txt").write_text("Home > Kitchen > Pans\nGarden > Pans\n")
    Path("gold.txt").write_text("Home > Kitchen > Pans\nGarden > Pans\n")
    Path("bad.txt").write_text("Home > Office > Pans\nGarden > Pan\n")
    given = ["--sep", ">", "--rows", "paths", "--same-names", "apart"]
    result = CliRunner().invoke(commands, ["check", "h.txt", "gold.txt", "gold.txt", *given])
    assert result.exit_code == 0
    assert ["labels", "per", "instance", "1.00"] in [line.split() for line in result.output.splitlines()]
    result = CliRunner().invoke(commands, ["check", "h.txt", "gold.txt", "bad.txt", *given])
    assert result.exit_code == 2
    assert "bad.txt, row 1: in a path, label 'Office' is not in the hierarchy" in result.output


def test_a_function_says_the_same_by_its_arguments(tmp_path):
    for name in ("long.csv", "semi.csv"):
        (tmp_path / name).write_text(FILES[name])
    with pytest.raises(HemlpError, match="choose id='id' and label='label' to leave them out on purpose"):
        read_labels(tmp_path / "long.csv")
    with pytest.raises(HemlpError, match=r"choose sep='\|' if that separates the columns"):
        read_labels(tmp_path / "semi.csv")


def test_a_command_without_an_option_does_not_advise_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    done = CliRunner().invoke(commands, ["explain", "h.txt", "long.csv", "long.csv"])
    assert isinstance(done.exception, HemlpError)
    assert "choose --id-column id and --label label" in str(done.exception)  # --id is an instance there
    error = HemlpError("x").with_advice(Advice("missing", "empty", "for that"))
    error.spelling = commands.commands["cafa"].spelled
    assert str(error) == "x"
    done = CliRunner().invoke(commands, ["evaluate", "edges.csv", "gold.txt", "pred.txt"])
    assert isinstance(done.exception, HemlpError)
    assert "--parent" not in str(done.exception)
    assert not isinstance(done.exception, InvalidOption)
