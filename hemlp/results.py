"""Results of an evaluation: per-instance scores first, and tables, ranks, tests and correlations from them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from hemlp.compare import LEVEL, bootstrap_interval, holm, kendall, ranks, resampled, sign_test, wilcoxon
from hemlp.edges import FloatArray
from hemlp.errors import FileFormatError, InvalidOption, UnreadableFile
from hemlp.explain import explain
from hemlp.explanations import Explanation
from hemlp.inputs import Inputs
from hemlp.outputs import reason, write_text
from hemlp.programs.program import STATUSES, Status
from hemlp.report.page import page
from hemlp.runs import RunFolder
from hemlp.scores import Scores
from hemlp.tables import Table, figure
from hemlp.version import __version__
from hemlp.vocabulary import check_known


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """Scores of systems × measures. ``facts`` counts, for each system, what was predicted and what was unknown.

    ``inputs`` are not kept in files: an evaluation that was read from one has none. ``stored``: where the scores are,
    if they are in a run folder and not in memory.
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
        """One value an instance; ``column`` names another column than the measure itself."""
        scores = self._of(system, measure)
        if column is None:
            return scores.values
        check_known("column", column, list(scores.columns))
        return scores[column]

    def mean(self, system: str, measure: str) -> float:
        """The average over the instances on which the measure is defined."""
        return self._of(system, measure).mean()

    def status(self, system: str, measure: str) -> dict[str, int]:
        """How many instances are optimal, how many fell back to a feasible solution, how many have none."""
        return self._of(system, measure).status_counts()

    def ranks(self, measure: str) -> dict[str, int | None]:
        """Ranks of the systems; the micro sign test separates neighbours at the level 0.05."""
        better = self.greater_is_better[measure]
        values = [self.per_instance(system, measure) for system in self.systems]

        def separated(above: int, below: int) -> bool:
            return sign_test(values[above], values[below], better).p < LEVEL

        found = ranks([self.mean(system, measure) for system in self.systems], separated, better)
        return dict(zip(self.systems, found, strict=True))

    def table(self) -> Table:
        """Means with ranks, one row a system; the notes hold conventions, statuses and signatures."""
        by_measure = {name: self.ranks(name) for name in self.measures}
        rows = []
        for system in self.systems:
            cells = [system]
            for name in self.measures:
                mean, rank = self.mean(system, name), by_measure[name][system]
                cells.append("undefined" if math.isnan(mean) else f"{figure(mean)} ({rank})")
            rows.append([*cells, f"{self.facts[system]['predictions an instance']:.2f}"])
        marks = [f"{name} {'↑' if better else '↓'}" for name, better in self.greater_is_better.items()]
        signatures = [self.scores[self.systems[0]][name].signature for name in self.measures]
        return Table(["system", *marks, "labels"], rows, [*self.notes(), *signatures])

    def notes(self) -> list[str]:
        """Conventions, and what was undefined, unknown, missing or not proved."""
        notes = [
            f"{self.facts[self.systems[0]]['instances']:,} instances; means over instances and ranks; systems "
            f"that the sign test (one-sided, {LEVEL}) does not separate from the one above share its rank",
            "labels: predicted labels an instance",
        ]
        for system in self.systems:
            for name in self.measures:
                scores = self.scores[system][name]
                if scores.undefined:
                    notes.append(f"{system}, {name}: undefined on {scores.undefined:,} instances, which are left out")
                if (fell := scores.status_counts().get("feasible")) and "greedy" not in scores.signature:
                    notes.append(f"{system}, {name}: not proved optimal on {fell:,} instances")
            for what in ("unknown labels", "missing instances"):
                if self.facts[system][what]:
                    notes.append(f"{system}: {self.facts[system][what]:,} {what}")
        return notes

    @property
    def fallbacks(self) -> int:
        """How many exact scores are not proved optimal."""
        return sum(
            scores.status_counts().get("feasible", 0)
            for of_system in self.scores.values()
            for scores in of_system.values()
            if "method:greedy" not in scores.signature
        )

    def compare(self, first: str, second: str) -> Table:
        """All tests of one pair of systems, measure by measure."""
        rows = []
        for name, better in self.greater_is_better.items():
            a, b = self.per_instance(first, name), self.per_instance(second, name)
            gain = self.mean(first, name) - self.mean(second, name)
            ahead = gain > 0 if better else gain < 0
            test = sign_test(a, b, better) if ahead else sign_test(b, a, better)
            low, high = bootstrap_interval(a, b)
            winner = "neither" if gain == 0 else first if ahead else second
            rows.append(
                [name, winner, f"{gain:+.4f}", f"{low:+.4f} to {high:+.4f}", f"{test.k} of {test.n}", f"{test.z:.2f}",
                 f"{test.p:.3g}", f"{wilcoxon(a, b):.3g}"]
            )  # fmt: skip
        head = ["measure", "better", f"{first} − {second}", "95% interval", "won", "Z", "p sign", "p Wilcoxon"]
        return Table(head, rows, ["sign test one-sided for the system with the better mean, Wilcoxon two-sided"])

    def significance(self, measure: str) -> Table:
        """The sign test of all pairs of systems, with Holm's correction."""
        better = self.greater_is_better[measure]
        pairs = []
        for a, b in combinations(self.systems, 2):
            ahead = self.mean(a, measure) >= self.mean(b, measure)
            first, second = (a, b) if ahead == better else (b, a)
            values = self.per_instance(first, measure), self.per_instance(second, measure)
            pairs.append((first, second, sign_test(*values, better)))
        corrected = holm([test.p for _, _, test in pairs])
        rows = [
            [first, second, f"{test.k} of {test.n}", f"{test.z:.2f}", f"{test.p:.3g}", f"{p:.3g}"]
            for (first, second, test), p in zip(pairs, corrected, strict=True)
        ]
        return Table(["better", "worse", "won", "Z", "p", "p (Holm)"], rows, [f"{measure}, one-sided sign test"])

    def _oriented_means(self, weights: FloatArray | None = None) -> FloatArray:
        """Means of measures × systems, greater being better; ``weights`` of instances for a bootstrap resample."""
        table = np.empty((len(self.measures), len(self.systems)))
        for i, name in enumerate(self.measures):
            for j, system in enumerate(self.systems):
                values = self.per_instance(system, name)
                mean = self.mean(system, name) if weights is None else _weighted_mean(values, weights)
                table[i, j] = mean if self.greater_is_better[name] else -mean
        return table

    def kendall_matrix(self) -> FloatArray:
        """Kendall's τ-b of all pairs of measures, on the mean scores of the systems; nan where it is undefined."""
        return _tau_matrix(self._oriented_means())

    def kendall(self, resamples: int = 0, seed: int = 0) -> Table:
        """Kendall's τ-b between measures, on the mean scores of the systems; with 95% intervals by resampling."""
        taus = self.kendall_matrix()
        spread = None
        if resamples:
            counts = resampled(int(self.facts[self.systems[0]]["instances"]), resamples, seed)
            draws = np.array([_tau_matrix(self._oriented_means(row.astype(np.float64))) for row in counts])
            draws[np.isnan(draws)] = 0  # a resample in which all systems are equal says nothing either way
            spread = np.quantile(draws, [0.025, 0.975], axis=0, method="inverted_cdf")
        rows = []
        for i, name in enumerate(self.measures):
            cells = [name]
            for j in range(i + 1):
                cells.append("n/a" if math.isnan(taus[i, j]) else f"{taus[i, j]:.3f}")
                if spread is not None and i != j and not math.isnan(taus[i, j]):
                    cells[-1] += f" [{spread[0, i, j]:.2f}, {spread[1, i, j]:.2f}]"
            rows.append(cells + [""] * (len(self.measures) - i - 1))
        notes = [f"Kendall's τ-b over {len(self.systems)} systems"]
        if resamples:
            notes.append(f"in brackets 95% intervals, from {resamples:,} resamples of the instances")
        return Table(["", *self.measures], rows, notes)

    def explain(
        self,
        system: str,
        row: int,
        measures: Sequence[str] | None = None,
    ) -> Explanation:
        """Why a system scores what it scores on instance ``row`` (from 0), by some or all of the measures."""
        if self.inputs is None:
            raise InvalidOption("this evaluation was read from a file, which does not hold its data: evaluate again")
        check_known("system", system, self.systems)
        for name in measures or ():
            check_known("measure", name, self.measures)
        count = int(self.facts[system]["instances"])
        if not -count <= row < count:
            raise InvalidOption(f"there is no instance {row}: they are numbered from 0 to {count - 1}")
        return self.explanations(system, [row % count], measures)[0]

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
        return {
            "hemlp": __version__,
            "systems": {s: {m: _plain(self.mean(s, m)) for m in self.measures} for s in self.systems},
            "status": {s: {m: self.status(s, m) for m in self.measures} for s in self.systems},
            "undefined": {s: {m: self.scores[s][m].undefined for m in self.measures} for s in self.systems},
            "signature": {m: self.scores[self.systems[0]][m].signature for m in self.measures},
            "greater_is_better": dict(self.greater_is_better),
            "facts": {s: {k: _plain(v) for k, v in facts.items()} for s, facts in self.facts.items()},
        }

    def to_dict(self) -> dict[str, Any]:
        """The summary, and all per-instance columns."""
        data: dict[str, Any] = json.loads("".join(self.json_pieces()))
        return data

    def json_pieces(self) -> Iterator[str]:
        """Everything as JSON, column by column, so that never all of it is in memory."""
        yield _json(self.summary())[:-1] + ', "instances": {'
        for i, system in enumerate(self.systems):
            yield (", " if i else "") + _json(system) + ": {"
            for j, name in enumerate(self.measures):
                scores = self.scores[system][name]
                yield (", " if j else "") + f'{_json(name)}: {{"name": {_json(scores.name)}, "columns": {{'
                for k, (column, values) in enumerate(scores.columns.items()):
                    yield (", " if k else "") + f"{_json(column)}: {_json([_plain(v) for v in values.tolist()])}"
                yield f'}}, "status": {_json([str(STATUSES[k]) for k in scores.statuses])}}}'
            yield "}"
        yield "}}\n"

    def to_json(self, path: str | PathLike[str]) -> None:
        """Write everything to a file that ``from_json`` reads."""
        write_text(path, self.json_pieces())

    def to_html(self, path: str | PathLike[str], title: str = "Hierarchical evaluation") -> None:
        """Write a report page: tables that sort, tests, plots, and the worst instances with their drawings."""
        write_text(path, page(self, title))

    @classmethod
    def from_json(cls, path: str | PathLike[str]) -> Evaluation:
        """Read what ``to_json`` wrote."""
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
            scores = {
                system: {
                    name: Scores(
                        one["name"],
                        {
                            k: np.array([math.nan if v is None else v for v in c], np.float64)
                            for k, c in one["columns"].items()
                        },
                        np.array([STATUSES.index(Status(word)) for word in one["status"]], np.int8),
                        data["signature"][name],
                        data["undefined"][system][name],
                    )
                    for name, one in of_system.items()
                }
                for system, of_system in data["instances"].items()
            }
            facts = {s: {k: math.nan if v is None else v for k, v in f.items()} for s, f in data["facts"].items()}
            return cls(scores, data["greater_is_better"], facts)
        except OSError as error:
            raise UnreadableFile(f"cannot read {fspath(path)}: {reason(error)}") from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise FileFormatError(f"{fspath(path)} is not an evaluation written by hemlp: {error!r}") from None

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
        """The per-instance scores in long form as a frame of pandas or polars."""
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


def _weighted_mean(values: FloatArray, weights: FloatArray) -> float:
    defined = ~np.isnan(values)
    total = weights[defined].sum()
    return float(values[defined] @ weights[defined] / total) if total else math.nan


def _tau_matrix(means: FloatArray) -> FloatArray:
    return np.array([[kendall(a, b) for b in means] for a in means])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _plain(value: float) -> float | None:
    return None if isinstance(value, float) and math.isnan(value) else value
