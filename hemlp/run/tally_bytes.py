"""Tallies as bytes: one way to write each, and reading that takes nothing on trust.

``hemlp tally 1``, a line of JSON (what was tallied), and then numbers in binary form: docs/cluster.md has the details.
Whatever is read is written again, and refused if other bytes come of it: so order, sizes and forms need no check of
their own, and what is left are checks of what numbers mean.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, astuple
from itertools import chain, combinations, pairwise
from typing import Any, NoReturn, get_args

import numpy as np

from hemlp.analysis.statistics import resampling
from hemlp.analysis.statistics.resampling import BUCKETS
from hemlp.errors import InvalidOption, InvalidTally
from hemlp.instances.batch import Policies
from hemlp.optimize.program import Status
from hemlp.problems.lca.solution import STEPS
from hemlp.results.exact_sums import UNIT, exact_square_sum, exact_sum
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
from hemlp.run.tally import COUNTED, SOLVED, IdKind, Kept, TalliedMeasure, Tally, TallyHead

MAGIC = b"hemlp tally 1\n"
LONGEST = (2 * (1024 + UNIT) + 64) // 8 + 1
"""Bytes of an integer, at most: a sum of 2⁶⁴ squares."""
KEYS = {"systems", "measures", "policies", "roots", "ids"}
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
        _put(out, number)
    return bytes(out) + (_encode_sums(tally.sums or ()) if tally.kept is None else _encode_kept(head.ids, tally.kept))


def _encode_kept(kind: IdKind, kept: Kept) -> bytes:
    if kind == "row":
        names = [np.array(kept.ids, "<i8").tobytes()]
    else:
        texts = [str(name).encode("utf-8", "surrogatepass") for name in kept.ids]
        names = [np.array(list(map(len, texts)), "<u4").tobytes(), *texts]
    values = np.where(np.isnan(kept.values), math.nan, kept.values).astype("<f8")  # one nan of many
    return b"".join([*names, kept.statuses.astype("|i1").tobytes(), values.tobytes()])


def _encode_sums(sums: Sequence[MeasureSums]) -> bytes:
    out = bytearray()
    for of in sums:
        _put(out, len(of.patterns))
        for name in sorted(of.patterns):
            pattern = of.patterns[name]
            out += name.encode()
            for count in pattern.counts.tolist():
                _put(out, count)
            for k in sorted(pattern.sums):
                for total in pattern.sums[k]:
                    _put(out, total)
            for pair in sorted(pattern.pairs):
                _put_pair(out, pattern.pairs[pair])
    return bytes(out)


def _put_pair(out: bytearray, pair: PairSums) -> None:
    *integers, least, greatest, size, values = astuple(pair)
    for each in integers:
        _put(out, each)
    out += np.array([least, greatest, size, *(values or ())], "<f8").tobytes()


def _put(out: bytearray, number: int) -> None:
    """An integer: 0, or 2 · bytes + sign and the exponent in two bytes each, and then the odd part."""
    if not number:
        out.append(0)
        return
    size = abs(number)
    shift = (size & -size).bit_length() - 1
    odd = size >> shift
    length = (odd.bit_length() + 7) // 8
    if shift < 64 and length == 1 and number > 0:  # most counts
        out += bytes((1 + shift, odd))
        return
    out.append(65 + (number < 0))
    out += length.to_bytes(2, "little") + shift.to_bytes(2, "little") + odd.to_bytes(length, "little")


# ---- reading


def _refuse(why: str) -> NoReturn:
    raise InvalidTally(f"these bytes are not a tally: {why}")


def _require(condition: bool, why: str) -> None:
    if not condition:
        _refuse(why)


class _Reader:
    """Goes through bytes from a place on."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def take(self, size: int) -> bytes:
        """The next bytes."""
        _require(0 <= size <= len(self.data) - self.at, "they end too early")
        self.at += size
        return self.data[self.at - size : self.at]

    def array(self, kind: str, number: int) -> Any:
        """The next numbers."""
        return np.frombuffer(self.take(number * np.dtype(kind).itemsize), kind)

    def integer(self) -> int:
        """What ``_put`` wrote."""
        first = self.take(1)[0]
        if first <= 64:
            return int.from_bytes(self.take(1), "little") << (first - 1) if first else 0
        _require(first <= 66, "an integer begins with another byte")
        length, shift = (int(each) for each in self.array("<u2", 2))
        _require(length <= LONGEST and shift <= 8 * LONGEST, "an integer is too long")
        number = int.from_bytes(self.take(length), "little") << shift
        return -number if first == 66 else number

    def counts(self, number: int) -> tuple[int, ...]:
        """The next integers, none below 0."""
        made = tuple(self.integer() for _ in range(number))
        _require(all(0 <= each < 2**63 for each in made), "a count is not a number of at least 0")
        return made


def decode_tally(data: bytes) -> Tally:
    """The tally of some bytes; whatever else they are raises ``InvalidTally``."""
    _require(isinstance(data, bytes), f"they are a {type(data).__name__}")
    _require(data.startswith(MAGIC), "they begin with something else, or are of another version")
    end = data.find(b"\n", len(MAGIC)) + 1
    try:
        said = json.loads(data[len(MAGIC) : end])
    except (ValueError, RecursionError):
        _refuse("their second line is not JSON")
    _require(isinstance(said, dict) and said.keys() == KEYS, "their second line has other keys")
    head = _head(said)
    reader = _Reader(data, end)
    labels = tuple(reader.counts(len(COUNTED)) for _ in head.systems)
    sizes = {each[COUNTED.index("instances")] for each in labels}
    _require(len(sizes) == 1, "systems have different numbers of instances")
    (size,) = sizes
    scores = tuple(tuple(_score_counts(reader, of, size) for of in head.measures) for _ in head.systems)
    keeps = head.ids != "none" and size < resampling.BUCKETED_FROM  # below 100,000 instances are kept
    kept = _kept(reader, head, size) if keeps else None
    sums = None if keeps else tuple(_measure_sums(reader, head, size) for _ in head.measures)
    tally = Tally(head, labels, scores, kept, sums)
    _check_scores(tally)
    _require(encode_tally(tally) == data, "they are not as hemlp writes them")
    return tally


def _head(said: dict[str, Any]) -> TallyHead:
    measures, systems = said["measures"], said["systems"]
    _require(isinstance(systems, list) and isinstance(measures, list), "systems and measures are not lists")
    _require(bool(systems and measures) and all(isinstance(each, str) for each in systems), "a system has no name")
    made = []
    for each in measures:
        _require(isinstance(each, dict) and each.keys() == FIELDS.keys(), "a measure has other fields")
        _require(all(type(each[key]) is kind for key, kind in FIELDS.items()), "a field has another type")
        columns = each["columns"]
        _require(bool(columns) and all(isinstance(name, str) for name in columns), "a column has no name")
        _require(len(set(columns)) == len(columns), "a column is there twice")
        made.append(TalliedMeasure(**{**each, "columns": tuple(columns)}))
    called = [each.called for each in made]
    _require(len(set(systems)) == len(systems) and len(set(called)) == len(called), "a name is there twice")
    _require(said["ids"] in get_args(IdKind), "ids are of another kind")
    policies = said["policies"]
    keys = {"unknown", "unknown_true", "missing"}
    _require(isinstance(policies, dict) and policies.keys() == keys, "its options have other names")
    _require(all(isinstance(each, str) for each in policies.values()), "an option is no word")
    roots = said["roots"]
    _require(type(roots) is int and roots > 0, "there is no root")
    try:
        return TallyHead(tuple(systems), tuple(made), Policies(**policies), roots, said["ids"])
    except InvalidOption as error:
        _refuse(str(error))


def _score_counts(reader: _Reader, of: TalliedMeasure, size: int) -> ScoreCounts:
    made = ScoreCounts(
        reader.counts(len(Status)), reader.counts(len(STEPS)),
        tuple(ColumnSum(reader.integer(), *reader.counts(3)) for _ in of.columns),
    )  # fmt: skip
    solved = sum(made.statuses[: SOLVED + 1])
    _require(sum(made.statuses) == size and sum(made.steps) <= size, f"{of.called}: counts do not add up")
    _require(made.columns[0].number <= solved, f"{of.called}: values contradict their statuses")
    for total, count, up, down in made.columns:
        _require(up + down <= count <= size and (count > up + down or not total), f"{of.called}: values do not add up")
    return made


def _kept(reader: _Reader, head: TallyHead, size: int) -> Kept:
    ids: list[Any]
    if head.ids == "row":
        ids = reader.array("<i8", size).tolist()
        _require(all(each > 0 for each in ids), "rows count from 1")
    else:
        lengths = reader.array("<u4", size).tolist()
        try:
            ids = [reader.take(length).decode("utf-8", "surrogatepass") for length in lengths]
            ids = ids if head.ids == "text" else list(map(_as_integer, ids))
        except ValueError:
            _refuse("an id is no text, or no number")
    _require("" not in ids, "an id is empty")
    keys = ids if head.ids in ("row", "text") else list(map(str, ids))
    _require(all(a < b for a, b in pairwise(keys)), "ids are not in order, or there twice")
    shape = len(head.systems), len(head.measures), size
    cells = shape[0] * shape[1] * size
    statuses = reader.array("|i1", cells).reshape(shape)
    values = reader.array("<f8", cells).reshape(shape).astype(np.float64)
    _require(bool(((statuses >= 0) & (statuses < len(Status))).all()), "there is no such status")
    _require(bool((np.isnan(values) | (statuses <= SOLVED)).all()), "values contradict their statuses")
    return Kept(tuple(ids), values, statuses.copy())


def _as_integer(text: str) -> int:
    if len(text) > 4000:
        raise ValueError
    return int(text)


def _measure_sums(reader: _Reader, head: TallyHead, size: int) -> MeasureSums:
    number = 1 if head.ids == "none" else BUCKETS
    patterns: dict[str, PatternSums] = {}
    left = size
    for _ in range(reader.integer()):
        name = reader.take(len(head.systems)).decode("ascii", "replace")
        _require(set(name) <= set(STATES) and name not in patterns, "there is no such pattern, or it is there twice")
        finite = [k for k, state in enumerate(name) if state == FINITE]
        counts = [reader.integer() for _ in range(number)]
        here = sum(counts)
        _require(min(counts) >= 0 and 0 < here <= left, "counts of instances do not add up")
        left -= here
        sums = {k: [reader.integer() for _ in range(number)] for k in finite}
        empty = [bucket for bucket, count in enumerate(counts) if not count]
        _require(all(not of[bucket] for of in sums.values() for bucket in empty), "an empty bucket has a sum")
        pairs = {pair: _pair(reader, here) for pair in combinations(finite, 2)}
        patterns[name] = PatternSums(np.array(counts, np.int64), sums, pairs)
    _require(not left, "counts of instances do not add up")
    return MeasureSums(head.systems, patterns)


def _pair(reader: _Reader, size: int) -> PairSums:
    number, wins, first, second, total, squares = (reader.integer() for _ in range(6))
    _require(0 <= wins <= number <= size, "wins do not add up")
    least, greatest, scale = reader.array("<f8", 3).tolist()
    if not number:
        made = PairSums()
    else:
        _require(all(map(math.isfinite, (least, greatest, scale))), "a difference is not finite")
        _require(least <= greatest and scale >= 1 and squares > 0, "differences contradict each other")
        _require((greatest > 0) == (wins > 0) and (least < 0) == (wins < number), "wins contradict differences")
        values = tuple(reader.array("<f8", number).tolist()) if number <= MOST_DIFFERENCES else None
        made = PairSums(number, wins, first, second, total, squares, least, greatest, scale, values)
        if values is not None:
            _check_values(made, np.array(values))
    _require((made.first, made.second, made.total, made.squares) == (first, second, total, squares), "a sum of nothing")
    return made


def _check_values(pair: PairSums, values: Any) -> None:
    good = bool(np.isfinite(values).all() and (values[1:] >= values[:-1]).all())
    _require(good and (values[0], values[-1]) == (pair.least, pair.greatest), "differences are not in order")
    _require(int(np.count_nonzero(values > 0)) == pair.wins and bool(values.all()), "wins contradict differences")
    sums = exact_sum(values), exact_square_sum(values)
    _require(sums == (pair.total, pair.squares), "differences contradict their sum")


def _check_scores(tally: Tally) -> None:
    """Counts and sums of the scores are those of the instances or buckets."""
    for s, system in enumerate(tally.head.systems):
        for m in range(len(tally.head.measures)):
            first, statuses = tally.scores[s][m].columns[0], tally.scores[s][m].statuses
            if tally.kept is not None:
                same = ColumnSum.of(tally.kept.values[s, m]) == first
                counted = np.bincount(tally.kept.statuses[s, m], minlength=len(Status)).tolist() == list(statuses)
            else:
                of = (tally.sums or ())[m]
                buckets = [p.sums[s] for p in of.patterns.values() if s in p.sums]
                total = sum(sum(each) for each in buckets)
                states = [of.count(system, state) for state in STATES.replace(UNDEFINED, "")]
                same = first == ColumnSum(total, sum(states), states[1], states[2])
                counted = True
            _require(same and counted, f"the scores of {system} contradict their sum")
