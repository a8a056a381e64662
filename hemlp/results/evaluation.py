"""Results of an evaluation: per-instance scores first, and tables, ranks, tests and correlations from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

from hemlp.analysis.diagnosis.questions import Diagnosable
from hemlp.analysis.statistics import comparable, overview, ranking
from hemlp.analysis.statistics.facts import with_dropped
from hemlp.analysis.statistics.tests import Sided
from hemlp.analysis.statistics.verdicts import Procedure, Ranks, Test
from hemlp.arrays import FloatArray
from hemlp.hierarchy.labels import Label
from hemlp.io.files import write_text
from hemlp.measures.averages import Average, average_scores
from hemlp.measures.instance_scores import Scores
from hemlp.measures.signature import restore_measure
from hemlp.options import check_known
from hemlp.report.outputs import long_columns
from hemlp.report.writing import Reported
from hemlp.results import json_form
from hemlp.run.folder import RunFolder
from hemlp.run.inputs import Inputs, Told
from hemlp.text.intervals import CONFIDENCE, Interval
from hemlp.text.tables import DECIMALS, Table, as_frame
from hemlp.text.words import many

if TYPE_CHECKING:
    from hemlp.analysis.ranking_sensitivity import Sensitivities


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Diagnosable, Reported):
    """Scores of systems × measures. ``facts`` counts, for each system, what was predicted and what was unknown.

    ``inputs`` are not kept in files: an evaluation that was read from one has none. ``stored``: where the scores are,
    if they are in a run folder and not in memory. ``told``: what a file tells of data that is not at hand.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> ev = evaluate(h, ["sheep", "cow"], {"A": ["cow", "cow"], "B": ["sheep", "animal"]}, ["F_H"])
    >>> ev, ev.ranks("F_H")
    (Evaluation(2 systems, 1 measure, 2 instances), {'A': 2, 'B': 1})
    >>> ev.table().columns
    ['system', 'F_H ↑', 'labels']
    """

    scores: Mapping[str, Mapping[str, Scores]]
    greater_is_better: Mapping[str, bool]
    facts: Mapping[str, Mapping[str, float]]
    inputs: Inputs | None = None
    stored: RunFolder | None = None
    told: Told = field(default_factory=Told)

    @property
    def systems(self) -> list[str]:
        """Names of the systems."""
        return list(self.scores)

    @property
    def measures(self) -> list[str]:
        """Names of the measures, as they were asked for."""
        return list(self.greater_is_better)

    @property
    def cuts(self) -> Mapping[str, str]:
        """How systems were cut from scores, in words, if they were."""
        return self.told.cuts if self.inputs is None else self.inputs.cuts

    @property
    def ids(self) -> Sequence[Label] | None:
        """The names of the instances, if they have any."""
        return self.told.ids if self.inputs is None else self.inputs.ids

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
        >>> ev.per_instance("A", "F_H", "common").tolist()
        [1.0, 2.0]
        """
        scores = self._of(system, measure)
        return scores.values if column is None else scores[column]

    def mean(self, system: str, measure: str, average: Average = "mean") -> float:
        """The average over the instances on which the measure is defined; nan where it is defined on none.

        Parameters
        ----------
        system, measure
            As they were called when they were evaluated.
        average
            "mean", or of set-based measures "micro" (sets are added up first), "of_means" (F from mean P and mean R)
            and "cafa" (the same, P over the instances that have a prediction), or "where_wrong" (the mean over the
            instances that are not perfect).

        Raises
        ------
        InvalidOption, UndefinedScore
            If the measure has no such average, or there is nothing to average.

        Examples
        --------
        >>> from hemlp import Hierarchy, evaluate
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> ev = evaluate(h, ["sheep", "cow", "cow"], {"A": ["cow", "cow", []]}, ["F_H"])
        >>> [round(ev.mean("A", "F_H", average), 2) for average in ("mean", "micro", "of_means", "cafa", "where_wrong")]
        [0.5, 0.6, 0.5, 0.6, 0.25]
        """
        scores = self._of(system, measure)
        if average == "mean":
            return comparable.average(self, system, measure)
        inputs = self.inputs
        made = restore_measure(measure, scores.signature) if inputs is None else inputs.measures[measure]
        return average_scores(made, scores, average)

    def interval(self, system: str, measure: str, *, level: float = CONFIDENCE) -> Interval:
        """The percentile interval of a mean over bootstrap resamples of the instances.

        There are 1,000 resamples by a fixed seed, which all systems and measures share.

        Parameters
        ----------
        system, measure
            As they were called when they were evaluated.
        level
            How much of the resamples the interval covers, between 0 and 1.

        Returns
        -------
        Interval
            With ``low``, ``high`` and ``level``, also as the pair ``low, high``; nan where there is no finite mean.

        Examples
        --------
        >>> from hemlp import Hierarchy, evaluate
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> ev = evaluate(h, ["sheep", "cow"] * 50, {"A": ["cow", "cow"] * 50}, ["F_H"])
        >>> low, high = ev.interval("A", "F_H")
        >>> low < ev.mean("A", "F_H") < high, ev.interval("A", "F_H").level
        (True, 0.95)
        """
        self._of(system, measure)
        from hemlp.analysis.statistics.intervals import interval

        return interval(self, system, measure, level)

    def status(self, system: str, measure: str) -> dict[str, int]:
        """How many instances are optimal, how many fell back to a feasible solution, how many have none.

        Parameters
        ----------
        system, measure
            As they were called when they were evaluated.
        """
        return self._of(system, measure).status_counts()

    def ranks(
        self, measure: str, *, test: Test | None = None, sided: Sided = "two", ranks: Ranks = "mean"
    ) -> dict[str, int | None]:
        """Places of the systems by their means (1, 1, 3), on the instances on which all of them are defined.

        Parameters
        ----------
        measure
            As it was called when it was evaluated.
        test
            What separates systems: the paired "permutation" test of the mean (the default), or the "sign" test.
        sided
            "one" is the paper's sign test: is the system with the better mean better?
        ranks
            "mean", or "chained" as in the paper: a system shares the rank of the one above unless the test, at the
            level 0.05 and without a correction, finds that one better.

        Returns
        -------
        dict
            The place of each system; None where there is no instance on which all are defined.
        """
        return dict(ranking.table_verdicts(self, measure, Procedure(test, sided, ranks)).ranks)

    def groups(self, measure: str, *, test: Test | None = None, sided: Sided = "two") -> dict[str, tuple[str, ...]]:
        """Letters of the systems: two share one exactly where they do not differ significantly.

        That is where the p-value of their pair, corrected by Holm for all pairs, is not below 0.05. With fewer than
        three systems there are no letters.

        Parameters
        ----------
        measure, test, sided
            As of ``ranks``.
        """
        return dict(ranking.table_verdicts(self, measure, Procedure(test, sided)).groups)

    def table(
        self, *, test: Test | None = None, sided: Sided = "two", ranks: Ranks = "mean", digits: int = DECIMALS,
        verbose: bool = False, intervals: bool = True,
    ) -> Table:  # fmt: skip
        """Means with places, letters and intervals, one row per system; the notes hold statuses and short signatures.

        Parameters
        ----------
        test, sided, ranks
            As of ``ranks``.
        digits
            Decimals of the means.
        verbose
            With the conventions, and signatures with all parameters.
        intervals
            Whether means have 95% intervals, as of ``interval``.
        """
        return overview.table(self, Procedure(test, sided, ranks), digits, verbose, intervals)

    def notes(self, *, test: Test | None = None, sided: Sided = "two", ranks: Ranks = "mean") -> list[str]:
        """How many instances there are, and what was undefined, unknown, missing or not proved.

        Parameters
        ----------
        test, sided, ranks
            As of ``ranks``.
        """
        return overview.notes(self, Procedure(test, sided, ranks))

    @property
    def fallbacks(self) -> int:
        """How many exact scores are not proved optimal."""
        return sum(each.fallbacks for of_system in self.scores.values() for each in of_system.values() if each.exact)

    def compare(self, first: str, second: str, *, test: Test | None = None, sided: Sided = "two") -> Table:
        """All tests of one pair of systems, measure by measure, on the instances on which both are defined.

        Every p-value stands beside the system that it speaks for; where tests point to different systems, the row
        says so.

        Parameters
        ----------
        first, second
            Names of systems.
        test, sided
            As of ``ranks``; Holm's correction is for all pairs of systems by each measure.
        """
        from hemlp.analysis.statistics.comparisons import compare

        return with_dropped(compare(self, first, second, Procedure(test, sided)), self.facts)

    def significance(
        self, measure: str | Sequence[str] | None = None, *, test: Test | None = None, sided: Sided = "two"
    ) -> Table:
        """The tests of all pairs of systems, with Holm's correction for the pairs of each measure.

        Parameters
        ----------
        measure
            As it was called when it was evaluated; several, or None for all.
        test, sided
            As of ``ranks``.
        """
        from hemlp.analysis.statistics.comparisons import significance

        return with_dropped(significance(self, measure, Procedure(test, sided)), self.facts)

    def kendall_matrix(self) -> FloatArray:
        """Kendall's τ-b of all pairs of measures, on the mean scores of the systems; nan where it is undefined."""
        from hemlp.analysis.statistics.correlations import kendall_matrix

        return kendall_matrix(self)

    def kendall(self, resamples: int = 0, seed: int = 0) -> Table:
        """Kendall's τ-b between measures, on the mean scores of the systems; with 95% intervals by resampling.

        Parameters
        ----------
        resamples
            How often instances are drawn anew for the intervals; 0 for no intervals.
        seed
            Of the random draws.
        """
        from hemlp.analysis.statistics.correlations import kendall_table

        return with_dropped(kendall_table(self, resamples, seed), self.facts)

    def sensitivity(self, measure: str) -> Sensitivities:
        """How the means of all systems depend on the default cost, and where two systems change places: exactly.

        Parameters
        ----------
        measure
            A pair-based one with one default cost; the data has to be at hand.

        Examples
        --------
        >>> from hemlp import examples, evaluate
        >>> mesh = examples.mesh_mini()
        >>> found = evaluate(mesh.hierarchy, mesh.true, mesh.systems, ["GIE"]).sensitivity("GIE")
        >>> found.flips[-1]
        (Fraction(1823, 58), 'lexical_match', 'prior_top8')
        """
        from hemlp.analysis.ranking_sensitivity import sensitivities

        return sensitivities(self, measure)

    def blocks(self, system: str) -> Iterator[Mapping[str, Scores]]:
        """The scores of a system in parts of consecutive instances, as they are kept."""
        if self.stored is None:
            yield self.scores[system]
            return
        for scores in self.stored.chunks(self.systems.index(system)):
            yield dict(zip(self.measures, scores, strict=True))

    def summary(self) -> dict[str, Any]:
        """Means, statuses, signatures and facts as plain values; nan becomes None."""
        return json_form.summary(self)

    def to_dict(self) -> dict[str, Any]:
        """The summary, and all per-instance columns as lists."""
        return json_form.plain(self)

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
        scores, better, facts, told = json_form.read(path)
        return cls(scores, better, facts, told=told)

    def to_columns(self) -> dict[str, list[Any]]:
        """One row a system, measure and instance, with its id if it has one: what ``to_frame`` makes a frame of."""
        return long_columns(self)

    def to_frame(self, library: str = "pandas") -> Any:
        """The per-instance scores in long form as a frame of pandas or polars.

        Parameters
        ----------
        library
            "pandas" or "polars".
        """
        return as_frame(self.to_columns(), library)

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        count = int(self.facts[self.systems[0]]["instances"])
        sizes = many(len(self.systems), "system"), many(len(self.measures), "measure"), many(count, "instance")
        return f"Evaluation({', '.join(sizes)})"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()
