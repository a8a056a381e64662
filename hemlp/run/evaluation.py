"""An evaluation: results with all analyses and reports of them as methods.

A module is loaded when one of its functions is first asked for. Type checkers import the module itself, and take a
function that is assigned in the body of a class for what it is then, a method.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

from hemlp.results.results import Results


class LateModule:
    """A module whose functions become methods of a class."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, function: str) -> LateMethod:
        return LateMethod(self._module, function)


class LateMethod:
    """A method that, when it is first asked for, is replaced by the function of a module."""

    def __init__(self, module: str, function: str) -> None:
        self._module, self._function = module, function

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        function: Any = getattr(import_module(self._module), self._function)
        setattr(self._owner, self._name, function)
        return function.__get__(instance, owner)


if TYPE_CHECKING:
    from hemlp.analysis import ranking_sensitivity
    from hemlp.analysis.decision import floor as floors
    from hemlp.analysis.diagnosis import branches as by_branch
    from hemlp.analysis.diagnosis import class_counts, error_costs, error_kinds, label_checks
    from hemlp.analysis.explain import explain as explaining
    from hemlp.analysis.statistics import (
        comparisons,
        correlations,
        evaluation_verdicts,
        intervals,
        planning,
        summary_table,
    )
    from hemlp.report import json_form, page, parquet, plots
    from hemlp.run import worst as worst_instances
else:
    PLACES = {
        "analysis": "ranking_sensitivity", "analysis.decision": "floor", "analysis.explain": "explain",
        "analysis.diagnosis": "branches class_counts error_costs error_kinds label_checks",
        "analysis.statistics": "comparisons correlations intervals planning summary_table evaluation_verdicts",
        "report": "json_form page parquet plots", "run": "worst",
    }  # fmt: skip
    CALLED = {"branches": "by_branch", "explain": "explaining", "floor": "floors", "worst": "worst_instances"}
    for place, names in PLACES.items():
        for name in names.split():
            globals()[CALLED.get(name, name)] = LateModule(f"hemlp.{place}.{name}")


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Results):
    """Scores of systems × measures, and what can be asked of them.

    Tables (``Table``) have rows, and are frames, Markdown and LaTeX. ``levels``, ``classes``, ``branches``, ``errors``,
    ``hits``, ``consistency``, ``confusions``, ``costs``, ``explain`` and ``sensitivity`` need the labels: they raise
    ``InvalidOption`` where an evaluation was read from a file, which does not hold them.

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

    # which systems are better
    table = summary_table.summary_table
    notes = summary_table.notes
    ranks = evaluation_verdicts.ranks
    groups = evaluation_verdicts.groups
    interval = intervals.interval
    compare = comparisons.compare
    significance = comparisons.significance
    sample_size = planning.sample_size
    floor = floors.floor

    # which measures agree, and on what they depend
    kendall = correlations.kendall
    kendall_matrix = correlations.kendall_matrix
    sensitivity = ranking_sensitivity.sensitivity

    # where the errors are
    levels = class_counts.levels
    classes = class_counts.classes
    branches = by_branch.branches
    errors = error_kinds.errors
    hits = error_kinds.hits
    consistency = label_checks.consistency
    more_specific = summary_table.more_specific
    confusions = error_costs.confusions
    costs = error_costs.costs
    explain = explaining.explain_row
    worst = worst_instances.worst

    # files
    summary = json_form.summary
    to_dict = json_form.to_dict
    json_pieces = json_form.json_pieces
    to_json = json_form.to_json
    to_html = page.to_html
    to_parquet = parquet.to_parquet
    plot = plots.mean_chart

    @classmethod
    def from_json(cls, path: str | PathLike[str]) -> Self:
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
        from hemlp.report.json_form import read

        scores, better, facts, origin = read(path)
        return cls(scores, better, facts, origin=origin)

    @staticmethod
    def open(folder: str | PathLike[str], hierarchy: Any = None, true: Any = None, systems: Any = None) -> Evaluation:
        """The evaluation of a dataset whose results are in a folder (``evaluate(..., resume=folder)``).

        Sums are read at once, and columns of instances when they are asked for; so are labels, for diagnosis and
        explanations, part by part from the dataset itself.

        Parameters
        ----------
        folder
            A path, or an address of a file system that pyarrow knows.
        hierarchy, true, systems
            As of the evaluation, where labels are needed.

        Raises
        ------
        RunMismatch
            If the run is not finished, the folder is none of results, or the dataset or hierarchy is another one.
        """
        from hemlp.run.parts import open_results

        return open_results(folder, hierarchy, true, systems)

    def __str__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()
