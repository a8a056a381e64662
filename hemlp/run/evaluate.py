"""Evaluation runs: many systems, many measures, in chunks of instances.

>>> from hemlp import Hierarchy
>>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
>>> ev = evaluate(h, ["sheep", "cow"], {"A": ["cow", "cow"], "B": ["animal", "sheep"]}, ["F_H", "F_LCA"])
>>> ev.per_instance("A", "F_LCA").tolist()
[0.5, 1.0]
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike, fspath
from typing import Any

from hemlp.arrays import record
from hemlp.errors import HemlpError, InvalidOption, UncutScores, UnscoredPredictions, naming, out_of_memory
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Policies, UnknownPolicy
from hemlp.instances.checks import MissingPolicy
from hemlp.instances.label_files import WHOLE, LabelFile, open_labels, read_labels
from hemlp.instances.label_sets import LabelSets, RowKind, Scored, as_predictions
from hemlp.io.datasets import has_dataset
from hemlp.io.frames import collect_query, column_names
from hemlp.io.text import file_kind
from hemlp.measures.base import Measure
from hemlp.measures.derived import Gold, RankedMeasure
from hemlp.measures.factory import measure
from hemlp.measures.information import complete_measures
from hemlp.measures.scoring import UndefinedPolicy, is_small, score_together
from hemlp.options import by_text, parse_memory, plain_number
from hemlp.processes.progress import Progress
from hemlp.results.inputs import Inputs, Source
from hemlp.run.evaluation import Evaluation
from hemlp.run.folder import RunFolder
from hemlp.run.workers import Context, MemoryStore, ScoringOptions, all_compiled, score_chunks, score_systems
from hemlp.solvers.registry import Solver, as_solver
from hemlp.text.tables import plural
from hemlp.version import __version__

MEASURES = ("F_H", "F_LCA", "F", "GIE")
"""What is recommended for a first look: three scores from 0 to 1, and an error in edges."""
CHUNK = 20_000
"""Instances that are scored at once."""


def evaluate(
    hierarchy: Any,
    true: Any,
    systems: Any = None,
    measures: Sequence[str | Measure] | Mapping[str, str | Measure] = MEASURES,
    *,
    unknown: UnknownPolicy = "error",
    unknown_true: UnknownPolicy | None = None,
    missing: MissingPolicy = "error",
    undefined: UndefinedPolicy = "error",
    solver: str | Solver | None = None,
    time_limit: float | None = None,
    workers: int = 1,
    executor: Any = None,
    chunk: int | None = None,
    memory: int | str | None = None,
    resume: str | PathLike[str] | None = None,
    progress: bool | None = None,
    names: Mapping[Label, str] | None = None,
    labels: Sequence[Label] | None = None,
    id: str | None = None,
    label: str | None = None,
    rows: RowKind | None = None,
    corpus: Any = None,
    ignore: Any = None,
    gold: Gold = "exact",
) -> Evaluation:
    """Score every system with every measure.

    All input is checked before anything is scored. Results depend on neither ``workers`` nor ``executor``.

    Parameters
    ----------
    hierarchy
        What true labels and predictions speak of: anything that ``Hierarchy.of`` takes, such as the path of a file.
    true
        True label sets, anything that ``LabelSets.of`` takes: lists, frames, the path of a file; or a ``LabelFile``; or
        a dataset, which is scored part by part: a folder or pattern of Parquet files, an address, that of pyarrow.
    systems
        Predictions by their system; alone they are "system". Of a dataset: datasets, columns, or None for all.
    measures
        Names, texts or measures; or a mapping from what they are to be called to those.
    unknown, unknown_true, missing
        What is done about predicted and true labels that the hierarchy does not have, and about instances that one side
        does not have: see ``Batch.of``.
    undefined
        "nan" leaves instances out on which a measure is undefined, and counts them; else "error".
    solver
        The solver of the models, by default the first that accepts them.
    time_limit
        In seconds for each instance.
    workers
        How many chunks are scored at once: in threads, or in processes where measures or solvers are in Python.
    executor
        Scores chunks instead: any of ``concurrent.futures``, or a Dask client, whose workers read their own parts.
    chunk
        How many instances are scored at once.
    memory
        Limits what a run takes ("2GB"): chunks become smaller, scores are kept in files, label files with one instance
        a line are streamed, and an instance that would take more is refused.
    resume
        A folder that keeps finished chunks, so that a killed run goes on; of a dataset see ``Evaluation.open``.
    progress
        Show a bar on standard error after a second; by default if that is a terminal.
    names
        Readable names of classes, for explanations and reports; by default those of the hierarchy.
    labels
        The classes of the columns of 0/1 matrices, or those that integer codes count.
    id, label
        The columns of frames and tables that hold ids and labels, where they are called otherwise.
    rows
        Whether lists of labels are "sets" or "paths": as of ``LabelSets.of``.
    corpus
        Label sets, for measures that need information content and have none, such as BMA(cost='lin'); without it such
        a cost takes that of the true labels, with a warning.
    ignore
        Classes that count neither for nor against, or the path of a file of them.
    gold
        "at least": true classes may be too general. Beside each measure there is its lenient value, by which a
        predicted class below a true class is no error: ``ev.mean(..., lenient=True)``.

    Raises
    ------
    HemlpError
        A child of it that says where and what to do, before anything is scored wherever that is possible.

    Examples
    --------
    >>> from hemlp import Hierarchy
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> ev = evaluate(h, true=["sheep", "cow"], systems={"A": ["cow", "cow"]}, measures=["F_H", "MGIA(default_cost=4)"])
    >>> ev.mean("A", "F_H"), ev.mean("A", "MGIA(default_cost=4)")
    (0.75, 0.875)
    """
    asked = locals().copy()
    if systems is None or ((isinstance(true, str | PathLike) or hasattr(true, "files")) and has_dataset(true, systems)):
        from hemlp.run.parts import evaluate_parts

        return evaluate_parts(**asked)
    named, made = _name_systems(systems, rows), name_measures(measures)
    check_options(named, made, workers, executor, chunk, corpus)
    policies = Policies(unknown, unknown_true, missing)
    limit = plain_number("time_limit", time_limit, 0)
    options = ScoringOptions(undefined, None if solver is None else as_solver(solver), limit)
    room = None if memory is None else parse_memory(memory)
    try:
        given = hierarchy if isinstance(hierarchy, Hierarchy) else Hierarchy.of(hierarchy)
        reader, as_is = InputReader(labels, id, label, rows, stream=room is not None), rows is None
        ranked = all(isinstance(each, RankedMeasure) for each in made.values())
        sources = {
            name: pred
            if as_is and isinstance(pred, LabelSets) and pred.source
            else reader.read_predictions(pred, f"predictions of {name}", ranked)
            for name, pred in named.items()
        }
        is_read = as_is and isinstance(true, LabelSets) and true.source
        truth = true if is_read else reader.read_labels(true, "true labels")
        raw = not any(isinstance(pred, LabelSets | LabelFile | Scored) for pred in named.values())
        if raw and isinstance(truth, LabelSets) and named.keys() <= {*(truth.ids or ())}:
            raise InvalidOption(
                "systems maps names to predictions, and its keys are the ids of instances: give {name: predictions}"
            )
        given = given if names is None else given.with_names(names)
        costs = [getattr(getattr(each, "measure", each), "cost", None) for each in made.values()]
        if corpus is not None or any(getattr(cost, "lacks_weights", False) for cost in costs):
            own = truth if isinstance(truth, LabelSets) else read_labels(truth.source)
            seen = None if corpus is None else LabelSets.of(corpus, source="corpus")
            made = complete_measures(made, given, own, seen, policies.unknown_true or "error")
        if ignore is not None or gold != "exact":
            from hemlp.measures.incomplete_gold import read_gold, read_ignored

            ignored = read_ignored(given, ignore)
            made = read_gold(made, ignored, gold, measures is MEASURES)
        if any(isinstance(each, RankedMeasure) for each in made.values()) or any(
            getattr(source, "scores", None) is not None for source in sources.values()
        ):
            sources = select_scores(sources, made)
        inputs = Inputs(given, truth, sources, made, policies, names if names is not None else given.names or None)
        threads = workers == 1 or all_compiled(tuple(made.values()), options)
        left = None if room is None else _memory_per_worker(room, workers, 1 if threads else 1 + workers, inputs.given)
        facts = inputs.check(undefined, left)
        if ignore is not None:
            facts = {name: {**counts, "ignored classes": len(ignored)} for name, counts in facts.items()}
        size = chunk or (CHUNK if left is None else _fit_chunk(left, inputs, facts))
        folder = None
        if resume is not None:
            identity = _describe_run(inputs, options, chunk or RunFolder.stored_chunk_size(resume) or size)
            folder = RunFolder(resume, identity, list(made.values()))
            size = int(folder.identity["chunk"])
        elif room is not None:
            folder = RunFolder.temporary(list(made.values()))
        visible = bool(sys.stderr and sys.stderr.isatty()) if progress is None else progress
        small = len(inputs.batches) == len(named) and all(map(is_small, inputs.batches.values()))
        alone = workers == 1 and executor is None and chunk is None and folder is None
        if small and alone and not visible:  # nothing to distribute
            scores = {}
            try:
                for name, batch in inputs.batches.items():
                    scores[name] = score_together([*made.values()], batch, **vars(options))
            except HemlpError as error:
                with naming(name):
                    raise error
        else:
            context = Context(inputs.hierarchies, inputs.given, str(policies), tuple(made.values()), options, left)
            score = partial(score_chunks, context=context, workers=workers, threads=threads, executor=executor)
            instances = int(next(iter(facts.values()))["instances"])
            with Progress(len(named) * instances, visible=visible) as bar:
                order = sorted(named, key=lambda name: -facts[name]["predictions an instance"])  # the longest first
                scores = score_systems(inputs, score, folder or MemoryStore(), size, order, options.solver is None, bar)
    except MemoryError as error:
        raise error if isinstance(error, HemlpError) else out_of_memory(memory) from None
    by_name = {name: dict(zip(made, scores[name], strict=True)) for name in named}
    better = {name: each.greater_is_better for name, each in made.items()}
    return Evaluation(by_name, better, facts, inputs, folder)


def _name_systems(systems: Any, rows: RowKind | None) -> dict[str, Any]:
    """A mapping from names to predictions, and not one from instance ids to labels, or a table."""
    if not isinstance(systems, Mapping) or {"id", "label"} <= systems.keys():
        return {"system": systems}
    if all(isinstance(name, str) for name in systems):
        return {str(name): pred for name, pred in systems.items()}
    for name, pred in systems.items() if rows != "paths" else ():
        if not isinstance(name, str) and _holds_rows(pred):
            raise InvalidOption(f"the name of a system is a text, not {name!r} ({type(name).__name__})")
    return {"system": systems}


def _holds_rows(data: Any) -> bool:
    """Whether data can be predictions for several instances, and not the labels of one."""
    if isinstance(data, LabelSets | LabelFile | Scored | PathLike) or column_names(data) is not None:
        return True
    values = data.values() if isinstance(data, Mapping) else data if isinstance(data, list | tuple) else ()
    return any(isinstance(each, list | tuple | set | Mapping) for each in values) or getattr(data, "ndim", 1) > 1


def check_options(
    named: Collection[str], made: Mapping[str, Measure], workers: int, executor: Any, chunk: int | None,
    corpus: Any,
) -> None:  # fmt: skip
    """Refuse a run of nothing, and numbers that are none."""
    if not named or not made:
        raise InvalidOption("an evaluation needs at least one system and one measure")
    for each in made.values() if corpus is None else ():
        each._check_complete()
    for option, number in (("workers", workers), ("chunk", chunk)):
        given = number is not None or option == "workers"
        if given and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
            raise InvalidOption(f"{option}={number!r} is not an integer of at least 1")
    if executor is not None and workers != 1:
        raise InvalidOption("give workers= or executor=, not both")


def _describe_run(inputs: Inputs, options: ScoringOptions, chunk: int) -> dict[str, Any]:
    """What makes a run the same run."""
    for name, each in inputs.measures.items():
        if "custom" in each.serializable_fields().values():
            raise InvalidOption(f"{name} holds a function or a matrix, which a run folder cannot identify")
    return {
        "version": __version__,
        "hierarchy": inputs.given.content_hash,
        "true labels": inputs.true.digest,
        "predictions": [[name, side.digest] for name, side in inputs.systems.items()],
        "cuts": [list(each) for each in inputs.cuts.items()],
        "measures": [[name, each.signature] for name, each in inputs.measures.items()],
        "options": f"{inputs.policies}|{options}",
        "chunk": chunk,
    }


def _memory_per_worker(room: int, workers: int, processes: int, h: Hierarchy) -> float:
    """How many of ``room`` bytes each worker has for its instances.

    A process takes about 250 MB for Python and its libraries and 400 bytes for each class of the hierarchy.
    """
    left = room - processes * (250 * 2**20 + 400 * len(h))
    if left < 2**20:
        raise InvalidOption(
            f"memory: about {(room - left) / 2**30:.1f} GB go to {plural(processes, 'process', 'processes')} with a "
            f"hierarchy of {len(h):,} classes before the first instance; give more"
            f"{', or fewer workers' * (workers > 1)}"
        )
    return left / workers


def _fit_chunk(left: float, inputs: Inputs, facts: Mapping[str, Mapping[str, float]]) -> int:
    """How many instances may be scored at once so that they stay within ``left`` bytes.

    One takes about 2 KB, and more with pairs of labels and long lists of ancestors (figures seen on the real data).
    """
    labels = 1 + max(told["predictions an instance"] for told in facts.values())
    each = 2_000 + 300 * labels**2 + 30 * labels * inputs.given.upward.mean_length
    return max(1, min(CHUNK, int(left / each)))


def name_measures(measures: Sequence[str | Measure] | Mapping[str, str | Measure]) -> dict[str, Measure]:
    """The measures, under the names that they were asked for."""
    if isinstance(measures, Mapping):
        return {name: measure(each) for name, each in by_text("measures", measures).items()}
    if isinstance(measures, str | Measure):
        measures = [measures]
    made: dict[str, Measure] = {}
    for each in measures:
        name = each if isinstance(each, str) else measure(each).display_name
        if name in made:
            raise InvalidOption(f"the measure {name!r} is asked for twice")
        made[name] = measure(each)
    return made


def select_scores(systems: Mapping[str, Source], measures: Mapping[str, Measure]) -> dict[str, Source]:
    """The systems with their scores if a measure is of the greatest ones, and else without.

    Raises
    ------
    UnscoredPredictions, UncutScores
        Where a measure needs scores and there are none, or predicted sets and scores were not cut.
    """
    of_ranks = [name for name, each in measures.items() if isinstance(each, RankedMeasure)]
    of_sets = [name for name in measures if name not in of_ranks]
    made: dict[str, Source] = {}
    for name, source in systems.items():
        sets = source if isinstance(source, LabelSets) else None
        if of_ranks and (sets is None or sets.scores is None):
            raise UnscoredPredictions(
                f"{of_ranks[0]} needs scores, but {name} has none: give hemlp.ScoredSets or a "
                f"file of scores, as they are or cut for other measures (s.at(0.3), FILE@0.3)"
            )
        if of_sets and sets is not None and sets.scores is not None and sets.cut is None:
            raise UncutScores(
                f"{of_sets[0]} needs label sets, but {name} has scores: give a cut-off, as in s.at(0.3), "
                f"s.top(5), FILE@0.3 and FILE@top5 do"
            )
        made[name] = source if sets is None or of_ranks else replace(sets, scores=None)
    return made


@record
class InputReader:
    """How data is read: ``labels``, ``id``, ``label`` and ``rows`` as of ``LabelSets.of``.

    ``stream``: files block by block.
    """

    labels: Sequence[Label] | None = None
    id: str | None = None
    label: str | None = None
    rows: RowKind | None = None
    stream: bool = False

    def read_predictions(self, data: Any, name: str, ranked: bool) -> Source:
        """Those of a system: scores, if they are or if all measures are ``ranked``, and else as ``read_labels``."""
        if isinstance(data, Scored):
            return as_predictions(data, name, self.rows)
        if ranked and not isinstance(data, LabelSets | LabelFile):
            from hemlp.instances.score_files import as_scores

            data = collect_query(data)
            labels = None if isinstance(data, str | PathLike) else self.labels
            columns = {"id": self.id, "label": self.label} if labels is None else {}
            return as_predictions(as_scores(data, labels=labels, source=name, **columns), name, self.rows)
        return self.read_labels(data, name)

    def read_labels(self, data: Any, name: str) -> Source:
        """A label file as it is, anything else as label sets."""
        if isinstance(data, LabelFile):
            return data
        if isinstance(data, LabelSets):
            side = LabelSets.of(data, rows=self.rows)
            return side if side.source else replace(side, source=name)
        data = collect_query(data)
        if isinstance(data, str | PathLike):
            if self.stream and self.id is self.label is self.rows is None and os.path.exists(data):
                return open_labels(data)
            table = file_kind(fspath(data)) in WHOLE
            columns = {"id": self.id, "label": self.label} if table else {}
            return LabelSets.of(data, rows=self.rows, **columns)
        if column_names(data) is not None and (self.label is not None or self.id is not None):
            return LabelSets.of(data, id=self.id, label=self.label, rows=self.rows, source=name)
        labels = None if isinstance(data, Mapping) else self.labels
        return LabelSets.of(data, labels=labels, rows=self.rows, source=name)
