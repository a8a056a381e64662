"""The files that an evaluation is written to, for people and for other programs."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, cast

from hemlp.io.files import write_bytes, write_text

if TYPE_CHECKING:
    from hemlp.analysis.scored.curve import Curve
    from hemlp.analysis.statistics.significance_tests import Sided
    from hemlp.analysis.statistics.verdicts import RankMethod, Test
    from hemlp.results.evaluation import Evaluation


class Reported:
    """Methods of an evaluation that write a report page, or all scores as Parquet."""

    def to_html(
        self,
        path: str | PathLike[str],
        title: str = "Hierarchical evaluation",
        *,
        test: Test | None = None,
        sided: Sided = "two",
        ranks: RankMethod = "mean",
        curves: Mapping[str, Curve] | None = None,
    ) -> None:
        """Write a report page: who wins, whether that is significant, where errors are, and a list of all instances.

        It is one file, which needs no network. Of a very large evaluation it lists a sample of the instances, and says
        so; of one that was read from a file, which does not hold the labels, it shows the scores alone.

        Parameters
        ----------
        path
            A file that is written as a whole or not at all.
        title
            Of the page.
        test, sided, ranks
            As of ``ranks``.
        curves
            By the names of systems, their curves over the threshold (``hemlp.curve``), where predictions have scores.

        Examples
        --------
        >>> import os, tempfile
        >>> from hemlp import examples, evaluate
        >>> mesh = examples.mesh_mini()
        >>> ev = evaluate(mesh.hierarchy, mesh.true, mesh.systems, ["F_H", "GIE"], names=mesh.names)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ev.to_html(os.path.join(folder, "report.html"), "Five systems")
        """
        from hemlp.analysis.statistics.verdicts import Procedure
        from hemlp.report.page import render_page

        write_text(path, render_page(cast("Evaluation", self), title, Procedure(test, sided, ranks), curves or {}))

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write the per-instance scores to one Parquet file, a row for each system and instance.

        The columns are ``system``, ``instance`` (from 0), ``id`` where instances have ids, each measure, and then
        ``MEASURE.COLUMN`` and ``MEASURE.status``; an undefined value is null.

        Parameters
        ----------
        path
            A file that is written as a whole or not at all.

        Raises
        ------
        MissingDependency
            Without pyarrow.
        """
        from hemlp.report.parquet import parquet_pieces

        write_bytes(path, parquet_pieces(cast("Evaluation", self)))
