"""Plans: what to score and how, to be sent to whatever engine holds the data, and there applied to Arrow tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hemlp.arrays import pointers
from hemlp.errors import Advice, HemlpError, InvalidLabelSets, InvalidOption, naming
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch, Policies, Side, UnknownPolicy
from hemlp.instances.checks import MissingPolicy
from hemlp.instances.formats.arrow_labels import ArrowIds, as_arrow_table, cut_scores, read_arrow_labels, text_letters
from hemlp.measures.base import Measure
from hemlp.measures.instance_scores import Scores
from hemlp.measures.scoring import UndefinedPolicy, score_together
from hemlp.options import check_choice
from hemlp.results.inputs import LabelCounts
from hemlp.run.evaluate import name_measures
from hemlp.run.evaluation import Evaluation
from hemlp.run.tally import IdKind, Tally, TallyHead
from hemlp.run.tally_diagnosis import Counting
from hemlp.run.workers import ScoringOptions

ID, TRUE = "id", "true"
"""The columns of a table that are not those of systems."""


@dataclass(frozen=True, eq=False)
class Part:
    """A scored part of the data: a row for each system and instance in ``table`` (Arrow), and the ``tally`` of all."""

    table: Any
    tally: Tally


def scored_column(system: str, columns: Sequence[str]) -> str | None:
    """The column of scores of which a system is a cut, unless it has a column itself."""
    column, sign, _ = system.rpartition("@")
    return column if sign and system not in columns and column in columns else None


class Plan:
    """Measures of systems on a hierarchy, ready to score tables of instances: in this process or in any other.

    A plan can be pickled; its size is that of the hierarchy. Scores are those of ``evaluate``, to the bit.

    Parameters
    ----------
    hierarchy
        Anything that ``Hierarchy.of`` takes.
    measures
        As of ``evaluate``.
    systems
        The names of the systems, which are those of their columns. "A@0.3" is a column A of scores (lists of structs
        of a label and its score), cut there; several of them are a curve on a grid.
    unknown, unknown_true, missing, undefined
        As of ``evaluate``; a cell that is null is a missing instance. "isolate" needs to see all labels first, and is
        refused: ``hierarchy.with_isolated(labels)`` has them.
    diagnosis
        Whether tallies also count levels, classes, kinds of errors and hits, and sum up scores and costs by class, for
        ``levels``, ``classes``, ``errors``, ``hits``, ``branches`` and ``costs`` of their evaluation.

    Examples
    --------
    >>> import pyarrow
    >>> from hemlp import Hierarchy
    >>> plan = Plan(Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")]), ["F_H"], systems=["A"])
    >>> part = plan.score(pyarrow.table({"id": [1, 2], "true": ["sheep", "cow"], "A": ["cow sheep", ""]}))
    >>> part.table.select(["id", "F_H"]).to_pylist()
    [{'id': 1, 'F_H': 0.8}, {'id': 2, 'F_H': 0.0}]
    >>> part.tally.finish().mean("A", "F_H")
    0.4
    """

    def __init__(
        self,
        hierarchy: Any,
        measures: Sequence[str | Measure] | Mapping[str, str | Measure],
        systems: Sequence[str],
        *,
        unknown: UnknownPolicy = "error",
        unknown_true: UnknownPolicy | None = None,
        missing: MissingPolicy = "error",
        undefined: UndefinedPolicy = "error",
        diagnosis: bool = False,
    ) -> None:
        self.hierarchy = Hierarchy.of(hierarchy)
        self.measures = name_measures(measures)
        self.systems = (systems,) if isinstance(systems, str) else tuple(systems)
        self.policies, self.options = Policies(unknown, unknown_true, missing), ScoringOptions(undefined)
        check_choice("undefined", undefined, ("error", "nan"))
        for each in self.measures.values():
            each._check_complete()
        self.counting = Counting.of(self.hierarchy, [*self.measures.values()]) if diagnosis else None
        if not self.systems or not self.measures:
            raise InvalidOption("a plan needs at least one system and one measure")
        if len({ID, TRUE, *self.systems}) < len(self.systems) + 2 or not {*map(type, self.systems)} <= {str}:
            raise InvalidOption(f"systems need different names, other than 'id' and 'true', not {list(self.systems)!r}")
        if "isolate" in (self.policies.unknown, self.policies.unknown_true):
            raise InvalidOption(
                "unknown='isolate' needs all labels before the first part is scored: plan with "
                "hierarchy.with_isolated(labels)"
            ).with_advice(Advice("unknown", "drop", "to leave such labels out"))

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "hierarchy": replace(self.hierarchy)}  # without what was computed of it

    def __repr__(self) -> str:
        return f"Plan({', '.join(self.measures)} of {', '.join(self.systems)}, {self.hierarchy!r})"

    def score(self, table: Any, *, part: str = "table", first_row: int | None = None) -> Part:
        """Score a part of the data.

        Parameters
        ----------
        table
            An Arrow table or record batch, or a frame of pandas or polars or a relation of DuckDB, with the columns
            ``id`` (strings or integers), ``true`` and one of each system: lists of labels, or texts with labels between
            white space. Other columns are left alone.
        part
            What it is called in messages.
        first_row
            How many rows of the whole data stand before it: where there is no column of ids, rows are named by their
            numbers.

        Raises
        ------
        HemlpError
            A child of it that says in which part and row, and on which instance.
        """
        data, ids, kind = self.read(table, part, first_row)
        measures = [*self.measures.values()]
        counts, scores, batches = [], [], []
        for system, batch in zip(self.systems, self.batches(data, ids, part, self.systems), strict=True):
            batches += [] if self.counting is None else [batch]
            with _name_place(part, ids), naming(system):
                counts.append(LabelCounts(self.policies))
                counts[-1].add(batch)
                scores.append(score_together(measures, batch, **vars(self.options)))
        roots = self.hierarchy.number_of_roots
        head = TallyHead.of(self.systems, self.measures, scores[0], self.policies, roots, kind, self.counting)
        tally = Tally.of(head, counts, scores, ids, part, batches, measures)
        return Part(self._table(scores, counts, data[ID]), tally)

    def read(self, table: Any, part: str, first_row: int | None) -> tuple[Any, ArrowIds, IdKind]:
        """A table as of ``score``, the ids of its instances, and of which kind they are."""
        data = as_arrow_table(table)
        numbered = first_row is not None and ID not in data.column_names
        if first_row is not None and numbered:
            data = data.append_column(ID, [np.arange(first_row + 1, first_row + len(data) + 1)])
        for system in self.systems:
            if (scored := scored_column(system, data.column_names)) is not None:
                cut = cut_scores(data[scored], system.rpartition("@")[2], f"{part}, column {scored!r}")
                data = data.append_column(system, cut)
        for name in (ID, TRUE, *self.systems):
            if data.column_names.count(name) != 1:
                raise InvalidLabelSets(f"{part}: there has to be one column {name!r}; there are {data.column_names}")
        ids = ArrowIds.of(data[ID], part)
        return data, ids, "row" if numbered else "integer" if ids.integers else "text"

    def batches(self, data: Any, ids: Sequence[Label], part: str, systems: Sequence[str]) -> Iterator[Batch]:
        """The batch of each system, by class numbers where all labels are known, and else through label sets."""
        sides = self._class_sides([data[name] for name in (TRUE, *systems)])
        for side in sides[1:]:
            yield Batch(self.hierarchy, sides[0], side, None, self.hierarchy, str(self.policies))
        if not sides:
            names = tuple(ids)
            sets = [read_arrow_labels(data[name], names, f"{part}, column {name!r}") for name in (TRUE, *systems)]
            for each in sets[1:]:
                with _name_place(part, ids):
                    batch = Batch.over(self.hierarchy, sets[0], each, self.policies, names)
                yield batch

    def _class_sides(self, columns: Sequence[Any]) -> list[Side]:
        """The class numbers of columns of lists; nothing where a cell is null or a label unknown."""
        from pyarrow import types

        from hemlp.kernels.text.label_sets import class_rows
        from hemlp.kernels.text.lexicon import learn_texts

        lists = [column.combine_chunks() for column in columns]
        plain = all(types.is_list(each.type) and types.is_string(each.type.value_type) for each in lists)
        if (table := self.hierarchy.label_table) is None or not plain or any(each.null_count for each in lists):
            return []
        sides = []
        for each in lists:
            flat = each.flatten()
            codes = learn_texts(*text_letters(flat), table.known)[1]
            if flat.null_count or codes.min(initial=0) < 0:
                return []
            ptr = pointers(np.asarray(each.value_lengths()))
            sides.append(Side(*class_rows(ptr, codes, table.classes, np.arange(len(each)))))
        return sides

    def _table(self, scores: Sequence[Sequence[Scores]], counts: Sequence[LabelCounts], ids: Any) -> Any:
        """The scores of all instances, as ``Evaluation.to_parquet`` writes them."""
        from hemlp.report.parquet import as_arrow

        by_name = {
            system: dict(zip(self.measures, of, strict=True)) for system, of in zip(self.systems, scores, strict=True)
        }
        facts = {system: of.as_dict() for system, of in zip(self.systems, counts, strict=True)}
        better = {name: each.greater_is_better for name, each in self.measures.items()}
        return as_arrow(Evaluation(by_name, better, facts), ids)


@contextmanager
def _name_place(part: str, ids: Sequence[Label]) -> Iterator[None]:
    """Add the part, and the id of the row, to errors that know a row alone."""
    try:
        yield
    except HemlpError as error:
        row = getattr(error, "row", None)
        place = part if row is None or not 0 < row <= len(ids) else f"{part}, row {row} (instance {ids[row - 1]!r})"
        if not str(error.args[0]).startswith(part):
            error.args = (f"{place}: {error.args[0]}", *error.args[1:])
        raise
