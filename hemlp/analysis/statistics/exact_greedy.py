"""Exact against greedy F_LCA, instance by instance."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidOption
from hemlp.escaping import markdown as escaped
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.alignment import MissingPolicy
from hemlp.instances.batch import Batch, UnknownPolicy
from hemlp.instances.sets import Rows
from hemlp.measures.factory import measure
from hemlp.measures.instance_scores import Scores
from hemlp.text.display import Shown, lines
from hemlp.text.words import many

SAME = 1e-12
"""Two F are the same when they differ by less: they are ratios of counts, so a real difference is far larger."""


@dataclass(frozen=True, eq=False, repr=False)
class ExactGreedy(Shown):
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
        """How many LCAs more the greedy method takes, for each instance."""
        return (self.greedy["lcas"] - self.exact["lcas"]).astype(np.int64)

    def worst(self, most: int = 10) -> list[tuple[int, float]]:
        """The instances with the largest differences of F: (number from 0, exact minus greedy).

        Parameters
        ----------
        most
            How many at most.
        """
        order = np.argsort(-np.abs(self.difference), kind="stable")[:most]
        return [(int(self.rows[k]), float(self.difference[k])) for k in order if abs(self.difference[k]) > SAME]

    def _id(self, row: int) -> dict[str, Label]:
        """The name of an instance, if it has one."""
        return {} if self.batch.ids is None else {"id": self.batch.ids[int(np.searchsorted(self.rows, row))]}

    def to_dict(self) -> dict[str, Any]:
        """The whole comparison as plain values."""
        difference, changed = self.difference, np.abs(self.difference) > SAME
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
            "greedy F below exact": int((difference > SAME).sum()),
            "greedy F above exact, with more LCAs": int((difference < -SAME).sum()),
            "greedy takes more LCAs": int((self.more_lcas > 0).sum()),
            "size of a difference": dict(zip(("median", "90%", "largest"), quantiles.tolist(), strict=True)),
            "seconds": dict(zip(("exact", "greedy", "extended"), self.seconds, strict=True)),
            "worst": [{"row": row + 1, **self._id(row), "exact minus greedy": gap} for row, gap in self.worst()],
            "signature": self.exact.signature,
        }  # fmt: skip

    def __repr__(self) -> str:
        differing = np.count_nonzero(np.abs(self.difference) > SAME)
        return f"ExactGreedy({many(len(self.rows), 'instance')}, {differing:,} differ)"

    def _more(self) -> Iterator[str]:
        yield lines(str(self))

    def __str__(self) -> str:
        told = self.to_dict()
        count = max(1, told["instances"])
        lines = [
            f"{many(told['instances'], 'instance')}; exact: "
            + ", ".join(f"{number:,} {status}" for status, number in told["status"].items()),
            *(
                f"{told[f'unknown {labels} labels']:,} unknown {labels} labels, {told[emptied]:,} {emptied}"
                for labels, emptied in (("predicted", "predictions emptied"), ("true", "true sets emptied"))
                if told[f"unknown {labels} labels"]
            ),
            "            mean F_LCA   ms an instance",
        ]
        for name, value in told["mean"].items():
            shown = "-" if value is None else f"{value:.4f}"
            lines.append(f"  {name:9} {shown:>10} {1000 * told['seconds'][name] / count:16.2f}")
        below, above = told["greedy F below exact"], told["greedy F above exact, with more LCAs"]
        lines.append(
            f"F differs on {told['F differs']:,} ({told['F differs'] / count:.1%}): greedy below exact on {below:,}, "
            f"above (with more LCAs) on {above:,}; greedy takes more LCAs on {told['greedy takes more LCAs']:,}"
        )
        size = told["size of a difference"]
        lines.append(
            f"where it differs: median {size['median']:.4f}, 90% {size['90%']:.4f}, largest {size['largest']:.4f}"
        )
        for each in told["worst"]:
            name = f" ({each['id']})" if "id" in each else ""
            lines.append(f"  row {each['row']}{name}: exact minus greedy {each['exact minus greedy']:+.4f}")
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
    rows: Rows | None = None,
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
    found: list[Scores] = []
    seconds: list[float] = []
    for options in ({"method": "exact", "time_limit": time_limit}, {"method": "greedy"}, {"method": "extended"}):
        start = time.perf_counter()
        found.append(measure("F_LCA", horizon=horizon, **options).score(batch))
        seconds.append(time.perf_counter() - start)
    return ExactGreedy(batch, rows, found[0], found[1], found[2], (seconds[0], seconds[1], seconds[2]))


def markdown(comparisons: Sequence[tuple[str, ExactGreedy]]) -> str:
    """One row a system, for the documentation."""
    lines = [
        "| system | instances | exact | greedy | G_ex | F differs | greedy below / above | more LCAs | "
        "median, largest difference | ms exact / greedy |",
        "|---" * 10 + "|",
    ]
    for name, comparison in comparisons:
        told = comparison.to_dict()
        count, mean, size = told["instances"], told["mean"], told["size of a difference"]
        lines.append(
            f"| {escaped(name)} | {count} | {mean['exact']:.4f} | {mean['greedy']:.4f} | {mean['extended']:.4f} | "
            f"{told['F differs'] / count:.1%} | {told['greedy F below exact']} / "
            f"{told['greedy F above exact, with more LCAs']} | {told['greedy takes more LCAs']} | "
            f"{size['median']:.3f}, {size['largest']:.3f} | {1000 * told['seconds']['exact'] / count:.2f} / "
            f"{1000 * told['seconds']['greedy'] / count:.2f} |"
        )
    return "\n".join(lines)
