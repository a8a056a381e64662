"""Options of files do the same wherever labels or scores are read: every command, and studies."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from hemlp import Hierarchy, cafa, curve, evaluate, read_scores, tune
from hemlp.cli.main import commands
from hemlp.errors import HemlpError, InvalidScores

GOLD = [("a", "sheep"), ("b", "cow"), ("c", "mammal"), ("d", "cow"), ("d", "sheep")]
SCORES = [("a", "sheep", 0.9), ("a", "cow", 0.4), ("b", "cow", 0.7), ("b", "sheep", 0.6), ("c", "mammal", 0.8),
          ("c", "sheep", 0.3), ("d", "cow", 0.5), ("d", "sheep", 0.45)]  # fmt: skip


def table(rows, header, sep):
    return "".join(sep.join(map(str, row)) + "\n" for row in [*([header] if header else []), *rows])


def objects(rows, keys):
    return "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows)


LABELS = {i: [c for j, c in GOLD if j == i] for i in "abcd"}
VARIANTS = {
    "columns": (
        table(GOLD, ("doc", "topic"), ","), table(SCORES, ("doc", "topic", "p"), ","), "csv",
        {"id": "doc", "label": "topic", "score": "p"},
    ),
    "separator": (table(GOLD, ("id", "label"), "|"), table(SCORES, ("id", "label", "score"), "|"), "csv", {"sep": "|"}),
    "format": (
        "".join(json.dumps({"id": i, "labels": labels}) + "\n" for i, labels in LABELS.items()),
        objects(SCORES, ("id", "label", "score")), "dat", {"format": "jsonl"},
    ),
    "fields": (
        "".join(json.dumps({"key": i, "classes": labels}) + "\n" for i, labels in LABELS.items()),
        objects(SCORES, ("key", "classes", "p")), "dat",
        {"format": "jsonl", "id": "key", "label": "classes", "score": "p"},
    ),
    "repeated": (
        table(GOLD, None, "\t"), table([*SCORES, ("d", "cow", 0.1), ("a", "cow", 0.2)], None, "\t"), "tsv",
        {"repeated": "max"},
    ),
    "columns of the gold alone": (
        table([(*pair, "BPO") for pair in GOLD], ("entry", "class", "aspect"), "\t"), table(SCORES, None, "\t"), "tsv",
        {"id": "entry", "label": "class"},
    ),
}  # fmt: skip
COMMANDS = {
    "evaluate": ["evaluate", "GOLD", "s=SCORES@0.5", "-m", "F_H,GIE", "--html", "r.html"],
    "of ranks": ["evaluate", "GOLD", "s=SCORES", "-m", "F_H@1"],
    "folds": ["evaluate", "GOLD", "s=SCORES@tuned", "--folds", "2", "-m", "F_H"],
    "development": ["evaluate", "GOLD", "s=SCORES@tuned", "--dev-true", "GOLD", "--dev", "s=SCORES", "-m", "F_H"],
    "stored": ["evaluate", "GOLD", "s=SCORES@t.json", "-m", "F_H"],
    "diagnose": ["diagnose", "GOLD", "s=SCORES@top1"],
    "explain": ["explain", "GOLD", "s=SCORES@0.5", "--id", "b"],
    "model": ["model", "GOLD", "s=SCORES@0.5", "--id", "b"],
    "model of ranks": ["model", "GOLD", "s=SCORES@0.5", "-m", "GIE@1"],
    "compare-exact": ["compare-exact", "GOLD", "s=SCORES@0.5"],
    "sensitivity": ["sensitivity", "GOLD", "s=SCORES@0.5"],
    "check": ["check", "GOLD", "SCORES@0.5"],
    "curve": ["curve", "GOLD", "SCORES", "-m", "F_H,GIE,F_H@1"],
    "tune": ["tune", "GOLD", "SCORES"],
    "cafa": ["cafa", "GOLD", "s=SCORES", "--exclude", "GOLD"],
}
NAMES = re.compile(r"(?<=gold|ores)\.\w+|(?<=0\.9000) +[\d.]+$|exclude:#\w+", re.MULTILINE)
"""Endings of files and what else differs: times, and the fingerprint of a file."""
FORMAT = re.compile(r"^(labels|format) .*\n", re.MULTILINE)
"""Lines of `hemlp check` about the files themselves."""
FLAGS = {"format": "--file-format", "id": "--id-column"}


def written(variant):
    gold, scores, ending, options = variant
    names = {"GOLD": f"gold.{ending}", "SCORES": f"scores.{ending}"}
    Path(names["GOLD"]).write_text(gold)
    Path(names["SCORES"]).write_text(scores)
    return names, options


def run(command, names, flags):
    arguments = [re.sub("GOLD|SCORES", lambda found: names[found[0]], word) for word in command]
    done = CliRunner().invoke(commands, [arguments[0], "h.txt", *arguments[1:], *flags])
    if isinstance(done.exception, HemlpError):
        return done.exception.exit_code, str(done.exception)
    return done.exit_code, FORMAT.sub("", NAMES.sub("", done.output))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("h.txt").write_text("animal mammal\nmammal sheep\nmammal cow\n")
    Path("t.json").write_text(json.dumps({
        "hemlp": "tuned", "measure": "F_H", "by": "all", "threshold": 0.5, "value": 0.9, "instances": 2,
        "source": "dev", "thresholds": [], "folds": [], "fold_of": [], "data": None, "rows": None,
    }))  # fmt: skip


PLAIN = (table(GOLD, None, "\t"), table(SCORES, None, "\t"), "tsv", {})


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_command_reads_by_every_option(command, variant):
    made = checked if command == "check" else written
    wanted = run(COMMANDS[command], made(PLAIN)[0], [])
    assert wanted[0] == 0, wanted[1]
    names, options = made(VARIANTS[variant])
    flags = [part for key, value in options.items() for part in (FLAGS.get(key, f"--{key}"), value)]
    assert run(COMMANDS[command], names, flags) == wanted
    code, words = run(COMMANDS[command], names, [])
    assert code == 2
    if variant == "repeated":
        assert words.endswith("'cow' is scored twice (0.4 and 0.2); choose --repeated max to take the greatest score")


def checked(variant):
    """The gold with a line that names its columns: as a label file has it."""
    gold, *rest = variant
    return written((gold if "\t" not in gold or gold.startswith("entry") else "id\tlabel\n" + gold, *rest))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("cut", ["@0.5", "@tuned"])
def test_studies_read_by_every_option(variant, cut):
    results = []
    for each in (PLAIN, VARIANTS[variant]):
        names, options = written(each)
        lines = "".join(f'{key} = "{value}"\n' for key, value in options.items())
        tuning = "[tuning]\nfolds = 2\n" if cut == "@tuned" else ""
        Path("study.toml").write_text(
            f'hierarchy = "h.txt"\ntrue = "{names["GOLD"]}"\nmeasures = ["F_H"]\n[systems]\n'
            f's = "{names["SCORES"]}{cut}"\n'
            f"{tuning}[options]\n{lines}"
        )
        done = CliRunner().invoke(commands, ["run", "study.toml"])
        assert done.exit_code == 0, done.exception
        results.append(NAMES.sub("", done.output))
    assert results[0] == results[1]


def test_the_way_out_is_named_in_the_words_of_the_reader():
    names, _ = written(VARIANTS["repeated"])
    with pytest.raises(InvalidScores, match="choose repeated='max' to take the greatest score"):
        read_scores(names["SCORES"])
    h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
    for function in (curve, tune, cafa):
        measures = () if function is cafa else ("F_H",)
        with pytest.raises(InvalidScores, match=r"choose hemlp.read_scores\(path, repeated='max'\) to take"):
            function(h, "gold.tsv", names["SCORES"], *measures)
    Path("study.toml").write_text(
        f'hierarchy = "h.txt"\ntrue = "gold.tsv"\nmeasures = ["F_H"]\n[systems]\ns = "{names["SCORES"]}@0.5"\n'
    )
    done = CliRunner().invoke(commands, ["run", "study.toml"])
    assert 'choose repeated = "max" under [options] to take the greatest score' in str(done.exception)
    names, _ = written(VARIANTS["columns"])
    code, words = run(COMMANDS["curve"], names, ["--id", "doc", "--label", "topic"])
    assert (code, words.endswith("choose --score COLUMN to say which one is meant, the same in all files")) == (2, True)


def test_columns_of_files_of_scores_in_python():
    names, _ = written(VARIANTS["columns"])
    Path(names["SCORES"]).write_text(table(SCORES, ("doc", "topic", "score"), ","))
    h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
    ev = evaluate(h, names["GOLD"], {"s": names["SCORES"]}, ["F_H@1"], id="doc", label="topic")
    s = read_scores(names["SCORES"], id="doc", label="topic")
    assert ev.mean("s", "F_H@1") == evaluate(h, LABELS, {"s": s}, ["F_H@1"]).mean("s", "F_H@1")
