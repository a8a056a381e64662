"""An evaluation as JSON: written piece by piece, and checked completely when read.

``docs/evaluation.schema.json`` says what such a file looks like. Beyond that, lengths, counts and means must agree.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from itertools import product
from os import PathLike
from typing import Any

import numpy as np

from hemlp.analysis.statistics.evaluation_verdicts import groups, pair_verdicts, ranks
from hemlp.analysis.statistics.intervals import resampling_units, shared_bootstrap
from hemlp.analysis.statistics.resampling import Bootstrap, Units
from hemlp.analysis.statistics.verdicts import Procedure
from hemlp.errors import FileFormatError
from hemlp.escaping import json_number, json_text
from hemlp.hierarchy.labels import Label
from hemlp.io.files import write_text
from hemlp.io.text import decode, file_reader, read_bytes
from hemlp.io.unpacking import unpack_limit
from hemlp.measures.instance_scores import Scores
from hemlp.optimize.program import STEPS, Status
from hemlp.report.json_columns import ColumnReader, ColumnWriter, Wrong, number
from hemlp.results.results import Gold, Origin, Results, gold_of
from hemlp.version import __version__

KEYS = (
    "hemlp", "systems", "status", "undefined", "signature", "exact", "greater_is_better", "facts", "instances"
)  # fmt: skip
COUNTS = ("instances", "empty predictions", "unknown labels", "missing instances")
"""Facts of a system that every file has, and that are counts."""
SOLVED = Status.FEASIBLE
"""The last status of instances that have a score."""
AllScores = dict[str, dict[str, Scores]]
Facts = dict[str, dict[str, float]]


# ---- writing


def summary(ev: Results) -> dict[str, Any]:
    """Means, statuses, signatures and facts as plain values; nan is None."""
    first = ev.scores[ev.systems[0]]
    return {
        "hemlp": __version__,
        "systems": {s: {m: json_number(ev.mean(s, m)) for m in ev.measures} for s in ev.systems},
        "status": {s: {m: ev.status(s, m) for m in ev.measures} for s in ev.systems},
        "undefined": {s: {m: ev.scores[s][m].undefined for m in ev.measures} for s in ev.systems},
        "signature": {m: first[m].signature for m in ev.measures},
        "exact": {m: first[m].exact for m in ev.measures},
        "greater_is_better": dict(ev.greater_is_better),
        "facts": {s: {k: json_number(v) for k, v in facts.items()} for s, facts in ev.facts.items()},
        **({"verdicts": {m: _verdicts(ev, m) for m in ev.measures}} if len(ev.systems) > 1 else {}),
        **({"resampling": shared_bootstrap(ev).signature} if resampling_units(ev).in_buckets else {}),
        **({"cuts": dict(ev.cuts)} if ev.cuts else {}),
        **({} if ev.ids is None else {"ids": list(ev.ids)}),
        **({} if (gold := gold_of(ev)) is None else {"gold": asdict(gold)}),
    }


def _verdicts(ev: Results, measure: str) -> dict[str, Any]:
    """Ranks, letters and the tests of all pairs by one measure, each p with the system that it favours."""
    procedure = Procedure()
    v = pair_verdicts(ev, measure, procedure)
    return {
        "test": str(procedure),
        "ranks": ranks(ev, measure),
        "groups": {system: list(letters) for system, letters in groups(ev, measure).items()},
        "pairs": [
            {"systems": [first, second], "better": v.better(first, second), "p": json_number(v.p[first, second]),
             "p (Holm)": v.holm[first, second]}
            for first, second in v.pairs
        ],
    }  # fmt: skip


def json_pieces(ev: Results) -> Iterator[str]:
    """The whole evaluation as JSON, column by column, never all in memory."""
    yield json_text(summary(ev))[:-1] + ', "instances": {'
    writer = ColumnWriter()
    for i, system in enumerate(ev.systems):
        yield ("," if i else "") + f"\n{json_text(system)}: {{"
        for j, name in enumerate(ev.measures):
            scores = ev.scores[system][name]
            yield ("," if j else "") + f'\n{json_text(name)}: {{"name": {json_text(scores.name)}, "columns": {{'
            for k, (column, values) in enumerate(scores.columns.items()):
                yield (", " if k else "") + f"{json_text(column)}: {writer.numbers(values, (system, name, column))}"
            yield f'}}, "status": {writer.statuses(scores.statuses, (system, name))}}}'
        yield "}"
    yield "}}\n"


def to_dict(ev: Results) -> dict[str, Any]:
    """The summary, and all per-instance columns as lists."""

    def told(scores: Scores) -> dict[str, Any]:
        columns = {key: list(map(json_number, values.tolist())) for key, values in scores.columns.items()}
        return {"name": scores.name, "columns": columns, "status": [str(Status(k)) for k in scores.statuses]}

    instances = {system: {name: told(each) for name, each in ev.scores[system].items()} for system in ev.systems}
    return {**summary(ev), "instances": instances}


def to_json(ev: Results, path: str | PathLike[str]) -> None:
    """Write the whole evaluation to a file that ``from_json`` reads.

    Parameters
    ----------
    path
        A file that is written as a whole or not at all.
    """
    write_text(path, json_pieces(ev))


# ---- reading


@file_reader
def read(path: str | PathLike[str]) -> tuple[AllScores, dict[str, bool], Facts, Origin]:
    """Read scores, directions of the measures, facts and more as ``to_json`` wrote them; else ``FileFormatError``."""
    source, content = read_bytes(path)
    text = decode(content, source)
    try:
        data = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_distinct)
    except json.JSONDecodeError as error:
        raise FileFormatError(f"{source}, line {error.lineno}: not JSON, {error.msg}", error.lineno) from None
    except ValueError as error:
        raise FileFormatError(f"{source} is not JSON as hemlp writes it: {error}") from None
    try:
        return _evaluation(data, unpack_limit(len(content)))
    except Wrong as error:
        raise FileFormatError(f"{source} is not an evaluation that hemlp can read: {error}") from None


def _no_constant(token: str) -> None:
    raise Wrong(f"{token} is not a number of JSON; an undefined value is null, an infinite one a string")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise Wrong(f"the key {twice!r} occurs twice in one object")
    return made


def _evaluation(data: Any, room: int) -> tuple[AllScores, dict[str, bool], Facts, Origin]:
    if isinstance(data, dict) and "hemlp" in data:
        _check_version(data["hemlp"])
    # what a file need not have; verdicts follow from the scores
    usual: dict[str, Any] = {"cuts": {}, "ids": None, "gold": None, "resampling": None, "verdicts": {}}
    top = _object("the file", {**usual, **data} if isinstance(data, dict) else data, (*KEYS, *usual))
    better = {name: _typed("greater_is_better", name, value, bool) for name, value in
              _object("greater_is_better", top["greater_is_better"]).items()}  # fmt: skip
    means = _object("systems", top["systems"])
    if not means or not better:
        raise Wrong("there is no system, or no measure")
    signatures, exact = (_object(key, top[key], better) for key in ("signature", "exact"))
    facts = {name: _facts(name, value) for name, value in _object("facts", top["facts"], means).items()}
    if len({each["instances"] for each in facts.values()}) > 1:
        raise Wrong("facts: the systems have different numbers of instances")
    tables = {key: _object(key, top[key], means) for key in ("systems", "status", "undefined", "instances")}
    of_systems = {
        key: {system: _object(f"{key}, system {system!r}", table[system], better) for system in means}
        for key, table in tables.items()
    }
    instances: dict[str, dict[str, dict[str, Any]]] = {system: {} for system in means}
    for system, name in product(means, better):
        place = f"instances, system {system!r}, measure {name!r}"
        one = _object(place, of_systems["instances"][system][name], ("name", "columns", "status"))
        instances[system][name] = {**one, "columns": _object(f"{place}, columns", one["columns"])}
    columns = ColumnReader(instances, int(next(iter(facts.values()))["instances"]), room)
    scores: AllScores = {system: {} for system in means}
    for system, name in product(means, better):
        signed = _typed("signature", name, signatures[name], str), _typed("exact", name, exact[name], bool)
        made = _scores(columns, (system, name), instances[system][name], *signed)
        place = f"system {system!r}, measure {name!r}"
        _check_counts(place, made, of_systems["status"][system][name], of_systems["undefined"][system][name])
        _check_mean(place, made.mean(), of_systems["systems"][system][name])
        scores[system][name] = made
    cuts = {system: _typed("cuts", system, cut, str) for system, cut in _object("cuts", top["cuts"]).items()}
    for system in cuts.keys() - means.keys():
        raise Wrong(f"cuts: there is no system {system!r}")
    size = int(next(iter(facts.values()))["instances"])
    ids = _ids(top["ids"], size)
    if top["resampling"] not in (None, drawn := Bootstrap(Units(size)).signature):
        raise Wrong(f"resampling: {top['resampling']!r:.200}, where intervals of {size:,} instances are by {drawn!r}")
    return scores, better, {system: facts[system] for system in means}, Origin(cuts, ids, _gold(top["gold"]))


RELEASE = re.compile(r"\d+(?:\.\d+)*")
"""The numbers of a version, without .dev0 and the like."""


def _check_version(version: Any) -> None:
    """Refuse a file of a later version, whose meaning may have changed."""
    releases = [RELEASE.match(text) for text in (version, __version__) if isinstance(text, str)]
    if len(releases) < 2 or releases[0] is None:
        raise Wrong(f"hemlp: {version!r} is not a version")
    written, here = ([int(part) for part in each.group().split(".")] for each in releases if each is not None)
    if written > here:
        raise Wrong(f"it was written by hemlp {version}, and this is {__version__}: a newer one can read it")


def _object(place: str, value: Any, keys: Collection[str] | None = None) -> dict[str, Any]:
    """Check a JSON object and its keys."""
    if not isinstance(value, dict):
        raise Wrong(f"{place} is not an object")
    if keys is not None:
        for key in keys:
            if key not in value:
                raise Wrong(f"{place} has no {key!r}")
        for key in value:
            if key not in keys:
                raise Wrong(f"{place} has {key!r}, which does not belong there")
    return value


def _typed(place: str, key: str, value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise Wrong(f"{place}, {key!r}: {value!r:.80} is not a {'text' if kind is str else 'truth value'}")
    return value


def _facts(system: str, value: Any) -> dict[str, float]:
    place = f"facts, system {system!r}"
    given = _object(place, value)
    for key in (*COUNTS, "predictions an instance"):
        if key not in given:
            raise Wrong(f"{place} has no {key!r}")
    for key in given.keys() - {"predictions an instance"}:
        if type(given[key]) is not int or given[key] < (key == "instances"):
            raise Wrong(f"{place}: {key!r} is {given[key]!r:.80}, which is not a count")
    return {key: number(f"{place}, {key!r}", each) for key, each in given.items()}


def _ids(value: Any, instances: int) -> tuple[Label, ...] | None:
    """The ids of instances, distinct texts or integers; or None."""
    if value is None:
        return None
    if not isinstance(value, list) or any(type(name) not in (str, int) for name in value):
        raise Wrong("ids is not a list of texts and integers")
    if len(value) != instances or len(set(value)) < len(value):
        raise Wrong(f"ids: {len(value):,} names, {len(set(value)):,} of them different, for {instances:,} instances")
    return tuple(value)


def _gold(value: Any) -> Gold | None:
    if value is None:
        return None
    given = _object("gold", value, ("labels", "ids"))
    for key, text in given.items():
        if not (isinstance(text, str) and re.fullmatch("[0-9a-f]+", text)) and not (key == "ids" and text is None):
            raise Wrong(f"gold, {key!r}: {text!r:.80} is not a digest")
    return Gold(given["labels"], given["ids"])


def _scores(
    columns: ColumnReader, place: tuple[str, str], value: Mapping[str, Any], signature: str, exact: bool
) -> Scores:
    said = f"system {place[0]!r}, measure {place[1]!r}"
    name = value["name"]
    if not isinstance(name, str) or name not in value["columns"]:
        raise Wrong(f"instances, {said}: {name!r:.80} is not one of its columns")
    ordered = [name, *(key for key in value["columns"] if key != name)]  # JSON does not promise that it comes first
    made = {key: columns.numbers(*place, key) for key in ordered}
    steps = made.get("step", np.empty(0))
    if not (np.isnan(steps) | np.isin(steps, np.arange(len(STEPS)))).all():
        raise Wrong(f"instances, {said}, column 'step': there are only the steps from 0 to {len(STEPS) - 1}")
    statuses = columns.statuses(*place)
    unsolved = statuses > SOLVED
    for row in np.flatnonzero(np.isnan(made[name]) != unsolved)[:1]:
        shown, status = "a score" if unsolved[row] else "no score", Status(statuses[row])
        raise Wrong(f"instances, {said}, row {row + 1}: it has {shown}, and the status {status}")
    return Scores(name, made, statuses, signature, int(unsolved.sum()), exact)


def _check_counts(place: str, scores: Scores, status: Any, undefined: Any) -> None:
    counted: Mapping[str, Any] = _object(f"status, {place}", status)
    if any(type(number) is not int for number in counted.values()) or dict(counted) != scores.status_counts():
        raise Wrong(f"status, {place}: {status} contradicts its rows, which say {scores.status_counts()}")
    if type(undefined) is not int or undefined != scores.undefined:
        raise Wrong(f"undefined, {place}: {undefined!r:.80} contradicts its rows, which say {scores.undefined}")


def _check_mean(place: str, mean: float, value: Any) -> None:
    told = number(f"systems, {place}", value)
    same = math.isnan(mean) and math.isnan(told)
    if not same and not math.isclose(mean, told, rel_tol=1e-9, abs_tol=1e-12):
        raise Wrong(f"systems, {place}: the mean {told} contradicts its rows, whose mean is {mean}")
