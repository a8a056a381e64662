"""Makes docs/decide-study.md: one answer from several on real data, what knowing nothing scores, and risks.

    HEMLP_DATA=... python scripts/decide_page.py [KEY ...]

A seeded half of the instances is development data; all figures are of the other half. Each KEY (MEDLINE, GO, TAXA,
CCO, MFO, RISKS; all by default) leaves its section in STUDY_PARTS, a folder; the page is made of all of them.
"""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import hemlp
from hemlp import Belief, Hierarchy, LabelSets, ScoredSets
from hemlp.analysis.decision.calibration import classes_above, hits, least_threshold, true_closures
from hemlp.analysis.decision.pools import best_scenarios
from hemlp.arrays import entry_rows
from hemlp.text.p_values import format_p
from hemlp.text.tables import Table

DOCS = Path(__file__).parent.parent / "docs"
MEASURES = ("F_H", "SDL", "GIE")
RISKS = (0.10, 0.05, 0.02, 0.01)
SPLITS, FOLDS = 300, 5
CALIBRATIONS = {
    "one curve": (False, False),
    "one curve and shares": (False, True),
    "curves by frequency": (True, False),
    "curves by frequency and shares": (True, True),
}
"""Whether curves are of groups of classes, and whether a class without a score has its share of the proteins."""


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
    """Real data. ``sample``: how many test instances are decided for GIE, None for all, 0 for no GIE."""

    h: Hierarchy
    whole: Half
    sample: int | None = None

    def halves(self) -> tuple[Half, Half]:
        """Development and test."""
        order = np.random.default_rng(0).permutation(len(self.whole.gold))
        cut = order.size // 2
        return self.whole.take(np.sort(order[:cut])), self.whole.take(np.sort(order[cut:]))


# ---- data


def lines(file: Path) -> list[list[str]]:
    """The cells of a zipped table."""
    with gzip.open(file, "rt", encoding="utf-8") as text:
        return [line.rstrip("\n").split("\t") for line in text]


def files(folder: Path, hierarchy: Path, suffix: str) -> Data:
    """Gold and predictions in files of labels."""
    systems = {
        file.name.removeprefix("pred_").removesuffix(suffix): list(hemlp.read_labels(file))
        for file in sorted(folder.glob(f"pred_*{suffix}"))
    }
    gold = list(hemlp.read_labels(folder / f"gold{suffix}"))
    return Data(hemlp.read_hierarchy(hierarchy), Half(gold, systems))


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
    return Data(h, Half(sides.pop("gold"), sides))


def parsed(text: str) -> tuple[str, ...]:
    """The classes of a path; "Unassigned" has none."""
    return () if text == "Unassigned" else tuple(part.strip() for part in text.split(";"))


def cafa(folder: Path, sample: int) -> Data:
    """Scores of BLAST."""
    ids = [row[0] for row in lines(folder / "ids.txt.gz")]
    scores: dict[str, dict[str, float]] = {each: {} for each in ids}
    for protein, label, score in lines(folder / "scored_blast.tsv.gz"):
        if protein in scores:
            scores[protein][label] = float(score)
    gold = list(hemlp.read_labels(folder / "gold.txt.gz"))
    h = hemlp.read_hierarchy(folder / "hierarchy.txt.gz")
    return Data(h, Half(gold, {}, [scores[each] for each in ids]), sample)


# ---- ways to one answer


def sets(h: Hierarchy, side: Any) -> LabelSets:
    """Class numbers as label sets."""
    return LabelSets(tuple(h.labels), side.ptr, side.classes, rows="sets")


def mean(h: Hierarchy, gold: Any, answers: Any, measure: str) -> float:
    """Of answers by a measure."""
    return hemlp.evaluate(h, LabelSets.of(gold, rows="sets"), {"a": answers}, [measure]).mean("a", measure)


def above(h: Hierarchy, belief: Belief, threshold: float) -> LabelSets:
    """{v: m_v > threshold}."""
    return sets(h, classes_above(h, belief.votes(h), threshold))


def tuned_vote(h: Hierarchy, dev: Half, beliefs: tuple[Belief, Belief], measure: str) -> tuple[LabelSets, float]:
    """The threshold that is best on development data, of all shares of votes or 40 quantiles of scores."""
    votes = beliefs[0].votes(h)
    shares = np.unique(votes.shares)
    grid = np.unique(np.append(0.0, shares if shares.size < 40 else np.quantile(shares, np.linspace(0, 1, 40))))[:-1]
    sign = 1 if hemlp.measure(measure).greater_is_better else -1
    worth = [sign * mean(h, dev.gold, above(h, beliefs[0], float(each)), measure) for each in grid]
    best = float(grid[int(np.argmax(worth))])
    return above(h, beliefs[1], best), best


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


def calibrate(h: Hierarchy, dev: Half, test: Half, by_group: bool, shares: bool) -> list[dict[Any, float]]:
    """P(true | propagated score) by isotonic regression on ``dev``, for the instances of ``test``.

    ``by_group``: a curve for each group of classes whose shares of true proteins have the same power of 2. ``shares``: a
    class without a score is as likely as it is true of those development proteins to which BLAST does not give it.
    """
    beliefs = [Belief.marginals(ScoredSets.of(dict(enumerate(half.scores or [])))) for half in (dev, test)]
    known, asked = (belief.votes(h) for belief in beliefs)
    true = true_closures(h, dict(enumerate(dev.gold)), beliefs[0])
    hit, size = hits(h, known, true), len(h)
    often, named = np.bincount(true.classes, minlength=size), np.bincount(known.nodes, minlength=size)
    share = (often - np.bincount(known.nodes[hit], minlength=size)) / np.maximum(1, len(dev.gold) - named)
    group = np.log2(len(dev.gold) / np.maximum(often, 1)).astype(int) * by_group
    likely = np.zeros(asked.nodes.size)
    for each in np.unique(group):
        old, new = group[known.nodes] == each, group[asked.nodes] == each
        if old.any():
            starts, heights = isotonic(known.mass[old], hit[old].astype(float))
            likely[new] = heights[np.maximum(np.searchsorted(starts, asked.mass[new], side="right") - 1, 0)]
    rows = []
    for k in range(len(test.gold)):
        own = slice(asked.ptr[k], asked.ptr[k + 1])
        made = share * shares
        made[asked.nodes[own]] = likely[own]
        rows.append({h.labels[v]: float(made[v]) for v in np.flatnonzero(made > 0.01).tolist()})
    return rows


def out_of_fold(h: Hierarchy, dev: Half) -> dict[str, Belief]:
    """What each calibration believes about development data, each fold calibrated on the other four."""
    rows, found = range(len(dev.gold)), {}
    for name, options in CALIBRATIONS.items():
        made: list[dict[Any, float]] = [{}] * len(dev.gold)
        for fold in range(FOLDS):
            others, own = dev.take(k for k in rows if k % FOLDS != fold), dev.take(rows[fold::FOLDS])
            made[fold::FOLDS] = calibrate(h, others, own, *options)
        found[name] = Belief.marginals(ScoredSets.of(made))
    return found


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


def score_answers(data: Data, dev: Half, test: Half, measure: str) -> tuple[dict[str, Any], str]:
    """The ways from scores to an answer for a measure, and what was chosen on development data."""
    h = data.h
    raw = [Belief.marginals(ScoredSets.of(half.scores)) for half in (dev, test)]
    chosen_for = "F_H" if measure == "GIE" else measure
    folded = out_of_fold(h, dev)
    tried = {name: mean(h, dev.gold, hemlp.decide(h, own, chosen_for).sets, chosen_for) for name, own in folded.items()}
    best = (max if chosen_for == "F_H" else min)(tried, key=lambda name: tried[name])
    belief = Belief.marginals(ScoredSets.of(calibrate(h, dev, test, *CALIBRATIONS[best])))
    cut, at = tuned_vote(h, dev, (raw[0], raw[1]), measure)
    again, level = tuned_vote(h, dev, (folded[best], belief), measure)
    made = {
        "tuned threshold": cut,
        "more likely than not": above(h, belief, 0.5),
        "tuned threshold of calibrated scores": again,
        "LCA of all": common_ancestors(h, test.scores or []),
        f"decide for {measure}": hemlp.decide(h, belief, measure).sets,
    }
    words = "; ".join(f"{name} {value:.{4 if chosen_for == 'F_H' else 2}f}" for name, value in tried.items())
    return made, f"threshold {at:.3g}, of calibrated scores {level:.3g}; {best} (out of fold, by {chosen_for}: {words})"


def system_answers(data: Data, dev: Half, test: Half, measure: str) -> tuple[dict[str, Any], str]:
    """The ways from systems to an answer for a measure, and what was chosen on development data."""
    h, made = data.h, dict[str, Any]()
    sign = 1 if hemlp.measure(measure).greater_is_better else -1
    best = max(dev.systems, key=lambda name: sign * mean(h, dev.gold, side(dev.systems[name]), measure))
    beliefs = [Belief.systems({name: side(own) for name, own in half.systems.items()}) for half in (dev, test)]
    made["best system"] = side(test.systems[best])
    made["majority"] = above(h, beliefs[1], 0.5)
    made["tuned vote"], at = tuned_vote(h, dev, (beliefs[0], beliefs[1]), measure)
    made["best sample"] = sets(h, best_scenarios(hemlp.measure(measure), beliefs[1].scenarios(h)))
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
class Outcome:
    """Evaluations of the ways to an answer by each measure, what was chosen on development data, and floors."""

    evaluations: dict[str, Any]
    tuned: dict[str, str]
    floors: dict[str, tuple[Any, Any]]
    seconds: float

    def means(self) -> Table:
        """Ways by measures."""
        asked = tuple(self.evaluations)
        ways = list(dict.fromkeys(plain(way) for ev in self.evaluations.values() for way in ev.systems))
        values = {(plain(way), m): ev.mean(way, m) for m, ev in self.evaluations.items() for way in ev.systems}
        rows = [[way, *(number(values.get((way, m)), m) for m in asked)] for way in ways]
        rows.append(["best constant", *(number(self.floors[m][0].best_constant, m) for m in asked)])
        folds = (self.floors[m][1] and self.floors[m][1].best_constant for m in asked)
        rows.append(["best constant, five folds", *(number(each, m) for each, m in zip(folds, asked, strict=True))])
        for way in (ways[0], "decide"):
            shuffled = [self.floors[m][0].shuffled[named(self.evaluations[m], way)] for m in asked]
            rows.append([f"shuffled {way}", *(number(value, m) for value, m in zip(shuffled, asked, strict=True))])
        for way in (ways[0], "decide"):
            corrected = [self.floors[m][0].corrected[named(self.evaluations[m], way)] for m in asked]
            rows.append([f"{way}, chance-corrected", *(f"{value:.3f}" for value in corrected)])
        sizes = (len(ev.per_instance(ev.systems[0], m)) for m, ev in self.evaluations.items())
        heads = (f"{m} {'↑' if m == 'F_H' else '↓'}, n = {size:,}" for m, size in zip(asked, sizes, strict=True))
        return Table(["", *heads], rows)

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
                cells = [f"{row['difference']:+.4f}", f"{low:+.4f} to {high:+.4f}", format_p(row["p (Holm)"])]
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


def study(name: str, data: Data) -> str:
    """All ways, by all measures, as a section of the page."""
    begin = time.process_time()
    dev, test = data.halves()
    evaluations, tuned, floors = {}, {}, {}
    for m in MEASURES if data.sample != 0 else MEASURES[:-1]:
        part = test if m != "GIE" else test.take(range(len(test.gold))[: data.sample])
        made, tuned[m] = (system_answers if dev.scores is None else score_answers)(data, dev, part, m)
        evaluations[m] = hemlp.evaluate(data.h, side(part.gold), made, [m])
        two = {way: made[way] for way in (next(iter(made)), f"decide for {m}")}
        alone = hemlp.evaluate(data.h, side(part.gold), two, [m])
        floors[m] = alone.floor(m, corpus=side(dev.gold)), None if m == "GIE" else alone.floor(m, corpus="folds")
        print(name, m, f"{time.process_time() - begin:.0f} s", flush=True)
    found = Outcome(evaluations, tuned, floors, time.process_time() - begin)
    chosen = "".join(f"- {m}: {text}\n" for m, text in tuned.items())
    means, differences = found.means().to_markdown(), found.differences().to_markdown()
    return f"{means}\nChosen on the development half:\n\n{chosen}\n{differences}"


def risks(name: str, data: Data) -> Table:
    """The mean risk over random halves, one of which chooses the threshold."""
    h, whole = data.h, data.whole
    belief = Belief.systems({name: side(own) for name, own in whole.systems.items()})
    votes = belief.votes(h)
    rows, shares = entry_rows(votes.ptr), votes.shares
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
        table.append([name, f"{size // 2:,}", *cells])
    heads = ["data", "n", "α", "mean risk", "standard error", "α + 2 standard errors", "kept", "answered"]
    return Table(heads, table)


def all_risks(root: Path) -> str:
    """The risks on the data that have several systems."""
    kept = [risks("MEDLINE", medline(root)), risks("GO", human(root)), risks("16S", taxa(root / "taxa16s"))]
    return Table(kept[0].columns, [row for each in kept for row in each.rows]).to_markdown()


def medline(root: Path) -> Data:
    """Eight systems."""
    return files(root / "medline_mesh", root / "mesh2016" / "mesh_hierarchy.txt", ".txt")


def human(root: Path) -> Data:
    """Seven pipelines."""
    folder = root / "go2019_human"
    return files(folder, folder / "hierarchy.txt.gz", ".txt.gz")


SECTIONS: dict[str, Callable[[Path], str]] = {
    "RISKS": all_risks,
    "TAXA": lambda root: study("16S", taxa(root / "taxa16s")),
    "CCO": lambda root: study("CCO", cafa(root / "cafa2" / "cco", 30)),
    "MFO": lambda root: study("MFO", cafa(root / "cafa2" / "mfo", 0)),
    "MEDLINE": lambda root: study("MEDLINE", medline(root)),
    "GO": lambda root: study("GO", human(root)),
}


def main(keys: list[str]) -> None:
    """Compute sections, and write the page if all are there."""
    if "HEMLP_DATA" not in os.environ:
        sys.exit("set HEMLP_DATA to the folder of real data")
    parts = Path(os.environ.get("STUDY_PARTS") or tempfile.mkdtemp())
    parts.mkdir(parents=True, exist_ok=True)
    for key in keys or SECTIONS:
        (parts / f"{key}.md").write_text(SECTIONS[key](Path(os.environ["HEMLP_DATA"])), encoding="utf-8")
    text = (Path(__file__).parent / "decide_page.md").read_text(encoding="utf-8").replace("%SPLITS%", str(SPLITS))
    for key in SECTIONS:
        if not (parts / f"{key}.md").exists():
            sys.exit(f"{key} is still to be computed into {parts}")
        text = text.replace(f"%{key}%", (parts / f"{key}.md").read_text(encoding="utf-8").rstrip("\n"))
    (DOCS / "decide-study.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
