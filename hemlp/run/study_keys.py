"""What a study file can say: every key with its kind, its default and its help, in one table.

The checks of a file, its reference (docs/study-files.md) and the options of ``hemlp evaluate`` are made from it. A help
text ends with an example for the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hemlp.errors import InvalidOption
from hemlp.io.datasets import is_address
from hemlp.options import check_choice, did_you_mean


@dataclass(eq=False, repr=False)
class Kind:
    """What values are allowed. ``error``: the message about any other; ``least`` and ``most`` bound numbers."""

    accepts: Callable[[Any], bool]
    error: str
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None


@dataclass(eq=False, repr=False)
class Key:
    """A key of a table. ``missing``: the message where it is needed and not there; ``metavar``: its value in usage."""

    kind: Kind
    help: str
    default: Any = None
    metavar: str | None = None
    missing: str = ""


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and value.strip() != "" and "\0" not in value


def _whole(least: int, most: int | None = None, words: str = "") -> Kind:
    def accepts(value: Any) -> bool:
        return type(value) is int and least <= value and (most is None or value <= most)

    return Kind(accepts, f"{{key}} = {{value!r}} is not {words or f'an integer of at least {least}'}", (), least, most)


def _list(of: tuple[type, ...], words: str) -> Kind:
    def accepts(value: Any) -> bool:
        return isinstance(value, list | tuple) and all(isinstance(each, of) for each in value)

    return Kind(accepts, f"{{key}} = {{value!r}} is not a list of {words}")


def _choice(*choices: str) -> Kind:
    return Kind(lambda value: value in choices, "", choices)


GATE = (
    "[gate] has a baseline = 'FILE', and perhaps max_drop = { MEASURE = NUMBER } and significant = true; "
    "leave it out (hemlp run --set gate=) where there is none"
)
PATH = Kind(_is_path, "{key} = {value!r} is not a path")
FLOOR = Kind(_is_path, "{key} = {value!r} is not a file, 'folds' or 'gold'")
FILES = Kind(
    lambda value: isinstance(value, dict) and all(map(_is_path, value.values())), "{key} is not a table of files"
)
TEXT = Kind(lambda value: isinstance(value, str), "{key} = {value!r} is not a text")
SIZE = Kind(lambda value: type(value) in (int, str), "{key} = {value!r} is not a size of memory, like 500MB or 2GB")
SECONDS = Kind(
    lambda value: type(value) in (int, float) and value >= 0, "{key} = {value!r} is not a number of at least 0", least=0
)
FLAG = Kind(lambda value: isinstance(value, bool), "{key} = {value!r} is neither true nor false")
PAIRS = _list((list, tuple, str), "pairs")
MEASURES = _list((str,), "measures")
ANYTHING = Kind(lambda value: True, "")

KEYS: Mapping[str, Mapping[str, Key]] = {
    "": {
        "hierarchy": Key(
            PATH, "The file of the hierarchy, as on the command line; relative to the study file.",
            missing="hierarchy is missing",
        ),
        "true": Key(PATH, "The file of the true labels.", missing="true is missing"),
        "systems": Key(ANYTHING, "The name of each system, and its file.", missing="systems is missing"),
        "measures": Key(MEASURES, "A list of measures, by name or text; by default F_H, F_LCA, F, GIE."),
        "measure": Key(ANYTHING, "Measures of your own."),
        **dict.fromkeys(("options", "tests", "gate", "outputs", "tuning"), Key(ANYTHING, "A table.")),
    },
    "options": {
        "cycles": Key(
            _choice("error", "condense", "break"), "What to do with cycles of the hierarchy: --cycles condense.",
            "error",
        ),
        "language": Key(TEXT, "Language of names in SKOS and OWL: --language de.", "en"),
        "relations": Key(
            _list((str,), "relations"), "Relations of OBO and OWL to follow: --relation is_a --relation part_of.", ()
        ),
        "unknown": Key(
            _choice("error", "drop", "isolate"), "Predicted labels that the hierarchy lacks: --unknown drop.", "error"
        ),
        "unknown_true": Key(
            _choice("error", "drop", "isolate"),
            "True labels that it lacks; isolate if --unknown is, else error: --unknown-true drop.",
        ),
        "missing": Key(
            _choice("error", "empty"), "What to do with instances that one side lacks: --missing empty.", "error"
        ),
        "undefined": Key(_choice("error", "nan"), "What to do where a measure is undefined: --undefined nan.", "error"),
        "solver": Key(TEXT, "Solver to use, by default the fastest: --solver milp.", metavar="NAME"),
        "time_limit": Key(SECONDS, "Seconds per instance: --time-limit 5.", metavar="S"),
        "workers": Key(_whole(1), "Number of workers: --workers 2.", 1),
        "memory": Key(SIZE, "Memory limit; label files are streamed: --memory 2GB.", metavar="SIZE"),
        "resume": Key(
            PATH, "Folder for finished chunks; to go on, repeat with the same data and measures: --resume run.",
            metavar="DIR",
        ),
        "chunk": Key(_whole(1), "Instances per chunk: --chunk 5000."),
        "ignore": Key(
            PATH, "File of classes that count neither for nor against: --ignore classes.txt.", metavar="FILE"
        ),
        "gold": Key(
            _choice("exact", "at least"),
            "'at least': true classes may be too general; adds lenient values: --gold 'at least'.", "exact",
        ),
        "format": Key(
            _choice("lines", "table", "pairs", "matrix", "json", "jsonl", "parquet", "gaf", "gpad", "annif"),
            "Format of label and score files, if hemlp does not recognize it: --file-format jsonl.",
        ),
        "sep": Key(TEXT, "Separator of labels or cells: --sep ';'."),
        "id": Key(TEXT, "Column with ids: --id-column doc.", metavar="COLUMN"),
        "label": Key(TEXT, "Column with labels: --label class.", metavar="COLUMN"),
        "rows": Key(
            _choice("sets", "paths"),
            "Whether the labels of an instance are a set, or a path that ends in its label: --label-rows paths.",
        ),
        "score": Key(TEXT, "Column with scores: --score probability.", metavar="COLUMN"),
        "repeated": Key(
            _choice("error", "max"), "What to do with a class that is scored twice: --repeated max.", "error"
        ),
        "evidence": Key(
            TEXT, "Evidence codes of GAF and GPAD to keep: --evidence EXP,IDA or experimental.", metavar="CODES"
        ),
        "corpus": Key(
            PATH, "Label file for information content, instead of the true labels: --corpus train.tsv.", metavar="FILE"
        ),
        "names": Key(PATH, "Names of classes, one label<TAB>name per line: --names n.tsv."),
    },
    "tests": {
        "compare": Key(PAIRS, "Show all tests of two systems: --compare knn svm.", (), "A B"),
        "significance": Key(MEASURES, "Test all pairs of systems: --significance F_H.", (), "MEASURE"),
        "kendall": Key(
            _whole(0, words="a number of resamples"),
            "Kendall's τ of measures, with intervals by N resamples (0: without): --kendall 1000.", metavar="N",
        ),
        "floor": Key(
            FLOOR,
            "Add shuffled predictions and the best constant, by FILE, folds or the evaluated labels: --floor folds.",
            metavar="[FILE]",
        ),
        "test": Key(
            _choice("permutation", "sign"), "Test of significance, by default the permutation test: --test sign."
        ),
        "sided": Key(_choice("two", "one"), "Sides of the test; the paper's sign test has one: --sided one.", "two"),
        "ranks": Key(_choice("mean", "chained"), "Places by mean, or as in the paper: --ranks chained.", "mean"),
    },
    "gate": {
        "baseline": Key(
            Kind(_is_path, GATE), "Result from --json; end with code 4 if worse: --baseline old.json.", missing=GATE
        ),
        "max_drop": Key(
            Kind(lambda value: isinstance(value, dict), GATE),
            "How much worse a measure may get (repeatable); by default not at all: --max-drop F_LCA=0.01.",
        ),
        "significant": Key(
            Kind(lambda value: isinstance(value, bool), GATE),
            "Count a drop only if its 95% interval does not include 0.", False,
        ),
    },
    "tuning": {
        "measure": Key(TEXT, "Measure by which FILE@tuned is tuned, by default the first: --tune-by F_H."),
        "by": Key(
            _choice("best", "all", "top", "nonempty", "capped", "level", "class"),
            "Kind of rule: the best of all, one threshold, the k greatest scores, a threshold or else the greatest "
            "score, a threshold and at most k classes, a threshold per level or per class: --by level.", "best",
        ),
        "true": Key(PATH, "True labels to tune on: --dev-true dev.tsv.", metavar="FILE"),
        "systems": Key(FILES, "Scores to tune on: --dev knn=dev_scores.tsv.", metavar="NAME=FILE"),
        "folds": Key(_whole(2), "Number of folds, to cross-validate on the same data: --folds 5."),
        "least": Key(_whole(1), "Least number of instances for a threshold of their own: --least 50.", 20),
        "few": Key(
            _choice("error", "shared"), "What to do with levels or classes that have fewer: --few shared.", "error"
        ),
        "points": Key(_whole(2), "Number of scores to try first, then more around the best: --points 100."),
        "seed": Key(_whole(0), "Seed of the folds: --seed 1.", 0),
    },
    "outputs": {
        "json": Key(PATH, "Write everything as JSON, - for standard output: --json all.json."),
        "html": Key(PATH, "Write a report page: --html report.html."),
        "table": Key(PATH, "Write the tables as .md, .tex, .csv or text: --table results.tex."),
        "per_instance": Key(PATH, "Write scores of instances to DIR/SYSTEM.csv: --per-instance rows.", metavar="DIR"),
        "parquet": Key(PATH, "Write all scores to a file, or those of a dataset to a folder: --parquet rows.parquet."),
        "digits": Key(_whole(0, 17, "a number of decimals from 0 to 17"), "Number of decimals: --digits 3.", 4),
        "intervals": Key(FLAG, "Show 95% confidence intervals.", True),
        "title": Key(TEXT, "Title of the report page: --title 'Five systems'."),
        "history": Key(PATH, "Add this run to the history in DIR, and show the trend: --history runs.", metavar="DIR"),
    },
}  # fmt: skip


TABLES = tuple(name for name in KEYS if name)
"""The tables of a file, beside [systems], whose keys are names, and [[measure]]."""


def check_study(data: Mapping[str, Any]) -> None:
    """Refuse a key that a study file does not have, a value of another kind, and a file that lacks something."""
    check_table("", data)
    for table in ("systems", *TABLES):
        if not isinstance(data.get(table, {}), dict):
            raise InvalidOption(f"{table} is not a table [{table}]")
    if "dask" in data.get("options", {}):
        raise InvalidOption("dask: a study file cannot name a cluster: give --dask ADDRESS, or set HEMLP_DASK")
    for system, file in data["systems"].items():
        _check_value(system, file, PATH)
    places = {**data, **data["systems"], **data.get("outputs", {}), **data.get("options", {})}
    for key, place in places.items():
        if is_address(place):
            raise InvalidOption(f"{key} = {place!r}: a study file cannot hold addresses: give them on the command line")
    for table in TABLES:
        if table in data:
            check_table(table, data[table])


def check_table(table: str, values: Mapping[str, Any]) -> None:
    """Refuse what a table does not have, or not as a value of its kind; None is a value that is not given."""
    keys = KEYS[table]
    for name in values:
        if name not in keys:
            place = f"[{table}]" if table else "the file"
            raise InvalidOption(f"{place} has no {name!r} (it has: {', '.join(keys)}){did_you_mean(name, keys)}")
    for name, key in keys.items():
        if values.get(name) is not None:
            _check_value(f"{name} of [{table}]" if table and name in KEYS[""] else name, values[name], key.kind)
        elif key.missing:
            raise InvalidOption(key.missing)


def _check_value(place: str, value: Any, kind: Kind) -> None:
    if kind.choices:
        check_choice(place, value, kind.choices)
    elif not kind.accepts(value):
        raise InvalidOption(kind.error.replace("{key}", place).replace("{value!r}", repr(value)))


NO_PATHS = {("outputs", "-"), ("tests", "gold"), ("tests", "folds")}
"""Words that stand where a path could."""


def resolve_paths(table: str, values: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The values of a table, with paths relative to the folder of the file; - is standard output."""
    made = dict(values)
    for name, value in values.items():
        kind = KEYS[table][name].kind
        if kind is FILES:
            made[name] = {system: str(folder / file) for system, file in value.items()}
        elif kind.accepts is _is_path and (table, value) not in NO_PATHS:
            made[name] = str(folder / value)
    return made
