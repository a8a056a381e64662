"""Results of an evaluation: per-instance scores first, and tables, ranks, tests and correlations from them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from hemlp.arrays import FloatArray
from hemlp.errors import InvalidOption
from hemlp.evaluation import json_form
from hemlp.evaluation.folder import RunFolder
from hemlp.evaluation.inputs import Inputs
from hemlp.evaluation.sensitivity import sensitivity
from hemlp.explain.making import explain
from hemlp.explain.parts import Explanation
from hemlp.io.files import write_text
from hemlp.measures.scores import Scores
from hemlp.options import check_known, row_number
from hemlp.programs.program import STATUSES
from hemlp.report.page import page
from hemlp.statistics import comparisons
from hemlp.statistics.facts import dropped_true_labels, unknown_labels
from hemlp.statistics.tests import LEVEL, Sided
from hemlp.text.tables import Table, figure


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """Scores of systems × measures. ``facts`` counts, for each system, what was predicted and what was unknown.

    ``inputs`` are not kept in files: an evaluation that was read from one has none. ``stored``: where the scores are,
    if they are in a run folder and not in memory.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> ev = evaluate(h, ["sheep", "cow"], {"A": ["cow", "cow"], "B": ["sheep", "animal"]}, ["F_H"])
    >>> ev, ev.ranks("F_H")
    (Evaluation(2 systems, 1 measures, 2 instances), {'A': 1, 'B': 1})
    >>> ev.table().columns
    ['system', 'F_H ↑', 'labels']
    """

    scores: Mapping[str, Mapping[str, Scores]]
    greater_is_better: Mapping[str, bool]
    facts: Mapping[str, Mapping[str, float]]
    inputs: Inputs | None = None
    stored: RunFolder | None = None

    @property
    def systems(self) -> list[str]:
        """Names of the systems."""
        return list(self.scores)

    @property
    def measures(self) -> list[str]:
        """Names of the measures, as they were asked for."""
        return list(self.greater_is_better)

    def _of(self, system: str, measure: str) -> Scores:
        check_known("system", system, self.systems)
        check_known("measure", measure, self.measures)
        return self.scores[system][measure]

    def per_instance(self, system: str, measure: str, column: str | None = None) -> FloatArray:
        """One value an instance; ``column`` names another column than the measure itself.

        Parameters
        ----------
        system, measure
            As they were called when they were evaluated.
        column
            For example "error" of a pair-based measure, "common" of a set-based one.

        Examples
        --------
        >>> from hemlp import Hierarchy, evaluate
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> ev = evaluate(h, ["sheep", "cow"], {"A": ["cow", "cow"]}, ["F_H"])
        >>> ev.per_instance("A", "F_H").tolist(), ev.per_instance("A", "F_H", "common").tolist()
        ([0.5, 1.0], [1.0, 2.0])
        """
        scores = self._of(system, measure)
        if column is None:
            return scores.values
        check_known("column", column, list(scores.columns))
        return scores[column]

    def mean(self, system: str, measure: str) -> float:
        """The average over the instances on which the measure is defined.

        Parameters
        ----------
        system, measure
            As they were called when they were evaluated.
        """
        return self._of(system, measure).mean()

    def status(self, system: str, measure: str) -> dict[str, int]:
        """How many instances are optimal, how many fell back to a feasible solution, how many have none.

        Parameters
        ----------
        system, measure
            As they were called when they were evaluated.
        """
        return self._of(system, measure).status_counts()

    def ranks(self, measure: str, *, sided: Sided = "two") -> dict[str, int | None]:
        """Ranks of the systems, on the instances on which all of them are defined.

        A system shares the rank of the one above it unless the micro sign test finds that one better at the level 0.05.

        Parameters
        ----------
        measure
            As it was called when it was evaluated.
        sided
            Whether the test is "two"- or "one"-sided.

        Returns
        -------
        dict
            The rank of each system; None where there is no instance on which all are defined.
        """
        return comparisons.ranked(self, measure, sided)

    def table(self, *, sided: Sided = "two") -> Table:
        """Means with ranks, one row a system; the notes hold conventions, statuses and signatures.

        Parameters
        ----------
        sided
            As of ``ranks``.
        """
        dropped = dropped_true_labels(self.facts)
        columns: list[list[str]] = [["system", *self.scores]]
        signatures = []
        for name, better in self.greater_is_better.items():
            ranks, column = self.ranks(name, sided=sided), [f"{name} {'↑' if better else '↓'}"]
            for system, of_system in self.scores.items():
                average = of_system[name].mean()
                shown = "undefined" if math.isnan(average) else figure(average)
                column.append(shown if ranks[system] is None else f"{shown} ({ranks[system]})")
            columns.append(column)
            signatures.append(of_system[name].signature)
        columns.append(["labels"])
        for facts in self.facts.values():
            columns[-1].append(f"{facts['predictions an instance']:.2f}")
        if dropped:
            columns.append(["true labels dropped", *dropped.values()])
        head, *rows = map(list, zip(*columns, strict=True))
        return Table(head, rows, [*self.notes(sided=sided), *signatures])

    def notes(self, *, sided: Sided = "two") -> list[str]:
        """Conventions, and what was undefined, unknown, missing or not proved.

        Parameters
        ----------
        sided
            As of ``ranks``.
        """
        notes = [
            f"{self.facts[self.systems[0]]['instances']:,} instances; means over instances and ranks; a system shares "
            f"the rank of the one above unless the sign test ({sided}-sided, {LEVEL}) finds that one better",
            "labels: predicted labels an instance",
        ]
        for name in self.greater_is_better:
            notes += comparisons.comparability(self, name)
        for system, of_system in self.scores.items():
            for name, scores in of_system.items():
                if scores.undefined:
                    notes.append(f"{system}, {name}: undefined on {scores.undefined:,} instances, which are left out")
                if scores.exact and (fell := scores.fallbacks):
                    notes.append(f"{system}, {name}: not proved optimal on {fell:,} instances")
            if self.facts[system]["unknown labels"]:
                notes.append(f"{system}: {unknown_labels(self.facts[system])}")
            if self.facts[system]["missing instances"]:
                notes.append(f"{system}: {self.facts[system]['missing instances']:,} missing instances")
        return notes

    @property
    def fallbacks(self) -> int:
        """How many exact scores are not proved optimal."""
        return sum(
            scores.fallbacks for of_system in self.scores.values() for scores in of_system.values() if scores.exact
        )

    def compare(self, first: str, second: str, *, sided: Sided = "two") -> Table:
        """All tests of one pair of systems, measure by measure, on the instances on which both are defined.

        Parameters
        ----------
        first, second
            Names of systems.
        sided
            As of ``ranks``.
        """
        return self._with_dropped(comparisons.compared(self, first, second, sided))

    def significance(self, measure: str, *, sided: Sided = "two") -> Table:
        """The sign test of all pairs of systems, with Holm's correction.

        Parameters
        ----------
        measure
            As it was called when it was evaluated.
        sided
            As of ``ranks``.
        """
        return self._with_dropped(comparisons.significance(self, measure, sided))

    def kendall_matrix(self) -> FloatArray:
        """Kendall's τ-b of all pairs of measures, on the mean scores of the systems; nan where it is undefined."""
        return comparisons.kendall_matrix(self)

    def kendall(self, resamples: int = 0, seed: int = 0) -> Table:
        """Kendall's τ-b between measures, on the mean scores of the systems; with 95% intervals by resampling.

        Parameters
        ----------
        resamples
            How often instances are drawn anew for the intervals; 0 for no intervals.
        seed
            Of the random draws.
        """
        return self._with_dropped(comparisons.kendall_table(self, resamples, seed))

    def _with_dropped(self, table: Table) -> Table:
        """With a note of the true labels that no score sees, if any were dropped."""
        dropped = dropped_true_labels(self.facts)
        told = ", ".join(f"{system} {number}" for system, number in dropped.items())
        return replace(table, notes=[*table.notes, f"true labels dropped: {told}"]) if dropped else table

    sensitivity = sensitivity

    def explain(
        self,
        system: str,
        row: int,
        measures: Sequence[str] | None = None,
    ) -> Explanation:
        """Why a system scores what it scores on instance ``row`` (from 0), by some or all of the measures.

        Parameters
        ----------
        system
            The name of a system.
        row
            The number of an instance from 0; negative ones count from the end.
        measures
            One or several of those that were evaluated; None for all.

        Raises
        ------
        InvalidOption
            If the evaluation was read from a file, which does not hold the data.

        Examples
        --------
        >>> from hemlp import Hierarchy, evaluate
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> evaluate(h, ["sheep"], ["cow"], ["GIE"]).explain("system", 0).parts[0].pairs[0].path
        ('cow', 'animal', 'sheep')
        """
        if self.inputs is None:
            raise InvalidOption("this evaluation was read from a file, which does not hold its data: evaluate again")
        check_known("system", system, self.systems)
        chosen = [measures] if isinstance(measures, str) else measures
        for name in chosen or ():
            check_known("measure", name, self.measures)
        return self.explanations(system, [row_number(row, int(self.facts[system]["instances"]))], chosen)[0]

    def explanations(
        self, system: str, rows: Sequence[int], measures: Sequence[str] | None = None
    ) -> list[Explanation]:
        """``explain`` of several instances, whose data is read once."""
        assert self.inputs is not None
        batch = self.inputs.take(system, rows)
        chosen = {name: self.inputs.measures[name] for name in measures or self.measures}
        found = (explain(batch, chosen, k, system=system, names=self.inputs.names) for k in range(len(rows)))
        return [replace(each, row=row) for each, row in zip(found, rows, strict=True)]

    def blocks(self, system: str) -> Iterator[Mapping[str, Scores]]:
        """The scores of a system in parts of consecutive instances, as they are kept."""
        if self.stored is None:
            yield self.scores[system]
            return
        for scores in self.stored.chunks(self.systems.index(system)):
            yield dict(zip(self.measures, scores, strict=True))

    # ---- to files and back

    def summary(self) -> dict[str, Any]:
        """Means, statuses, signatures and facts as plain values; nan becomes None."""
        return json_form.summary(self)

    def to_dict(self) -> dict[str, Any]:
        """The summary, and all per-instance columns."""
        data: dict[str, Any] = json.loads("".join(self.json_pieces()))
        return data

    def json_pieces(self) -> Iterator[str]:
        """Everything as JSON, column by column, so that never all of it is in memory."""
        return json_form.pieces(self)

    def to_json(self, path: str | PathLike[str]) -> None:
        """Write everything to a file that ``from_json`` reads.

        Parameters
        ----------
        path
            A file that is written as a whole or not at all.
        """
        write_text(path, self.json_pieces())

    @classmethod
    def from_json(cls, path: str | PathLike[str]) -> Evaluation:
        """Read what ``to_json`` wrote; a file that contradicts itself, or its schema, is refused.

        Parameters
        ----------
        path
            The file.

        Examples
        --------
        >>> import tempfile
        >>> from hemlp import Hierarchy, evaluate
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> with tempfile.NamedTemporaryFile(suffix=".json") as file:
        ...     evaluate(h, ["sheep"], ["cow"], ["F_H"]).to_json(file.name)
        ...     Evaluation.from_json(file.name).mean("system", "F_H")
        0.5
        """
        return cls(*json_form.read(path))

    def to_html(
        self, path: str | PathLike[str], title: str = "Hierarchical evaluation", *, sided: Sided = "two"
    ) -> None:
        """Write a report page: tables that sort, tests, plots, and the worst instances with their drawings.

        Parameters
        ----------
        path
            A file that is written as a whole or not at all.
        title
            Of the page.
        sided
            As of ``ranks``.
        """
        write_text(path, page(self, title, sided))

    def to_columns(self) -> dict[str, list[Any]]:
        """One row a system, measure and instance: what ``to_frame`` makes a frame of."""
        columns: dict[str, list[Any]] = {k: [] for k in ("system", "measure", "instance", "value", "status")}
        for system in self.systems:
            for name in self.measures:
                scores = self.scores[system][name]
                columns["system"] += [system] * len(scores)
                columns["measure"] += [name] * len(scores)
                columns["instance"] += list(range(len(scores)))
                columns["value"] += scores.values.tolist()
                columns["status"] += [str(STATUSES[k]) for k in scores.statuses]
        return columns

    def to_frame(self, library: str = "pandas") -> Any:
        """The per-instance scores in long form as a frame of pandas or polars.

        Parameters
        ----------
        library
            "pandas" or "polars".
        """
        from importlib import import_module

        check_known("library", library, ["pandas", "polars"])
        return import_module(library).DataFrame(self.to_columns())

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        count = int(self.facts[self.systems[0]]["instances"])
        return f"Evaluation({len(self.systems)} systems, {len(self.measures)} measures, {count:,} instances)"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()
