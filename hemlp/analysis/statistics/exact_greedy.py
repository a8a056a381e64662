"""Exact against greedy F_LCA, instance by instance."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption
from hemlp.escaping import markdown as escaped
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch, UnknownPolicy
from hemlp.instances.checks import MissingPolicy
from hemlp.instances.label_sets import RowKind
from hemlp.io.figures import COLOURS, new_figure
from hemlp.measures.factory import measure
from hemlp.measures.instance_scores import Scores
from hemlp.text.display import HtmlDisplay, lines
from hemlp.text.tables import plural

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOLERANCE = 1e-12
"""Two F are the same when they differ by less: they are ratios of counts, so a real difference is far larger."""
TIMED = 1_000
"""Instances from which on times are printed: those of fewer are noise."""


@dataclass(frozen=True, eq=False, repr=False)
class ExactGreedy(HtmlDisplay):
    """F_LCA of a batch by the three methods, with numbers of LCAs and the seconds that each method took.

    ``rows`` numbers the instances in the data that they were drawn from, from 0.
    """

    batch: Batch
    rows: IntArray
    exact: Scores
    greedy: Scores
    extended: Scores
    seconds: tuple[float, float, float]

    @property
    def difference(self) -> FloatArray:
        """Exact minus greedy F, for each instance."""
        return self.exact.values - self.greedy.values

    @property
    def more_lcas(self) -> IntArray:
        """How many more LCAs the greedy method takes, for each instance."""
        return (self.greedy["lcas"] - self.exact["lcas"]).astype(np.int64)

    def worst(self, most: int = 10) -> list[tuple[int, float]]:
        """The instances with the largest differences of F: (number from 0, exact minus greedy).

        Parameters
        ----------
        most
            How many at most.
        """
        order = np.argsort(-np.abs(self.difference), kind="stable")[:most]
        return [(int(self.rows[k]), float(self.difference[k])) for k in order if abs(self.difference[k]) > TOLERANCE]

    def _id(self, row: int) -> dict[str, Label]:
        """The name of an instance, if it has one."""
        return {} if self.batch.ids is None else {"id": self.batch.ids[int(np.searchsorted(self.rows, row))]}

    def to_dict(self) -> dict[str, Any]:
        """The whole comparison as plain values."""
        difference, changed = self.difference, np.abs(self.difference) > TOLERANCE
        quantiles = np.quantile(np.abs(difference[changed]), [0.5, 0.9, 1]) if changed.any() else np.zeros(3)
        return {
            "instances": len(self.rows),
            "unknown predicted labels": self.batch.pred.unknown,
            "predictions emptied": self.batch.pred.emptied,
            "unknown true labels": self.batch.true.unknown,
            "true sets emptied": self.batch.true.emptied,
            "status": self.exact.status_counts(),
            "mean": {
                "exact": _mean(self.exact), "greedy": _mean(self.greedy), "extended": _mean(self.extended)
            },
            "F differs": int(changed.sum()),
            "greedy F below exact": int((difference > TOLERANCE).sum()),
            "greedy F above exact, with more LCAs": int((difference < -TOLERANCE).sum()),
            "greedy takes more LCAs": int((self.more_lcas > 0).sum()),
            "size of a difference": dict(zip(("median", "90%", "largest"), quantiles.tolist(), strict=True)),
            "seconds": dict(zip(("exact", "greedy", "extended"), self.seconds, strict=True)),
            "worst": [{"row": row + 1, **self._id(row), "exact minus greedy": gap} for row, gap in self.worst()],
            "signature": self.exact.signature,
        }  # fmt: skip

    def plot(self) -> Figure:
        """Draw the differences of F_LCA, exact minus greedy, where there are any, by matplotlib."""
        figure, axes = new_figure(7.0, 2.2)
        differing = self.difference[np.abs(self.difference) > TOLERANCE]
        axes.scatter(differing, np.arange(differing.size) % 5, s=16, color=COLOURS[0], alpha=0.7)
        axes.axvline(0, color="#888888", linewidth=0.8)
        label = f"F_LCA exact − greedy, {differing.size:,} of {plural(len(self.rows), 'instance')} differ"
        axes.set(xlabel=label, yticks=[], ylim=(-2, 6))
        return figure

    def __repr__(self) -> str:
        differing = np.count_nonzero(np.abs(self.difference) > TOLERANCE)
        return f"ExactGreedy({plural(len(self.rows), 'instance')}, {differing:,} differ)"

    def _html_parts(self) -> Iterator[str]:
        yield lines(str(self))

    def __str__(self) -> str:
        summary = self.to_dict()
        count = max(1, summary["instances"])
        lines = [
            f"{plural(summary['instances'], 'instance')}; exact: "
            + ", ".join(f"{number:,} {status}" for status, number in summary["status"].items()),
            *(
                f"{summary[f'unknown {labels} labels']:,} unknown {labels} labels, {summary[emptied]:,} {emptied}"
                for labels, emptied in (("predicted", "predictions emptied"), ("true", "true sets emptied"))
                if summary[f"unknown {labels} labels"]
            ),
            "            mean F_LCA" + "  ms per instance" * (count >= TIMED),
        ]
        for name, value in summary["mean"].items():
            text = f"  {name:9} {'-' if value is None else f'{value:.4f}':>10}"
            lines.append(text + f" {1000 * summary['seconds'][name] / count:16.3f}" * (count >= TIMED))
        below, above = summary["greedy F below exact"], summary["greedy F above exact, with more LCAs"]
        lines.append(
            f"F differs on {summary['F differs']:,} ({summary['F differs'] / count:.1%}): "
            f"greedy below exact on {below:,}, "
            f"above (with more LCAs) on {above:,}"
        )
        lines.append(f"greedy takes more LCAs on {summary['greedy takes more LCAs']:,}")
        size = summary["size of a difference"]
        lines.append(
            f"size of the differences: median {size['median']:.4f}, 90th percentile {size['90%']:.4f}, "
            f"largest {size['largest']:.4f}"
        )
        for each in summary["worst"]:
            name = f" ({each['id']})" if "id" in each else ""
            lines.append(f"  row {each['row']}{name}: exact minus greedy {each['exact minus greedy']:+.4f}")
        lines.append(
            "exact: optimum of Problem 2; greedy: the paper's Algorithm 1; extended: G_ex, all paths to all LCAs"
        )
        return "\n".join(lines)


def _mean(scores: Scores) -> float | None:
    return scores.mean() if len(scores) else None


def compare_exact_greedy(
    hierarchy: Hierarchy,
    true: Any,
    pred: Any,
    *,
    sample: int | None = None,
    seed: int = 0,
    horizon: int | None = None,
    time_limit: float | None = None,
    unknown: UnknownPolicy = "error",
    unknown_true: UnknownPolicy | None = None,
    missing: MissingPolicy = "error",
    rows: RowKind | None = None,
) -> ExactGreedy:
    """F_LCA by the exact, the greedy and the extended method on all instances, or on a random ``sample`` of them.

    Parameters
    ----------
    hierarchy, true, pred, unknown, unknown_true, missing, rows
        As of ``Batch.of``.
    sample
        How many instances are drawn; None for all.
    seed
        Of the random draw.
    horizon
        Of F_LCA.
    time_limit
        Of the exact method, in seconds for each instance.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> compare_exact_greedy(h, ["sheep", "cow"], ["cow", "cow"]).difference.tolist()
    [0.0, 0.0]
    """
    batch = Batch.of(hierarchy, true, pred, unknown=unknown, unknown_true=unknown_true, missing=missing, rows=rows)
    return compare_batch(batch, sample=sample, seed=seed, horizon=horizon, time_limit=time_limit)


def compare_batch(
    batch: Batch,
    *,
    sample: int | None = None,
    seed: int = 0,
    horizon: int | None = None,
    time_limit: float | None = None,
) -> ExactGreedy:
    """``compare_exact_greedy`` of a batch."""
    rows = np.arange(len(batch))
    if sample is not None:
        if sample < 1:
            raise InvalidOption(f"sample={sample!r} is not at least 1")
        rows = np.sort(np.random.default_rng(seed).choice(len(batch), min(sample, len(batch)), replace=False))
        ids = None if batch.ids is None else tuple(batch.ids[row] for row in rows)
        batch = replace(batch.take(rows), ids=ids)
    for method in ("exact", "greedy", "extended"):  # load what is compiled before the clock runs
        measure("F_LCA", method=method, horizon=horizon).score(batch[:1])
    scores: list[Scores] = []
    seconds: list[float] = []
    for options in ({"method": "exact", "time_limit": time_limit}, {"method": "greedy"}, {"method": "extended"}):
        start = time.perf_counter()
        scores.append(measure("F_LCA", horizon=horizon, **options).score(batch))
        seconds.append(time.perf_counter() - start)
    return ExactGreedy(batch, rows, scores[0], scores[1], scores[2], (seconds[0], seconds[1], seconds[2]))


def markdown(comparisons: Sequence[tuple[str, ExactGreedy]]) -> str:
    """A table with one row per system, for the documentation."""
    lines = [
        "| system | exact | greedy | G_ex | F differs | greedy below / above | more LCAs | "
        "median, largest difference | ms exact / greedy |",
        "|---" * 9 + "|",
    ]
    for name, comparison in comparisons:
        summary = comparison.to_dict()
        count, mean, size = summary["instances"], summary["mean"], summary["size of a difference"]
        lines.append(
            f"| {escaped(name)} | {mean['exact']:.4f} | {mean['greedy']:.4f} | {mean['extended']:.4f} | "
            f"{summary['F differs'] / count:.1%} | {summary['greedy F below exact']} / "
            f"{summary['greedy F above exact, with more LCAs']} | {summary['greedy takes more LCAs']} | "
            f"{size['median']:.3f}, {size['largest']:.3f} | {1000 * summary['seconds']['exact'] / count:.3f} / "
            f"{1000 * summary['seconds']['greedy'] / count:.3f} |"
        )
    return "\n".join(lines)
