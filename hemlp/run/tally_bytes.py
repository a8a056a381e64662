"""Tallies as bytes: one way to write each, and reading that takes nothing on trust.

``hemlp tally 4``, a line of JSON (what was tallied), numbers in binary form, and the SHA-256 of all that:
docs/cluster.md has the details. Whatever is read is written again, and refused if other bytes come of it: so order,
sizes and forms need no check of their own, and what is left are checks of what numbers mean.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from functools import reduce
from hashlib import sha256
from itertools import chain, combinations, pairwise
from typing import Any, get_args

import numpy as np

from hemlp.analysis.diagnosis.class_sums import (
    ABOVE,
    BELOW,
    CLOSURES,
    LABELS,
    PREDICTED,
    SCORES,
    SQUARES,
    TRUE,
    UNDEFINED,
)
from hemlp.analysis.diagnosis.error_kinds import HIT_GROUPS
from hemlp.analysis.diagnosis.measure_facts import PAIRS, REFUSED, SDL, MeasureFacts
from hemlp.analysis.statistics import resampling
from hemlp.analysis.statistics.resampling import BUCKETS, assign_buckets
from hemlp.errors import InvalidOption
from hemlp.instances.batch import Policies
from hemlp.optimize.program import STEPS, Status
from hemlp.results.exact_sums import DIGIT, BucketSums
from hemlp.results.merged_sums import (
    FINITE,
    MOST_DIFFERENCES,
    STATES,
    ColumnSum,
    MeasureSums,
    PairSums,
    PatternSums,
    ScoreCounts,
)
from hemlp.run.tally import COUNTED, SOLVED, Buckets, IdKind, Kept, TalliedMeasure, Tally, TallyHead, Worst
from hemlp.run.tally_diagnosis import PAIRED, ClassCounts, Counting
from hemlp.run.tally_numbers import Reader, encode_counts, encode_ids, encode_integers, refuse, require
from hemlp.run.worst import WORST, rank_worst

MAGIC = b"hemlp tally 4\n"
DIGEST = 32
"""Bytes of the SHA-256 at the end."""
MEASURE = {
    "called": str, "name": str, "signature": str, "greater_is_better": bool, "exact": bool, "columns": [str]
}  # fmt: skip
FACTS = {"text": str, "low": float, "high": float, "loss": str}
COUNTING = {"hierarchy": str, "levels": int, "classes": int, "measures": [FACTS]}
HEAD = {
    "systems": [str], "measures": [MEASURE], "policies": {"unknown": str, "unknown_true": str, "missing": str},
    "roots": int, "ids": str,
}  # fmt: skip
"""The keys of the second line, beside ``counting``, and what they have; a list has at least one member."""


FIRST = (0, 0, 0, 0, -83)
"""The least numbers of a key of sums by class: two systems, a measure, what is summed, the place of its digits."""


# ---- writing


def encode_tally(tally: Tally) -> bytes:
    """The bytes of a tally."""
    head, scores = tally.head, list(chain.from_iterable(tally.scores))
    line = json.dumps(asdict(head), sort_keys=True, separators=(",", ":")).encode() + b"\n"
    counts = [*chain.from_iterable(tally.labels)]
    for of in scores:
        counts += [*of.statuses, *of.steps, *(count for column in of.columns for count in column[1:])]
    out = bytearray(MAGIC + line + encode_counts(np.array(counts)))
    out += encode_integers([column.total for of in scores for column in of.columns])
    if tally.kept is not None:
        kept, by_unit = tally.kept, tally.kept.counts
        values = np.where(np.isnan(kept.values), math.nan, kept.values).astype("<f8")  # one nan of many
        out += encode_ids(head.ids, kept.ids) + kept.statuses.astype("|i1").tobytes() + values.tobytes()
    else:
        assert tally.buckets is not None
        by_unit = tally.buckets.counts
        for sums in tally.buckets.sums:
            out += encode_counts(np.array([len(sums.patterns)]))
            for name in sorted(sums.patterns):
                out += name.encode() + _encode_pattern(sums.patterns[name])
        for worst in chain.from_iterable(tally.buckets.worst):
            out += encode_counts(np.array([len(worst)])) + encode_ids(head.ids, [name for name, _ in worst])
            out += np.array([value for _, value in worst], "<f8").tobytes()
    if by_unit is not None and tally.classes is not None:
        out += _encode_classes(tally.classes) + encode_counts(by_unit)
        for hits in chain.from_iterable(tally.buckets.hits or ()) if tally.buckets is not None else ():
            for group in hits:
                out += encode_counts(group.counts) + encode_counts(group.infinite) + encode_integers(group.sums)
    return bytes(out) + sha256(out).digest()


def _encode_classes(of: ClassCounts) -> bytes:
    keys = sorted(of.sums)
    places = np.array(keys, np.int64).reshape(-1, len(FIRST)) - FIRST
    out = map(encode_counts, (np.array([len(of.numbers), len(keys)]), of.numbers, of.counts, places))
    return b"".join([*out, *(encode_counts(of.sums[key] << 1 ^ of.sums[key] >> 63) for key in keys)])


def _encode_pattern(of: PatternSums) -> bytes:
    pairs = [of.pairs[pair] for pair in sorted(of.pairs)]
    doubles = [number for each in pairs for number in (each.least, each.greatest, each.size, *(each.values or ()))]
    return b"".join(
        [
            encode_counts(of.counts),
            encode_integers([total for k in sorted(of.sums) for total in of.sums[k]]),
            encode_counts(np.array([(each.number, each.wins) for each in pairs])),
            encode_integers([total for each in pairs for total in (each.first, each.second, each.total)]),
            encode_integers([each.squares for each in pairs]),
            np.array(doubles, "<f8").tobytes(),
        ]
    )


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
    head, reader = _head(said), Reader(data, end)
    shape, columns = (len(head.systems), len(head.measures)), [len(of.columns) for of in head.measures]
    widths = [len(Status) + len(STEPS) + 3 * number for number in columns]
    counts = iter(reader.numbers(shape[0] * (len(COUNTED) + sum(widths))).tolist())
    labels = tuple(tuple(next(counts) for _ in COUNTED) for _ in head.systems)
    sizes = {each[COUNTED.index("instances")] for each in labels}
    require(len(sizes) == 1, "systems have different numbers of instances")
    (size,) = sizes
    totals = iter(reader.integers(shape[0] * sum(columns)))
    scores = tuple(
        tuple(
            _score_counts([next(counts) for _ in range(width)], [next(totals) for _ in of.columns], of, size)
            for of, width in zip(head.measures, widths, strict=True)
        )
        for _ in head.systems
    )
    keeps = head.ids != "none" and size < resampling.BUCKETED_FROM  # below 100,000 instances are kept
    kept = _kept(reader, head, size) if keeps else None
    buckets = None if keeps else _buckets(reader, head, size)
    tally = Tally(head, labels, scores, kept, buckets)
    if head.counting is not None:
        tally = _with_counts(reader, tally)
    _check_scores(tally)
    require(encode_tally(tally) == data, "they are not as hemlp writes them")
    return tally


def _fits(value: Any, form: Any) -> bool:
    """Whether JSON has the keys and types that it should have."""
    if isinstance(form, dict):
        return isinstance(value, dict) and value.keys() == form.keys() and all(_fits(value[k], form[k]) for k in form)
    if isinstance(form, list):
        return isinstance(value, list) and bool(value) and all(_fits(each, form[0]) for each in value)
    return type(value) is form


def _head(said: Any) -> TallyHead:
    diagnosed = isinstance(said, dict) and said.get("counting") is not None
    require(
        _fits(said, {**HEAD, "counting": COUNTING if diagnosed else type(None)}), "their second line says other things"
    )
    names = [said["systems"], [each["called"] for each in said["measures"]]]
    names += [each["columns"] for each in said["measures"]]
    require(all(len({*each}) == len(each) for each in names), "a name is there twice")
    require(said["ids"] in get_args(IdKind), "ids are of another kind")
    require(said["roots"] > 0, "there is no root")
    counting = None
    if diagnosed:
        facts = tuple(MeasureFacts(**each) for each in said["counting"]["measures"])
        counting = Counting(**{**said["counting"], "measures": facts})
        require(0 < counting.levels <= counting.classes < 2**31, "there are no levels, or too many")
        good = all(each.low <= each.high and each.loss in (SDL, PAIRS, REFUSED) for each in facts)
        require(good and len(facts) == len(said["measures"]), "they know other things of measures")
    measures = tuple(TalliedMeasure(**{**each, "columns": tuple(each["columns"])}) for each in said["measures"])
    try:
        policies = Policies(**said["policies"])
    except InvalidOption as error:
        refuse(str(error))
    return TallyHead(tuple(said["systems"]), measures, policies, said["roots"], said["ids"], counting)


def _score_counts(counts: list[int], totals: list[int], of: TalliedMeasure, size: int) -> ScoreCounts:
    statuses, steps = counts[: len(Status)], counts[len(Status) : len(Status) + len(STEPS)]
    rest = np.array(counts[len(Status) + len(STEPS) :]).reshape(-1, 3).tolist()
    made = ScoreCounts(
        tuple(statuses),
        tuple(steps),
        tuple(ColumnSum(total, *three) for total, three in zip(totals, rest, strict=True)),
    )
    solved = sum(statuses[: SOLVED + 1])
    require(sum(statuses) == size and sum(steps) <= size, f"{of.called}: counts do not add up")
    require(made.columns[0].number <= solved, f"{of.called}: values contradict their statuses")
    for total, count, up, down in made.columns:
        require(up + down <= count <= size and (count > up + down or not total), f"{of.called}: values do not add up")
    return made


def _kept(reader: Reader, head: TallyHead, size: int) -> Kept:
    ids = reader.ids(head.ids, size)
    keys = ids if head.ids in ("row", "text") else list(map(str, ids))
    require(all(a < b for a, b in pairwise(keys)), "ids are not in order, or there twice")
    shape = len(head.systems), len(head.measures), size
    statuses = reader.array("|i1", math.prod(shape)).reshape(shape)
    values = reader.array("<f8", math.prod(shape)).reshape(shape).astype(np.float64)
    require(bool(((statuses >= 0) & (statuses < len(Status))).all()), "there is no such status")
    require(bool((np.isnan(values) | (statuses <= SOLVED)).all()), "values contradict their statuses")
    return Kept(tuple(ids), values, statuses.copy())


def _buckets(reader: Reader, head: TallyHead, size: int) -> Buckets:
    sums = tuple(_measure_sums(reader, head, size) for _ in head.measures)
    worst = tuple(tuple(_worst(reader, head, each) for each in head.measures) for _ in head.systems)
    return Buckets(sums, worst)


def _worst(reader: Reader, head: TallyHead, of: TalliedMeasure) -> Worst:
    number = int(reader.numbers(1)[0])
    require(number <= (0 if head.ids == "none" else WORST), "there are too many worst instances")
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
    classes = _classes(reader, counting, systems)
    counts = classes.counts
    units = tally.kept if tally.buckets is None else tally.buckets
    width = len(tally) if tally.kept is not None else 1 if tally.head.ids == "none" else BUCKETS
    by_unit = reader.numbers(systems, counting.columns, width)
    for s, labels in enumerate(tally.labels):
        sums, by_class = by_unit[s].sum(axis=1), counts[s].sum(axis=0)
        levels, kinds = (
            sums[: 3 * counting.levels].reshape(-1, 3).sum(axis=0),
            sums[3 * counting.levels : -len(HIT_GROUPS)],
        )
        require(bool((by_unit[s, -len(HIT_GROUPS) :].sum(axis=0) == _sizes(tally)).all()), "hits contradict instances")
        known = [labels[COUNTED.index(name)] for name in ("predictions", "true_labels")]
        by_side = kinds.reshape(2, -1).sum(axis=1)
        require(levels.tolist() == by_class[:3].tolist(), "levels contradict classes")
        require(by_class[3:5].tolist() == by_side.tolist() == known, "kinds contradict labels")
    require(bool((counts[..., 2::3] <= np.minimum(counts[..., 0::3], counts[..., 1::3])).all()), "counts contradict")
    changes = {
        "counts": by_unit,
        **({} if tally.buckets is None else {"hits": _hits(reader, tally.head, tally.buckets)}),
    }
    where = {"kept" if tally.buckets is None else "buckets": replace(units, **changes)}  # type: ignore[type-var]
    return replace(tally, classes=classes, **where)  # type: ignore[arg-type]


def _classes(reader: Reader, counting: Counting, systems: int) -> ClassCounts:
    """The counts and sums of classes; no sum is greater than its number of instances allows."""
    met, columns = reader.numbers(2).tolist()
    require(met <= counting.classes, "there are more classes than the hierarchy has")
    numbers, counts = reader.numbers(met), reader.numbers(systems, met, 6)
    require(
        bool((np.diff(numbers) > 0).all()) and (not met or numbers[-1] < counting.classes), "there is no such class"
    )
    require(bool(counts.any(axis=(0, 2)).all()), "a class is there that was not met")
    sums = {}
    for key in (reader.numbers(columns, len(FIRST)) + FIRST).tolist():
        first, second, measure, what, place = key
        known = second < systems and measure < len(counting.measures) and what <= LABELS and place < -FIRST[-1]
        require(known and (first == second or (systems == PAIRED and first < second)), "there is no such sum")
        both = reader.numbers(met)
        sums[tuple(key)] = column = both >> 1 ^ -(both & 1)
        if what in (PREDICTED, TRUE):
            of_pairs = first == second and counting.measures[measure].loss == PAIRS
            require(of_pairs and not column[counts[first, :, what - 2] == 0].any(), "costs contradict labels")
        elif what in (CLOSURES, LABELS):
            most = counts[:, :, 0 if what == CLOSURES else 3].sum(axis=0)
            good = (first, second, measure, place) == (0, 1, 0, 0) and bool((column >= 0).all())
            require(good and bool((column <= most).all()), "differences contradict classes")
        else:
            most = counts[first, :, 1] * (1.0 if what in (UNDEFINED, ABOVE, BELOW) else 2.0 ** (DIGIT + 1))
            good = what in (SCORES, SQUARES) or (place == 0 and bool((column >= 0).all()))
            require(good and bool((np.abs(column) <= most).all()), "sums contradict classes")
    return ClassCounts(numbers, counts, sums)


def _sizes(tally: Tally) -> Any:
    """How many instances each bucket has, or 1 of each instance that is kept."""
    return 1 if tally.buckets is None else tally.buckets.sums[0].sizes


def _hits(reader: Reader, head: TallyHead, of: Buckets) -> Any:
    """The sums of the groups of instances, which add up to those of all."""
    width = 1 if head.ids == "none" else BUCKETS
    made: list[list[tuple[BucketSums, ...]]] = []
    for system in head.systems:
        made.append([])
        for sums in of.sums:
            groups = tuple(
                BucketSums(counts=reader.numbers(width), infinite=reader.numbers(2, width), sums=reader.integers(width))
                for _ in HIT_GROUPS
            )
            both, whole = reduce(BucketSums.__add__, groups), sums.column(system)
            alike = np.array_equal(both.counts, whole.counts) and np.array_equal(both.infinite, whole.infinite)
            require(alike and list(both.sums) == list(whole.sums), "hits contradict the sums of all")
            made[-1].append(groups)
    return tuple(map(tuple, made))


def _measure_sums(reader: Reader, head: TallyHead, size: int) -> MeasureSums:
    number = 1 if head.ids == "none" else BUCKETS
    patterns: dict[str, PatternSums] = {}
    left = size
    for _ in range(int(reader.numbers(1)[0])):
        name = reader.take(len(head.systems)).decode("ascii", "replace")
        require(set(name) <= set(STATES) and name not in patterns, "there is no such pattern, or it is there twice")
        finite = [k for k, state in enumerate(name) if state == FINITE]
        counts = reader.numbers(number)
        here = sum(counts.tolist())
        require(0 < here <= left, "counts of instances do not add up")
        left -= here
        totals = reader.integers(number * len(finite))
        sums = {k: totals[place * number : (place + 1) * number] for place, k in enumerate(finite)}
        empty = np.flatnonzero(counts == 0).tolist()
        require(not any(of[bucket] for of in sums.values() for bucket in empty), "an empty bucket has a sum")
        pairs = dict(
            zip(combinations(finite, 2), _pairs(reader, len(finite) * (len(finite) - 1) // 2, here), strict=True)
        )
        patterns[name] = PatternSums(counts, sums, pairs)
    require(not left, "counts of instances do not add up")
    return MeasureSums(head.systems, patterns)


def _pairs(reader: Reader, number: int, size: int) -> list[PairSums]:
    counts = reader.numbers(number, 2).tolist()
    totals, squares, made = reader.integers(3 * number), reader.integers(number), []
    for k, (differing, wins) in enumerate(counts):
        require(wins <= differing <= size, "wins do not add up")
        least, greatest, scale = reader.array("<f8", 3).tolist()
        values = reader.array("<f8", differing) if differing <= MOST_DIFFERENCES else None
        first, second, total = totals[3 * k : 3 * k + 3]
        kept = None if values is None else tuple(values.tolist())
        pair = PairSums(differing, wins, first, second, total, squares[k], least, greatest, scale, kept)
        if values is not None:
            require(bool((np.isfinite(values) & (values != 0)).all()), "a difference is 0, or not finite")
            require(pair == PairSums.of_gaps(values, first, second, scale), "differences contradict their sums")
        if differing:
            require(all(map(math.isfinite, (least, greatest, scale))), "a difference is not finite")
            require(least <= greatest and scale >= 1 and pair.squares > 0, "differences contradict each other")
            require((greatest > 0) == (wins > 0) and (least < 0) == (wins < differing), "wins contradict differences")
        else:
            require(pair == PairSums(), "a sum of nothing")
        made.append(pair)
    return made


def _check_scores(tally: Tally) -> None:
    """Counts and sums of the scores are those of the instances or buckets."""
    for s, system in enumerate(tally.head.systems):
        for m, of in enumerate(tally.scores[s]):
            if tally.kept is not None:
                same = ColumnSum.of(tally.kept.values[s, m]) == of.columns[0]
                counted = np.bincount(tally.kept.statuses[s, m], minlength=len(Status)).tolist() == list(of.statuses)
            else:
                column = tally.buckets.sums[m].column(system)  # type: ignore[union-attr]
                ends = column.infinite.sum(axis=1).tolist()
                same = of.columns[0] == ColumnSum(sum(column.sums), int(column.counts.sum()), *ends)
                counted = True
            require(same and counted, f"the scores of {system} contradict their sum")
