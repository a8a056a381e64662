"""Makes docs/decide-study.md: one answer from several on four sets of real data, what knowing nothing scores, and risks.

    HEMLP_DATA=... python scripts/decide_page.py

Half of the instances are development data, drawn with a seed; all figures are of the other half.
"""

from __future__ import annotations

import gzip
import os
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import hemlp
from hemlp import Belief, Hierarchy, LabelSets, ScoredSets
from hemlp.analysis.decision.calibration import Guarantee, hits, least_threshold, true_closures
from hemlp.analysis.decision.models import expected_values
from hemlp.arrays import entry_rows
from hemlp.problems.decision.pool import PoolDecision
from hemlp.text.tables import Table

DOCS = Path(__file__).parent.parent / "docs"
MEASURES = ("F_H", "SDL", "GIE")
RISKS = (0.10, 0.05, 0.02, 0.01)
SPLITS = 300
MOST = 2000
"""Instances of both halves together."""
CORPUS = 100
"""Development label sets on which GIE's constant is chosen: its program has one pairing for each of them."""


@dataclass(frozen=True, eq=False)
class Half:
    """True label sets, and the answers of systems or scores."""

    gold: list[Any]
    systems: dict[str, list[Any]]
    scores: list[dict[str, float]] | None = None

    def take(self, rows: Iterable[int]) -> Half:
        """Some of the instances."""
        keep = list(rows)
        named = {name: [side[k] for k in keep] for name, side in self.systems.items()}
        scores = None if self.scores is None else [self.scores[k] for k in keep]
        return Half([self.gold[k] for k in keep], named, scores)


@dataclass(frozen=True, eq=False)
class Data:
    """Real data in two halves. ``sample``: how many test instances GIE is decided for."""

    name: str
    h: Hierarchy
    whole: Half
    sample: int

    def halves(self) -> tuple[Half, Half]:
        """Development and test."""
        order = np.random.default_rng(0).permutation(len(self.whole.gold))[:MOST]
        return self.whole.take(np.sort(order[: order.size // 2])), self.whole.take(np.sort(order[order.size // 2 :]))


# ---- data


def lines(file: Path) -> list[list[str]]:
    """The cells of a zipped table."""
    with gzip.open(file, "rt", encoding="utf-8") as text:
        return [line.rstrip("\n").split("\t") for line in text]


def files(name: str, folder: Path, hierarchy: Path, suffix: str, sample: int) -> Data:
    """Gold and predictions in files of labels."""
    systems = {
        file.name.removeprefix("pred_").removesuffix(suffix): list(hemlp.read_labels(file))
        for file in sorted(folder.glob(f"pred_*{suffix}"))
    }
    gold = list(hemlp.read_labels(folder / f"gold{suffix}"))
    return Data(name, hemlp.read_hierarchy(hierarchy), Half(gold, systems), sample)


def taxa(folder: Path) -> Data:
    """Paths of nine classifiers."""
    tables = {
        file.name.removesuffix(".tsv.gz"): {row[0]: parsed(row[1]) for row in lines(file)[1:]}
        for file in sorted(folder.glob("*.gz"))
    }
    ids = sorted(tables["gold"])
    paths = {path[:k] for table in tables.values() for path in table.values() for k in range(1, len(path) + 1)}
    edges = sorted(("; ".join(path[:-1]), "; ".join(path)) for path in paths if len(path) > 1)
    h = Hierarchy.from_edges(edges, classes=sorted(path[0] for path in paths if len(path) == 1))
    sides = {
        name.removeprefix("pred_"): [("; ".join(table[each]),) if table[each] else () for each in ids]
        for name, table in tables.items()
    }
    return Data("16S", h, Half(sides.pop("gold"), sides), 200)


def parsed(text: str) -> tuple[str, ...]:
    """The classes of a path; "Unassigned" has none."""
    return () if text == "Unassigned" else tuple(part.strip() for part in text.split(";"))


def cafa(folder: Path, name: str, sample: int) -> Data:
    """Scores of BLAST."""
    ids = [row[0] for row in lines(folder / "ids.txt.gz")]
    scores: dict[str, dict[str, float]] = {each: {} for each in ids}
    for protein, label, score in lines(folder / "scored_blast.tsv.gz"):
        if protein in scores:
            scores[protein][label] = float(score)
    gold = list(hemlp.read_labels(folder / "gold.txt.gz"))
    h = hemlp.read_hierarchy(folder / "hierarchy.txt.gz")
    return Data(name, h, Half(gold, {}, [scores[each] for each in ids]), sample)


# ---- ways to one answer


def sets(h: Hierarchy, side: Any) -> LabelSets:
    """Class numbers as label sets."""
    return LabelSets(tuple(h.labels), side.ptr, side.classes, rows="sets")


def mean(h: Hierarchy, gold: Any, answers: Any, measure: str) -> float:
    """Of answers by a measure."""
    return hemlp.evaluate(h, LabelSets.of(gold, rows="sets"), {"a": answers}, [measure]).mean("a", measure)


def above(h: Hierarchy, belief: Belief, threshold: float) -> LabelSets:
    """{v: m_v > threshold}."""
    return sets(h, Guarantee(1, threshold, 0, ()).answers(h, belief.votes(h)))


def tuned_vote(h: Hierarchy, dev: Half, beliefs: tuple[Belief, Belief], measure: str) -> tuple[LabelSets, float]:
    """The threshold that is best on development data, of all shares of votes or 40 quantiles of scores."""
    votes = beliefs[0].votes(h)
    shares = np.unique(votes.mass / votes.total[entry_rows(votes.ptr)])
    grid = np.unique(np.append(0.0, shares if shares.size < 40 else np.quantile(shares, np.linspace(0, 1, 40))))[:-1]
    sign = 1 if hemlp.measure(measure).greater_is_better else -1
    worth = [sign * mean(h, dev.gold, above(h, beliefs[0], float(each)), measure) for each in grid]
    best = float(grid[int(np.argmax(worth))])
    return above(h, beliefs[1], best), best


def best_sample(h: Hierarchy, belief: Belief, measure: str) -> LabelSets:
    """Of the answers that systems gave the one of best expected value."""
    own, part = hemlp.measure(measure), belief.scenarios(h)
    values = expected_values(own, part, part.sets, entry_rows(part.first))
    unknown = np.full(len(part), np.nan)
    pool = PoolDecision("", h, 0, own.greater_is_better, part.first, part.sets, values, unknown)
    return sets(h, pool.solve().answers)


def common_ancestors(h: Hierarchy, answers: Iterable[Iterable[Any]]) -> list[list[Any]]:
    """The lowest classes that are above, or equal to, all labels that are named."""
    found, closure = [], {}
    for labels in answers:
        own = []
        for label in set(labels):
            if label not in closure:
                closure[label] = h.ancestors(label) | {label}
            own.append(closure[label])
        shared = set.intersection(*map(set, own)) if own else set()
        found.append([v for v in shared if not any(v in h.ancestors(w) for w in shared - {v})])
    return found


def calibrated(h: Hierarchy, dev: Half, test: Half) -> Belief:
    """P(true | propagated score, how common the class is), by isotonic regression; without a score a class's own share.

    Classes are as common as others if their shares of true proteins have the same power of 2; a share is of those
    development proteins to which BLAST does not give the class.
    """
    beliefs = [Belief.marginals(ScoredSets.of(dict(enumerate(half.scores or [])))) for half in (dev, test)]
    known, asked = (belief.votes(h) for belief in beliefs)
    true = true_closures(h, dict(enumerate(dev.gold)), beliefs[0])
    hit, size = hits(h, known, true), len(h)
    often, named = np.bincount(true.classes, minlength=size), np.bincount(known.nodes, minlength=size)
    share = (often - np.bincount(known.nodes[hit], minlength=size)) / np.maximum(1, len(dev.gold) - named)
    group = np.log2(len(dev.gold) / np.maximum(often, 1)).astype(int)
    likely = np.zeros(asked.nodes.size)
    for each in np.unique(group):
        old, new = group[known.nodes] == each, group[asked.nodes] == each
        if old.any():
            starts, heights = isotonic(known.mass[old], hit[old].astype(float))
            likely[new] = heights[np.maximum(np.searchsorted(starts, asked.mass[new], side="right") - 1, 0)]
    rows = []
    for k in range(len(test.gold)):
        own = slice(asked.ptr[k], asked.ptr[k + 1])
        made = share.copy()
        made[asked.nodes[own]] = likely[own]
        rows.append({h.labels[v]: float(made[v]) for v in np.flatnonzero(made > 0.01).tolist()})
    return Belief.marginals(ScoredSets.of(rows))


def isotonic(scores: Any, true: Any) -> tuple[Any, Any]:
    """Pool adjacent violators: where each step begins, and its height."""
    distinct, place = np.unique(scores, return_inverse=True)
    blocks: list[list[float]] = []
    for start, weight, total in zip(distinct, np.bincount(place), np.bincount(place, true), strict=True):
        blocks.append([start, weight, total])
        while len(blocks) > 1 and blocks[-2][2] * blocks[-1][1] >= blocks[-1][2] * blocks[-2][1]:
            _, weight, total = blocks.pop()
            blocks[-1][1] += weight
            blocks[-1][2] += total
    return np.array([b[0] for b in blocks]), np.array([b[2] / b[1] for b in blocks])


def answers(data: Data, dev: Half, test: Half, measure: str) -> tuple[dict[str, Any], str]:
    """The ways to an answer for a measure, and what was tuned."""
    h, made = data.h, dict[str, Any]()
    if dev.scores is not None and test.scores is not None:
        raw = tuple(Belief.marginals(ScoredSets.of(half.scores)) for half in (dev, test))
        belief = calibrated(h, dev, test)
        made["tuned threshold"], at = tuned_vote(h, dev, (raw[0], raw[1]), measure)
        made["more likely than not"] = above(h, belief, 0.5)
        made["LCA of all"] = common_ancestors(h, test.scores)
        made[f"decide for {measure}"] = hemlp.decide(h, belief, measure).sets
        return made, f"threshold {at:.3g}"
    sign = 1 if hemlp.measure(measure).greater_is_better else -1
    best = max(dev.systems, key=lambda name: sign * mean(h, dev.gold, side(dev.systems[name]), measure))
    beliefs = [Belief.systems({name: side(own) for name, own in half.systems.items()}) for half in (dev, test)]
    made["best system"] = side(test.systems[best])
    made["majority"] = above(h, beliefs[1], 0.5)
    made["tuned vote"], at = tuned_vote(h, dev, (beliefs[0], beliefs[1]), measure)
    made["best sample"] = best_sample(h, beliefs[1], measure)
    union = [set().union(*own) for own in zip(*test.systems.values(), strict=True)]
    made["LCA of all"] = common_ancestors(h, union)
    made[f"decide for {measure}"] = hemlp.decide(h, beliefs[1], measure).sets
    if measure != "GIE":
        fitted = hemlp.decide(h, beliefs[1], measure, weights="fit", dev=(side(dev.gold), beliefs[0]))
        made["decide, fitted votes"] = fitted.sets
    return made, f"{best}; vote above {at:.3g}"


def side(rows: Any) -> LabelSets:
    """Label sets, one for each instance."""
    return LabelSets.of(rows, rows="sets")


# ---- tables


@dataclass(frozen=True, eq=False)
class Found:
    """The evaluations of the ways to an answer by each measure, what was tuned, and floors."""

    evaluations: dict[str, Any]
    tuned: dict[str, str]
    floors: dict[str, Any]
    sizes: dict[str, int]
    seconds: float

    def means(self) -> Table:
        """Ways by measures."""
        ways = list(dict.fromkeys(plain(way) for ev in self.evaluations.values() for way in ev.systems))
        values = {(plain(way), m): ev.mean(way, m) for m, ev in self.evaluations.items() for way in ev.systems}
        rows = [[way, *(number(values.get((way, m)), m) for m in MEASURES)] for way in ways]
        rows.append(["best constant", *(number(self.floors[m].best_constant, m) for m in MEASURES)])
        for way in (ways[0], "decide"):
            shuffled = [self.floors[m].shuffled[named(self.evaluations[m], way)] for m in MEASURES]
            rows.append([f"shuffled {way}", *(number(value, m) for value, m in zip(shuffled, MEASURES, strict=True))])
        corrected = [self.floors[m].corrected[named(self.evaluations[m], "decide")] for m in MEASURES]
        rows.append(["decide, chance-corrected", *(f"{value:.3f}" for value in corrected)])
        return Table(["", *(f"{m} {'↑' if m == 'F_H' else '↓'}, n = {self.sizes[m]:,}" for m in MEASURES)], rows)

    def differences(self) -> Table:
        """Decide against each other way."""
        rows = []
        for m, ev in self.evaluations.items():
            own = named(ev, "decide")
            for way in ev.systems:
                if way == own:
                    continue
                table = ev.compare(own, way)
                row = dict(zip(table.columns, table.rows[0], strict=True))
                low, high = row["difference 95%"]
                cells = [f"{row['difference']:+.4f}", f"{low:+.4f} to {high:+.4f}", f"{row['p (Holm)']:.2g}"]
                better = plain(row["better"]) if row["significant"] == "yes" else "neither"
                rows.append([m, plain(way), *cells, better])
        return Table(["measure", "decide −", "difference", "95%", "p (Holm)", "significantly better"], rows)


def plain(way: str) -> str:
    """Without the measure that it is for."""
    return "decide" if way.startswith("decide for") else way


def named(ev: Any, way: str) -> str:
    """The name of a way in an evaluation."""
    return str(next(each for each in ev.systems if plain(each) == way))


def number(value: float | None, measure: str) -> str:
    """With as many digits as tell something; nothing where a way was not tried."""
    return "" if value is None else f"{value:.{4 if measure == 'F_H' else 3}f}"


def study(data: Data) -> Found:
    """All ways, by all measures."""
    begin = time.process_time()
    dev, test = data.halves()
    evaluations, tuned, floors, sizes = {}, {}, {}, {}
    for m in MEASURES:
        few = [half.take(range(min(data.sample, len(half.gold)))) for half in (dev, test)]
        tune, part = few if m == "GIE" else (dev, test)
        made, tuned[m] = answers(data, tune, part, m)
        evaluations[m] = hemlp.evaluate(data.h, side(part.gold), made, [m])
        two = {way: made[way] for way in (next(iter(made)), f"decide for {m}")}
        alone = hemlp.evaluate(data.h, side(part.gold), two, [m])
        floors[m] = alone.floor(m, corpus=side(dev.gold if m != "GIE" else dev.gold[:CORPUS]))
        sizes[m] = len(part.gold)
        print(data.name, m, f"{time.process_time() - begin:.0f} s", flush=True)
    return Found(evaluations, tuned, floors, sizes, time.process_time() - begin)


def risks(data: Data) -> Table:
    """The mean risk over random halves, one of which chooses the threshold."""
    h, whole = data.h, data.whole
    belief = Belief.systems({name: side(own) for name, own in whole.systems.items()})
    votes = belief.votes(h)
    rows, shares = entry_rows(votes.ptr), votes.mass / votes.total[entry_rows(votes.ptr)]
    wrong = ~hits(h, votes, true_closures(h, side(whole.gold), belief))
    worst, most, size = np.zeros(len(belief)), np.zeros(len(belief)), len(belief)
    np.maximum.at(worst, rows[wrong], shares[wrong])  # above the greatest wrong share of votes nothing is wrong
    np.maximum.at(most, rows, shares)
    table, rng = [], np.random.default_rng(1)
    orders = [rng.permutation(size) for _ in range(SPLITS)]
    for alpha in RISKS:
        found = []
        for order in orders:
            dev, test = order[: size // 2], order[size // 2 :]
            at = least_threshold(worst[dev], alpha)
            found.append((np.mean(worst[test] > at), np.mean(most[test] > at)))
        risk, answered = np.mean(found, axis=0)
        error = np.std([each for each, _ in found], ddof=1) / np.sqrt(SPLITS)
        kept = "yes" if risk <= alpha + 2 * error else "no"
        cells = [f"{alpha:.2f}", f"{risk:.4f}", f"{error:.4f}", f"{alpha + 2 * error:.4f}", kept, f"{answered:.3f}"]
        table.append([data.name, f"{size // 2:,}", *cells])
    heads = ["data", "n", "α", "mean risk", "standard error", "α + 2 standard errors", "kept", "answered"]
    return Table(heads, table)


def section(found: Found) -> str:
    """Tables of one set of data."""
    tuned = "; ".join(f"{m}: {text}" for m, text in found.tuned.items())
    return f"{found.means().to_markdown()}\nChosen on the development half: {tuned}.\n\n{found.differences().to_markdown()}"


def main() -> None:
    """Compute everything and write the page."""
    if "HEMLP_DATA" not in os.environ:
        sys.exit("set HEMLP_DATA to the folder of real data")
    root = Path(os.environ["HEMLP_DATA"])
    medline = root / "medline_mesh", root / "mesh2016" / "mesh_hierarchy.txt"
    human = root / "go2019_human"
    data = {
        "MEDLINE": files("MEDLINE", *medline, ".txt", 200),
        "GO": files("GO human", human, human / "hierarchy.txt.gz", ".txt.gz", 200),
        "TAXA": taxa(root / "taxa16s"),
        "CCO": cafa(root / "cafa2" / "cco", "CAFA 2 CCO", 30),
        "MFO": cafa(root / "cafa2" / "mfo", "CAFA 2 MFO", 30),
    }
    kept = [risks(data[key]) for key in ("MEDLINE", "TAXA")]
    words = {"SPLITS": str(SPLITS), "RISKS": Table(kept[0].columns, [*kept[0].rows, *kept[1].rows]).to_markdown()}
    words |= {key: section(study(each)) for key, each in data.items()}
    text = (Path(__file__).parent / "decide_page.md").read_text(encoding="utf-8")
    for key, value in words.items():
        text = text.replace(f"%{key}%", value.rstrip("\n"))
    (DOCS / "decide-study.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
