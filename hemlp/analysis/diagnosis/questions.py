"""What can be asked of an evaluation whose labels are at hand: where the errors are, and why an instance scores so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from hemlp.analysis.statistics.label_counts import note_dropped_labels
from hemlp.errors import InvalidOption
from hemlp.hierarchy.labels import Label, near_matches
from hemlp.options import check_known, row_number
from hemlp.text.tables import Table

if TYPE_CHECKING:
    from hemlp.analysis.diagnosis.class_counts import CountBasis
    from hemlp.analysis.diagnosis.system_batches import SystemChoice
    from hemlp.analysis.explain.explanation import Explanation
    from hemlp.results.evaluation import Evaluation


class Diagnosable:
    """The questions, as methods of an evaluation; most answers are a ``Table`` (rows, frames, Markdown, LaTeX).

    All of them raise ``InvalidOption`` where an evaluation was read from a file, which does not hold the labels.
    """

    @property
    def _evaluation(self) -> Evaluation:
        return cast("Evaluation", self)

    def levels(self, system: SystemChoice = None, *, intervals: bool = True) -> Table:
        """By level: both ancestor closures restricted to the classes of one depth, summed over instances.

        Parameters
        ----------
        system
            The name of a system; of several, or of all (None), F and what is lost stand side by side, and of two the
            difference of F.
        intervals
            Whether P, R, F and differences have 95% intervals, by the resamples that all means share.

        Returns
        -------
        Table
            With the columns level, true, predicted, common, P, R and F, and then their intervals (``P 95%``).

        Examples
        --------
        >>> from hemlp import Hierarchy, evaluate
        >>> h = Hierarchy.from_edges([("animal", "bird"), ("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
        >>> ev = evaluate(h, ["sheep", "cow", "bird"], {"A": ["cow", "cow", "cow"]}, ["F_H"])
        >>> print(ev.levels("A", intervals=False))
        level  true  predicted  common       P       R       F
        0         3          3       3  1.0000  1.0000  1.0000
        1         3          3       2  0.6667  0.6667  0.6667
        2         2          3       1  0.3333  0.5000  0.4000
        <BLANKLINE>
        level: the fewest edges up to a root
        """
        from hemlp.analysis.diagnosis.levels import levels

        return note_dropped_labels(levels(self._evaluation, system, intervals), self._evaluation.facts)

    def classes(self, system: SystemChoice = None, *, on: CountBasis = "closures", intervals: bool = True) -> Table:
        """By class: in how many instances it is true, predicted, and both; what loses most comes first.

        Parameters
        ----------
        system
            As of ``levels``; of several, classes come first on which they differ most in what is lost.
        on
            "closures": a class is met wherever a class below it is; "labels": only where it is given itself.
        intervals
            Whether P, R and F have 95% intervals, Wilson's for proportions of instances. Of two systems there is then
            also the difference of what is lost, with that of a sign test.

        Returns
        -------
        Table
            With the columns class, true, predicted, common, P, R and F, and then their intervals; and name after class
            if there are names.

        Examples
        --------
        >>> from hemlp import Hierarchy, evaluate
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> ev = evaluate(h, ["sheep", "cow", "cow"], {"A": ["cow", "cow", "animal"]}, ["F_H"])
        >>> [row[:4] for row in ev.classes("A", on="labels").rows]
        [('cow', 2, 2, 1), ('animal', 0, 1, 0), ('sheep', 1, 0, 0)]
        """
        from hemlp.analysis.diagnosis import class_counts

        return note_dropped_labels(
            class_counts.classes(self._evaluation, system, on, intervals), self._evaluation.facts
        )

    def branches(
        self,
        system: SystemChoice = None,
        measure: str | None = None,
        *,
        level: int | None = None,
        intervals: bool = True,
    ) -> Table:
        """By branch: the instances that have a true class there, the mean over them, and the share of the loss there.

        What is shared out is the error of a pair-based measure, by the classes that cost it, and for all other measures
        SDL, by the classes that are on one side only.

        Parameters
        ----------
        system
            As of ``levels``; of several, branches come first that make the greatest difference between means.
        measure
            One that was evaluated, by default the first.
        level
            Only branches of this depth; 0 for the roots.
        intervals
            Whether means have 95% intervals, Student's over the instances of the branch. Of two systems there is then
            also the mean of the paired differences, with its own.

        Returns
        -------
        Table
            With the columns branch, instances, mean, share and ``mean 95%``, and name after branch if there are names.

        Examples
        --------
        >>> from hemlp import Hierarchy, evaluate
        >>> h = Hierarchy.from_edges([("animal", "bird"), ("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
        >>> ev = evaluate(h, ["sheep", "cow", "bird"], {"A": ["cow", "cow", "cow"]}, ["F_H"])
        >>> [row[:2] + row[3:] for row in ev.branches("A", "F_H", level=1, intervals=False).rows]
        [('mammal', 2, 0.8), ('bird', 1, 0.2)]
        """
        from hemlp.analysis.diagnosis import branches

        table = branches.branches(self._evaluation, system, measure, level, intervals)
        return note_dropped_labels(table, self._evaluation.facts)

    def errors(self, system: SystemChoice = None, *, intervals: bool = True) -> Table:
        """By kind: hits, and what is too general, too specific, a sibling, in the same branch, or elsewhere.

        Parameters
        ----------
        system
            As of ``levels``.
        intervals
            As of ``levels``: of the numbers, and of two systems of their differences.

        Returns
        -------
        Table
            With the columns kind, predicted (what predicted classes are) and true (how true ones were answered), and
            then their intervals.

        Examples
        --------
        >>> from hemlp import Hierarchy, evaluate
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> ev = evaluate(h, ["sheep", "cow", "cow"], {"A": ["cow", "cow", "animal"]}, ["F_H"])
        >>> ev.errors("A", intervals=False).rows[:4]
        [('hit', 1, 1), ('too general', 1, 1), ('too specific', 0, 0), ('sibling', 1, 1)]
        """
        from hemlp.analysis.diagnosis import error_kinds

        return note_dropped_labels(error_kinds.errors(self._evaluation, system, intervals), self._evaluation.facts)

    def hits(self, system: SystemChoice = None, *, intervals: bool = True) -> Table:
        """Instances by whether all, some or none of their true classes were predicted, with the means of all measures.

        Parameters
        ----------
        system
            As of ``levels``.
        intervals
            As of ``levels``, of the means.

        Examples
        --------
        >>> from hemlp import Hierarchy, evaluate
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> ev = evaluate(h, ["sheep", "cow", "cow"], {"A": ["cow", "cow", "animal"]}, ["F_H"])
        >>> [row[:2] for row in ev.hits("A").rows]
        [('all', 1), ('some', 0), ('none', 2)]
        """
        from hemlp.analysis.diagnosis import error_kinds

        return note_dropped_labels(error_kinds.hits(self._evaluation, system, intervals), self._evaluation.facts)

    def confusions(self, system: SystemChoice = None, measure: str = "GIE") -> Table:
        """Which true class is answered by which predicted one: the pairs of Problem 1 that cost most come first.

        Where an instance has one class a side, they are a pair even if it costs less to pair both with nobody.

        Parameters
        ----------
        system
            As of ``levels``; of several, that comes first in which they differ most.
        measure
            A pair-based measure, whether it was evaluated or not.

        Returns
        -------
        Table
            With the columns true, predicted, pairs (how many), cost (of all of them) and instances (the first ones,
            counted from 0; as text from 1), and names if there are any. Classes without a partner are in the notes.

        Examples
        --------
        >>> from hemlp import Hierarchy, evaluate
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> ev = evaluate(h, ["sheep", "cow", "sheep"], {"A": ["cow", "cow", "cow"]}, ["F_H"])
        >>> ev.confusions("A").rows
        [('sheep', 'cow', 2, 4.0, (0, 2))]
        """
        from hemlp.analysis.diagnosis import error_costs

        return note_dropped_labels(error_costs.confusions(self._evaluation, system, measure), self._evaluation.facts)

    def costs(self, system: SystemChoice = None, measure: str = "GIE") -> Table:
        """Which classes the error comes from: half of each pair's cost goes to each of its ends, the dearest first.

        Parameters
        ----------
        system
            As of ``levels``; of several, that comes first in which they differ most.
        measure
            A pair-based measure, whether it was evaluated or not.

        Returns
        -------
        Table
            With the columns class, predicted (what it costs as a predicted class), true, cost (both) and share. The
            costs add up to the error over all instances. ``branches`` has the same by branch.

        Examples
        --------
        >>> from hemlp import Hierarchy, evaluate
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> ev = evaluate(h, ["sheep", ["cow", "sheep"]], {"A": ["cow", "cow"]}, ["GIE"])
        >>> ev.costs("A").rows
        [('sheep', 0.0, 6.0, 6.0, 0.8571428571428571), ('cow', 1.0, 0.0, 1.0, 0.14285714285714285)]
        """
        from hemlp.analysis.diagnosis import error_costs

        return note_dropped_labels(error_costs.costs(self._evaluation, system, measure), self._evaluation.facts)

    def explain(
        self,
        system: str,
        row: int | None = None,
        measures: Sequence[str] | None = None,
        *,
        id: Label | None = None,
    ) -> Explanation:
        """Why a system scores what it scores on an instance, by some or all of the measures.

        Parameters
        ----------
        system
            The name of a system.
        row
            The number of an instance from 0; negative ones count from the end.
        measures
            One or several of those that were evaluated; None for all.
        id
            The name of the instance instead of its number.

        Raises
        ------
        InvalidOption
            If the evaluation was read from a file, which does not hold the data, or there is no such instance.

        Examples
        --------
        >>> from hemlp import Hierarchy, evaluate
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> evaluate(h, ["sheep"], ["cow"], ["GIE"]).explain("system", 0).parts[0].pairs[0].path
        ('cow', 'animal', 'sheep')
        """
        ev = self._evaluation
        from hemlp.analysis.diagnosis.system_batches import require_inputs

        require_inputs(ev)
        check_known("system", system, ev.systems)
        chosen = [measures] if isinstance(measures, str) else measures
        for name in chosen or ():
            check_known("measure", name, ev.measures)
        return self.explanations(system, [self.row_of(row, id)], chosen)[0]

    def row_of(self, row: int | None, id: Label | None) -> int:
        """The number of an instance, from its number (negative ones count from the end) or its name."""
        ev = self._evaluation
        if row is not None and id is not None:
            raise InvalidOption("row and id= both say which instance: give one of them")
        if id is None:
            return row_number(row, int(ev.facts[ev.systems[0]]["instances"]))
        if ev.ids is None:
            raise InvalidOption(f"id={id!r}: the instances have no names here: give the number of one")
        if id not in ev.ids:
            near = near_matches(id, ev.ids)
            hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise InvalidOption(f"there is no instance with the id {id!r}{hint}")
        return list(ev.ids).index(id)

    def explanations(
        self, system: str, rows: Sequence[int], measures: Sequence[str] | None = None
    ) -> list[Explanation]:
        """``explain`` of several instances, whose data is read once."""
        from hemlp.analysis.diagnosis.system_batches import require_inputs
        from hemlp.analysis.explain.explain import explain

        inputs = require_inputs(self._evaluation)
        batch = inputs.take(system, rows)
        chosen = {name: inputs.measures[name] for name in measures or self._evaluation.measures}
        explained = (explain(batch, chosen, k, system=system, names=inputs.names) for k in range(len(rows)))
        return [replace(each, row=row) for each, row in zip(explained, rows, strict=True)]
