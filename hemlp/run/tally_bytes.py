"""Tallies as bytes: one way to write each, and reading that takes nothing on trust.

``hemlp tally 2``, a line of JSON (what was tallied), numbers in binary form, and the SHA-256 of all that:
docs/cluster.md has the details. Whatever is read is written again, and refused if other bytes come of it: so order,
sizes and forms need no check of their own, and what is left are checks of what numbers mean.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, astuple, replace
from hashlib import sha256
from itertools import chain, combinations, pairwise
from typing import Any, get_args

import numpy as np

from hemlp.analysis.statistics import resampling
from hemlp.analysis.statistics.resampling import BUCKETS, assign_buckets
from hemlp.errors import InvalidOption
from hemlp.instances.batch import Policies
from hemlp.optimize.program import Status
from hemlp.problems.lca.solution import STEPS
from hemlp.results.exact_sums import exact_square_sum, exact_sum
from hemlp.results.merged_sums import (
    FINITE,
    MOST_DIFFERENCES,
    STATES,
    UNDEFINED,
    ColumnSum,
    MeasureSums,
    PairSums,
    PatternSums,
    ScoreCounts,
)
from hemlp.run.tally import COUNTED, SOLVED, Buckets, IdKind, Kept, TalliedMeasure, Tally, TallyHead, Worst
from hemlp.run.tally_diagnosis import ClassCounts, Counting
from hemlp.run.tally_numbers import Reader, encode_counts, encode_ids, put, refuse, require
from hemlp.run.worst import WORST, rank_worst

MAGIC = b"hemlp tally 2\n"
DIGEST = 32
"""Bytes of the SHA-256 at the end."""
KEYS = {"systems", "measures", "policies", "roots", "ids", "counting"}
FIELDS = {"called": str, "name": str, "signature": str, "greater_is_better": bool, "exact": bool, "columns": list}
"""What is said of a measure, and of which type it is."""


# ---- writing


def encode_tally(tally: Tally) -> bytes:
    """The bytes of a tally."""
    head = tally.head
    said = {
        "systems": head.systems,
        "measures": [asdict(each) for each in head.measures],
        "policies": asdict(head.policies),
        "roots": head.roots,
        "ids": head.ids,
        "counting": None if head.counting is None else asdict(head.counting),
    }
    line = json.dumps(said, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    out = bytearray(MAGIC + line)
    flat = (
        number
        for of in tally.scores
        for each in of
        for part in (each.statuses, each.steps, *each.columns)
        for number in part
    )
    for number in (*chain.from_iterable(tally.labels), *flat):
        put(out, number)
    if tally.kept is not None:
        kept, counts = tally.kept, tally.kept.counts
        values = np.where(np.isnan(kept.values), math.nan, kept.values).astype("<f8")  # one nan of many
        out += encode_ids(head.ids, kept.ids) + kept.statuses.astype("|i1").tobytes() + values.tobytes()
    else:
        assert tally.buckets is not None
        counts = tally.buckets.counts
        out += _encode_sums(tally.buckets.sums)
        for worst in chain.from_iterable(tally.buckets.worst):
            put(out, len(worst))
            out += encode_ids(head.ids, [name for name, _ in worst])
            out += np.array([value for _, value in worst], "<f8").tobytes()
    if counts is not None and tally.classes is not None:
        put(out, len(tally.classes.numbers))
        for array in (tally.classes.numbers, tally.classes.counts, counts):
            out += encode_counts(array)
    return bytes(out) + sha256(out).digest()


def _encode_sums(sums: Sequence[MeasureSums]) -> bytes:
    out = bytearray()
    for of in sums:
        put(out, len(of.patterns))
        for name in sorted(of.patterns):
            pattern = of.patterns[name]
            out += name.encode()
            for count in pattern.counts.tolist():
                put(out, count)
            for k in sorted(pattern.sums):
                for total in pattern.sums[k]:
                    put(out, total)
            for pair in sorted(pattern.pairs):
                _put_pair(out, pattern.pairs[pair])
    return bytes(out)


def _put_pair(out: bytearray, pair: PairSums) -> None:
    *integers, least, greatest, size, values = astuple(pair)
    for each in integers:
        put(out, each)
    out += np.array([least, greatest, size, *(values or ())], "<f8").tobytes()


# ---- reading


def decode_tally(data: bytes) -> Tally:
    """The tally of some bytes; whatever else they are raises ``InvalidTally``."""
    require(isinstance(data, bytes), f"they are a {type(data).__name__}")
    require(data.startswith(MAGIC), "they begin with something else, or are of another version")
    require(sha256(data[:-DIGEST]).digest() == data[-DIGEST:], "they are damaged: their checksum is another one")
    end = data.find(b"\n", len(MAGIC)) + 1
    try:
        said = json.loads(data[len(MAGIC) : end])
    except (ValueError, RecursionError):
        refuse("their second line is not JSON")
    require(isinstance(said, dict) and said.keys() == KEYS, "their second line has other keys")
    head = _head(said)
    reader = Reader(data, end)
    labels = tuple(reader.counts(len(COUNTED)) for _ in head.systems)
    sizes = {each[COUNTED.index("instances")] for each in labels}
    require(len(sizes) == 1, "systems have different numbers of instances")
    (size,) = sizes
    scores = tuple(tuple(_score_counts(reader, of, size) for of in head.measures) for _ in head.systems)
    keeps = head.ids != "none" and size < resampling.BUCKETED_FROM  # below 100,000 instances are kept
    kept = _kept(reader, head, size) if keeps else None
    buckets = None if keeps else _buckets(reader, head, size)
    tally = Tally(head, labels, scores, kept, buckets)
    if head.counting is not None:
        tally = _with_counts(reader, tally)
    _check_scores(tally)
    require(encode_tally(tally) == data, "they are not as hemlp writes them")
    return tally


def _head(said: dict[str, Any]) -> TallyHead:
    measures, systems = said["measures"], said["systems"]
    require(isinstance(systems, list) and isinstance(measures, list), "systems and measures are not lists")
    require(bool(systems and measures) and all(isinstance(each, str) for each in systems), "a system has no name")
    made = []
    for each in measures:
        require(isinstance(each, dict) and each.keys() == FIELDS.keys(), "a measure has other fields")
        require(all(type(each[key]) is kind for key, kind in FIELDS.items()), "a field has another type")
        columns = each["columns"]
        require(bool(columns) and all(isinstance(name, str) for name in columns), "a column has no name")
        require(len(set(columns)) == len(columns), "a column is there twice")
        made.append(TalliedMeasure(**{**each, "columns": tuple(columns)}))
    called = [each.called for each in made]
    require(len(set(systems)) == len(systems) and len(set(called)) == len(called), "a name is there twice")
    require(said["ids"] in get_args(IdKind), "ids are of another kind")
    policies = said["policies"]
    keys = {"unknown", "unknown_true", "missing"}
    require(isinstance(policies, dict) and policies.keys() == keys, "its options have other names")
    require(all(isinstance(each, str) for each in policies.values()), "an option is no word")
    roots = said["roots"]
    require(type(roots) is int and roots > 0, "there is no root")
    counting, kinds = said["counting"], {"hierarchy": str, "levels": int, "classes": int}
    if counting is not None:
        require(isinstance(counting, dict) and counting.keys() == kinds.keys(), "what is counted has other fields")
        require(all(type(counting[key]) is kind for key, kind in kinds.items()), "a field has another type")
        require(0 < counting["levels"] <= counting["classes"] < 2**31, "there are no levels, or too many")
        counting = Counting(**counting)
    try:
        return TallyHead(tuple(systems), tuple(made), Policies(**policies), roots, said["ids"], counting)
    except InvalidOption as error:
        refuse(str(error))


def _score_counts(reader: Reader, of: TalliedMeasure, size: int) -> ScoreCounts:
    made = ScoreCounts(
        reader.counts(len(Status)), reader.counts(len(STEPS)),
        tuple(ColumnSum(reader.integer(), *reader.counts(3)) for _ in of.columns),
    )  # fmt: skip
    solved = sum(made.statuses[: SOLVED + 1])
    require(sum(made.statuses) == size and sum(made.steps) <= size, f"{of.called}: counts do not add up")
    require(made.columns[0].number <= solved, f"{of.called}: values contradict their statuses")
    for total, count, up, down in made.columns:
        require(up + down <= count <= size and (count > up + down or not total), f"{of.called}: values do not add up")
    return made


def _kept(reader: Reader, head: TallyHead, size: int) -> Kept:
    ids = reader.ids(head.ids, size)
    keys = ids if head.ids in ("row", "text") else list(map(str, ids))
    require(all(a < b for a, b in pairwise(keys)), "ids are not in order, or there twice")
    shape = len(head.systems), len(head.measures), size
    cells = shape[0] * shape[1] * size
    statuses = reader.array("|i1", cells).reshape(shape)
    values = reader.array("<f8", cells).reshape(shape).astype(np.float64)
    require(bool(((statuses >= 0) & (statuses < len(Status))).all()), "there is no such status")
    require(bool((np.isnan(values) | (statuses <= SOLVED)).all()), "values contradict their statuses")
    return Kept(tuple(ids), values, statuses.copy())


def _buckets(reader: Reader, head: TallyHead, size: int) -> Buckets:
    sums = tuple(_measure_sums(reader, head, size) for _ in head.measures)
    worst = tuple(tuple(_worst(reader, head, each) for each in head.measures) for _ in head.systems)
    return Buckets(sums, worst)


def _worst(reader: Reader, head: TallyHead, of: TalliedMeasure) -> Worst:
    number = reader.integer()
    require(0 <= number <= (0 if head.ids == "none" else WORST), "there are too many worst instances")
    ids = reader.ids(head.ids, number)
    values = reader.array("<f8", number)
    require(not np.isnan(values).any() and len({*ids}) == number, "a worst instance is there twice, or has no score")
    ranked = rank_worst(values, of.greater_is_better, ids, assign_buckets(ids), WORST)
    require(ranked == list(range(number)), "worst instances are not in order")
    return tuple(zip(ids, values.tolist(), strict=True))


def _with_counts(reader: Reader, tally: Tally) -> Tally:
    """The tally with its counts of classes, levels and kinds, whose sums agree with each other and with the labels."""
    counting, systems = tally.head.counting, len(tally.head.systems)
    assert counting is not None
    met = reader.integer()
    require(0 <= met <= counting.classes, "there are more classes than the hierarchy has")
    numbers, counts = reader.numbers(met), reader.numbers(systems, met, 6)
    require(
        bool((np.diff(numbers) > 0).all()) and (not met or numbers[-1] < counting.classes), "there is no such class"
    )
    require(bool(counts.any(axis=(0, 2)).all()), "a class is there that was not met")
    units = tally.kept if tally.buckets is None else tally.buckets
    width = len(tally) if tally.kept is not None else 1 if tally.head.ids == "none" else BUCKETS
    by_unit = reader.numbers(systems, counting.columns, width)
    for s, labels in enumerate(tally.labels):
        sums, by_class = by_unit[s].sum(axis=1), counts[s].sum(axis=0)
        levels, kinds = sums[: 3 * counting.levels].reshape(-1, 3).sum(axis=0), sums[3 * counting.levels :]
        known = [labels[COUNTED.index(name)] for name in ("predictions", "true_labels")]
        by_side = kinds.reshape(2, -1).sum(axis=1)
        require(levels.tolist() == by_class[:3].tolist(), "levels contradict classes")
        require(by_class[3:5].tolist() == by_side.tolist() == known, "kinds contradict labels")
    require(bool((counts[..., 2::3] <= np.minimum(counts[..., 0::3], counts[..., 1::3])).all()), "counts contradict")
    where = {"kept" if tally.buckets is None else "buckets": replace(units, counts=by_unit)}  # type: ignore[type-var]
    return replace(tally, classes=ClassCounts(numbers, counts), **where)  # type: ignore[arg-type]


def _measure_sums(reader: Reader, head: TallyHead, size: int) -> MeasureSums:
    number = 1 if head.ids == "none" else BUCKETS
    patterns: dict[str, PatternSums] = {}
    left = size
    for _ in range(reader.integer()):
        name = reader.take(len(head.systems)).decode("ascii", "replace")
        require(set(name) <= set(STATES) and name not in patterns, "there is no such pattern, or it is there twice")
        finite = [k for k, state in enumerate(name) if state == FINITE]
        counts = [reader.integer() for _ in range(number)]
        here = sum(counts)
        require(min(counts) >= 0 and 0 < here <= left, "counts of instances do not add up")
        left -= here
        sums = {k: [reader.integer() for _ in range(number)] for k in finite}
        empty = [bucket for bucket, count in enumerate(counts) if not count]
        require(all(not of[bucket] for of in sums.values() for bucket in empty), "an empty bucket has a sum")
        pairs = {pair: _pair(reader, here) for pair in combinations(finite, 2)}
        patterns[name] = PatternSums(np.array(counts, np.int64), sums, pairs)
    require(not left, "counts of instances do not add up")
    return MeasureSums(head.systems, patterns)


def _pair(reader: Reader, size: int) -> PairSums:
    number, wins, first, second, total, squares = (reader.integer() for _ in range(6))
    require(0 <= wins <= number <= size, "wins do not add up")
    least, greatest, scale = reader.array("<f8", 3).tolist()
    if not number:
        made = PairSums()
    else:
        require(all(map(math.isfinite, (least, greatest, scale))), "a difference is not finite")
        require(least <= greatest and scale >= 1 and squares > 0, "differences contradict each other")
        require((greatest > 0) == (wins > 0) and (least < 0) == (wins < number), "wins contradict differences")
        values = tuple(reader.array("<f8", number).tolist()) if number <= MOST_DIFFERENCES else None
        made = PairSums(number, wins, first, second, total, squares, least, greatest, scale, values)
        if values is not None:
            _check_values(made, np.array(values))
    require((made.first, made.second, made.total, made.squares) == (first, second, total, squares), "a sum of nothing")
    return made


def _check_values(pair: PairSums, values: Any) -> None:
    good = bool(np.isfinite(values).all() and (values[1:] >= values[:-1]).all())
    require(good and (values[0], values[-1]) == (pair.least, pair.greatest), "differences are not in order")
    require(int(np.count_nonzero(values > 0)) == pair.wins and bool(values.all()), "wins contradict differences")
    sums = exact_sum(values), exact_square_sum(values)
    require(sums == (pair.total, pair.squares), "differences contradict their sum")


def _check_scores(tally: Tally) -> None:
    """Counts and sums of the scores are those of the instances or buckets."""
    for s, system in enumerate(tally.head.systems):
        for m in range(len(tally.head.measures)):
            first, statuses = tally.scores[s][m].columns[0], tally.scores[s][m].statuses
            if tally.kept is not None:
                same = ColumnSum.of(tally.kept.values[s, m]) == first
                counted = np.bincount(tally.kept.statuses[s, m], minlength=len(Status)).tolist() == list(statuses)
            else:
                of = tally.buckets.sums[m]  # type: ignore[union-attr]
                buckets = [p.sums[s] for p in of.patterns.values() if s in p.sums]
                total = sum(sum(each) for each in buckets)
                states = [of.count(system, state) for state in STATES.replace(UNDEFINED, "")]
                same = first == ColumnSum(total, sum(states), states[1], states[2])
                counted = True
            require(same and counted, f"the scores of {system} contradict their sum")
