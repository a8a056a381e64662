"""Faults for ``mutate.py``: one line each. A file of hemlp, a text that occurs once in it, what stands there instead,
and which number or verdict is wrong then."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """``file``: within hemlp; ``tests``: names of files, without test_ and .py, instead of those of the package."""

    file: str
    old: str
    new: str
    changes: str
    tests: str = ""


TESTS = {
    "analysis/diagnosis": "diagnosis",
    "analysis/explain": "explain",
    "analysis/scored": "curves cafa_command ranked scored_sets",
    "analysis/statistics": "verdicts units resampling",
    "arrays.py": "architecture explain",
    "cli": "gate",
    "hierarchy": "hierarchy ambiguous_data more_sets formats",
    "hierarchy/formats": "formats label_and_hierarchy_files weighing hierarchy ambiguous_data",
    "hierarchy/class_weights.py": "formats label_and_hierarchy_files weighing",
    "instances": "ambiguous_data labels unknown_labels ids",
    "io": "formats label_and_hierarchy_files weighing",
    "kernels": "sets more_sets pairing_kernels pairing lca",
    "measures": "sets more_sets measures averages composites",
    "metrics.py": "metrics",
    "optimize": "changed_models capacities_and_prices composites sets",
    "paper.py": "paper",
    "problems/closure": "sets more_sets averages",
    "problems/lca": "proofs lca links exact",
    "problems/pairing": "similarities capacities_and_prices pairing composites",
    "processes": "faults environments",
    "report": "page outputs",
    "run": "gate sweep evaluation",
    "solvers": "proofs pairing composites conformance capacities_and_prices",
    "text": "table_intervals resampling evaluation",
}
"""Which tests have to find a fault, by the package or file where it is: the longest that begins its path."""

FAULTS = [
    # kernels of set measures
    Fault("kernels/closure/tally.py", "common += stamp[node] == p_mark", "common += stamp[node] != t_mark", "F_H: common nodes"),
    Fault("kernels/closure/tally.py", "alone -= 1\n                elif", "alone -= 0\n                elif", "whether weighted sets are equal"),
    Fault("kernels/closure/tally.py", "sums[i, 2] += weight * (some_predicted and some_true)", "sums[i, 2] += weight * some_true", "⊤ is common to a side that is empty"),
    Fault("kernels/closure/tally.py", "common: cython.double = upper if p_hub and t_hub else 0.0", "common: cython.double = upper if t_hub else 0.0", "F_H beyond the hub", "hub sets evaluation"),
    Fault("kernels/closure/sets.py", "while reached < filled and level < search.farthest:", "while reached < filled and level <= search.farthest:", "one step too far within a horizon"),
    Fault("kernels/closure/sets.py", "return parents.ptr[node] == parents.ptr[node + 1]", "return False", "SDL drops roots"),
    Fault("kernels/closure/sets.py", "sums[i, 1] += weight\n                    sums[i, 2] += weight", "sums[i, 1] += weight\n                    sums[i, 2] += 1", "common weight of explicit sets"),
    Fault("kernels/closure/sets.py", "common = hierarchy.upper if pred.with_hub and true.with_hub else 0", "common = 0", "SDL beyond the hub", "hub sets"),
    # kernels of pairings
    Fault("kernels/flow/closed_forms.py", "if given.serves[k] & 2 and cost < alone.cost_t[column]:", "if given.serves[k] & 1 and cost < alone.cost_t[column]:", "a pair that serves one end only", "pairing pairing_kernels"),
    Fault("kernels/flow/closed_forms.py", "saved = saved if saved > 0.0 else 0.0", "saved = saved if saved > 1.0 else 0.0", "MGIA misses pairs that save little", "pairing_kernels pairing"),
    Fault("kernels/flow/closed_forms.py", "turned: cython.bint = height > width\n    m.height", "turned: cython.bint = height >= width\n    m.height", "rows and columns of square matchings disagree", "pairing_kernels pairing"),
    Fault("kernels/flow/pairing.py", "total.lost += (larger - total.sum) + (value if before > value else before)", "total.lost += 0.0", "costs are added with a loss", "pairing_kernels"),
    Fault("kernels/graph/common_ancestors.py", "best = max(best, values[node])", "best = min(best, values[node])", "a similarity by the least common ancestor's value", "similarities"),
    # kernels of graphs, kinds, scores
    Fault("kernels/graph/orders.py", "best = min(best, depth[parents.items[e]] + lengths[e])", "best = max(best, depth[parents.items[e]] + lengths[e])", "depth is the longest way", "hierarchy similarities"),
    Fault("kernels/closure/census.py", "return TOO_GENERAL if (above if predicted else below) else TOO_SPECIFIC", "return TOO_GENERAL if above else TOO_SPECIFIC", "true classes: too general and too specific are exchanged", "diagnosis"),
    Fault("kernels/closure/census.py", "inner = inner or (met and parents.ptr[node + 1] > parents.ptr[node])", "inner = inner or met", "a common root makes it the same branch", "diagnosis"),
    Fault("kernels/ranking/sweep.py", "equal[k] = task.alone == 0 and task.missed == 0", "equal[k] = task.alone == 0", "exact match of a threshold", "curves scored_sets"),
    Fault("kernels/ranking/sweep.py", "if task.in_true[node] == i:\n                task.c_weight += task.weights[node]", "if task.in_true[node] == i:\n                task.c_weight += 1", "weighted common nodes at a threshold", "curves scored_sets cafa_command"),
    Fault("kernels/ranking/by_score.py", "return ranks[a] < ranks[b]", "return ranks[a] > ranks[b]", "which of equal scores is among the first k", "greatest_scores ranked scored_sets"),
    Fault("kernels/resamples.py", "counts[i, scaled >> 16] += not left_out", "counts[i, scaled >> 16] = not left_out", "resamples without repetition", "table_intervals resampling evaluation"),
    Fault("kernels/lca/greedy.py", "return a_serves > b_serves", "return a_serves < b_serves", "the order in which greedy takes LCAs", "lca links"),
    Fault("kernels/lca/greedy.py", "if self._times[links.of_class[self._own[k]]] < 2:", "if self._times[links.of_class[self._own[k]]] < 1:", "greedy drops LCAs that are needed", "lca links"),
    # hierarchies, instances, files
    Fault("hierarchy/formats/path_lists.py", "if above >= 0], labels", "if above > 0], labels", "the first root of paths loses its children"),
    Fault("hierarchy/formats/path_lists.py", "while row and isinstance(row[-1], str) and not row[-1]:", "if row and isinstance(row[-1], str) and not row[-1]:", "paths that are padded by more than one cell"),
    Fault("hierarchy/class_weights.py", "not 0 <= weight < math.inf:", "not -1 <= weight < math.inf:", "weights below 0 are taken"),
    Fault("instances/checks.py", "if missing == \"error\":", "if more and missing == \"error\":", "one missing instance is taken for empty"),
    Fault("instances/checks.py", "and true.index != pred.index:", "and False:", "shuffled Series are scored row by row"),
    Fault("instances/checks.py", "if np.unique(rows[suspects]).size < np.unique(rows).size:", "if np.unique(rows[suspects]).size <= np.unique(rows).size:", "scores beside labels are taken for labels"),
    Fault("hierarchy/formats/obo.py", "(self.obsolete.add if words[0] == \"true\" else self.obsolete.discard)(term)", "self.obsolete.discard(term)", "obsolete terms are classes"),
    Fault("hierarchy/formats/obo.py", "        if len(own) != 1 or not seen.isdisjoint(own):\n            return None\n        (name,) = own", "        if not own or not seen.isdisjoint(own):\n            return None\n        name = sorted(own)[0]", "an obsolete term with two replacements becomes one of them"),
    Fault("hierarchy/formats/obo.py", "chosen = [link for link in terms.links if link[0] in relations]", "chosen = list(terms.links)", "part_of counts as is_a"),
    Fault("hierarchy/class_weights.py", "not math.isfinite(value) or value < 0:", "not math.isfinite(value):", "weights below 0 are read"),
    Fault("hierarchy/formats/ncbi.py", "if new in known and old not in known", "if new in known", "a merged id takes the place of a class"),
    # closures, LCA graphs
    Fault("problems/closure/model.py", "return size if self.horizon is None else min(self.horizon - 1, size)", "return size if self.horizon is None else min(self.horizon, size)", "F_H(horizon=k) reaches one step further"),
    Fault("problems/closure/variants.py", "* self._node_cost(0) - sum(map(len, solution.kept()))", "* self._node_cost(0)", "the objective of SDL"),
    Fault("problems/lca/graphs.py", "return Fraction(2 * len(predicted & true), both) if both else Fraction(1)", "return Fraction(2 * len(predicted & true), both) if both else Fraction(0)", "F_LCA of two empty sides"),
    Fault("problems/lca/model.py", "if one.f > one.bound:", "if one.f > one.bound + 1:", "a false bound of F_LCA passes the check"),
    Fault("problems/lca/model.py", "if proved and one.f < one.bound:", "if False:", "an optimum that is none passes the check"),
    # pairings, programs, solvers
    Fault("problems/pairing/similarities.py", "return np.where(total > 0, ratio, equal)", "return np.where(total > 0, ratio, 1.0)", "Lin of different classes without information"),
    Fault("problems/pairing/similarities.py", "return first + second - 2 * shared", "return first + second - shared", "Jiang and Conrath's distance"),
    Fault("problems/pairing/similarities.py", "return shared / greatest if greatest else shared", "return shared", "normalised Resnik"),
    Fault("problems/pairing/bounds.py", "sides = self.predicted == self.true and self.defaults[0] == self.defaults[1]", "sides = self.predicted == self.true", "a measure with one-sided defaults is called symmetric"),
    Fault("optimize/program.py", "sign, goal = -1 if self.maximize else 1, self.goal_name", "sign, goal = 1, self.goal_name", "MPS files of a maximum"),
    Fault("optimize/program.py", "single.append((f\"{row.name}_low\", \">=\", row.lower, row.terms))", "pass", "LP and MPS files without lower bounds of rows"),
    Fault("optimize/exports.py", "sign = -1 if program.maximize else 1", "sign = 1", "OPB files of a maximum"),
    Fault("optimize/joint.py", "np.where((codes == infeasible).any(axis=0), infeasible, codes.max(axis=0))", "codes.max(axis=0)", "the status of a joint model with an infeasible part"),
    Fault("optimize/program.py", "return math.fsum(v.cost * x for v, x in zip(self.variables, values, strict=True) if x)", "return math.fsum(v.cost * x for v, x in zip(self.variables, values, strict=True) if x > 1)", "the objective of a program"),
    Fault("kernels/flow/closed_forms.py", "(chosen.price_t if side else chosen.price_p)[begin + k] = cost", "(chosen.price_t if side else chosen.price_p)[begin + k] = 0.0", "best matches without the prices that prove them", "pairing_kernels composites"),
    Fault("kernels/flow/transport.py", "& ((amount == 0) | (reduced <= 0.0))", "", "a transport that is not the cheapest is proved", "pairing_kernels composites"),
    Fault("kernels/flow/transport.py", "feasible[i] &= tree.flow[v] == 0 or tree.arc_cost[v] < missing", "pass", "masses move where there is no way", "pairing_kernels transport"),
    Fault("solvers/flow.py", "backend.flows(arcs) + network.lower)", "backend.flows(arcs))", "flows with lower bounds", "capacities_and_prices pairing changed_models"),
    Fault("solvers/ortools.py", "backend.best_objective_bound / scale", "backend.best_objective_bound", "the bound of a program with fractions"),
    # measures
    Fault("measures/set_measure.py", "\"jaccard\": SetScore(lambda f: f.ratio(f.common, f.predicted + f.true - f.common)", "\"jaccard\": SetScore(lambda f: f.ratio(f.common, f.predicted + f.true)", "Jaccard"),
    Fault("measures/set_measure.py", "beta**2 * facts.true + facts.predicted", "facts.true + beta**2 * facts.predicted", "F_beta weighs P where R is meant", "more_sets greatest_scores"),
    Fault("measures/set_measure.py", "return (scores.mean() + weight) / (2 * weight)", "return (scores.mean() + weight) / weight", "normalised ICM", "more_sets averages"),
    Fault("measures/pair_scores.py", "similar = (facts.predicted + facts.true) / 2 - facts.error", "similar = facts.predicted / 2 + facts.true / 2 - facts.error / 2", "matched P, R and F", "composites"),
    Fault("measures/pair_scores.py", "np.maximum(f.predicted + f.true - f.common, 1)", "np.maximum(f.predicted + f.true - 2 * f.common, 1)", "accuracy by the union", "measures"),
    Fault("measures/instance_scores.py", "return total / defined.size if", "return total / values.size if", "means with undefined instances"),
    Fault("measures/averages.py", "covered = predicted > 0 if average == \"cafa\" else", "covered = predicted >= 0 if average == \"cafa\" else", "CAFA's mean precision counts instances without prediction", "averages"),
    Fault("measures/information.py", "whole[number == 0] = size", "whole[number == 0] = 1", "information accretion of roots", "more_sets curves"),
    Fault("measures/information.py", "there = held[np.minimum(np.searchsorted(held, keys), held.size - 1)] == keys", "there = keys >= 0", "information accretion of classes with several parents", "more_sets curves"),
    Fault("measures/pair_scores.py", "1 - np.minimum(*f.means())", "1 - np.maximum(*f.means())", "funSimMax", "composites"),
    Fault("measures/pair_measure.py", "error = np.where(lost, math.inf, error)", "error = np.where(lost, error, error)", "classes without a nearest one", "composites"),
    Fault("measures/pair_scores.py", "np.where(predicted & true, best, worst)", "np.where(predicted & true, worst, best)", "best matches of an empty side", "composites"),
    Fault("problems/pairing/build_model.py", "once = np.minimum(np.bincount(ends, minlength=own.classes.size), 1).astype(np.int64)", "once = np.ones(own.classes.size, np.int64)", "the nearest measure where nothing is near", "composites ranked greatest_scores conformance"),
    # statistics, scores, diagnosis
    Fault("analysis/statistics/significance_tests.py", " - ties / 48", "", "Wilcoxon's variance with ties"),
    Fault("analysis/statistics/significance_tests.py", "won = k if sided == \"one\" else max(k, n - k)", "won = k", "the exact two-sided sign test"),
    Fault("analysis/statistics/correlations.py", "[1.0] if better else [-1.0]", "[1.0] if better else [1.0]", "Kendall's τ between an error and a score"),
    Fault("text/tables.py", "(1 + level) / 2))", "(1 + level) / 2.1))", "the upper end of intervals"),
    Fault("text/tables.py", "place = q * (ordered.shape[-1] - 1)", "place = min(q * ordered.shape[-1], ordered.shape[-1] - 1)", "quantiles"),
    Fault("analysis/scored/cafa_averages.py", "by_precision = everybody if norm == \"gt\" else covered", "by_precision = covered", "CAFA's precision with norm=\"gt\""),
    Fault("analysis/scored/cafa_averages.py", "\"s\": np.hypot(ru, mi)", "\"s\": ru + mi", "Smin"),
    Fault("analysis/scored/threshold_steps.py", "begun = self.events <= event", "begun = self.events < event", "what is predicted at a threshold"),
    Fault("analysis/scored/cafa.py", "counting[everywhere] = 0", "pass", "excluded classes count in CAFA's averages"),
    Fault("analysis/scored/reliability.py", "math.fsum(n * abs(score - share)", "math.fsum(n * (score - share)", "the calibration error", "ranked"),
    Fault("analysis/diagnosis/error_kinds.py", "[sizes == 0, hits == sizes, hits > 0], [3, 0, 1], 2)", "[sizes == 0, hits >= 1, hits > 0], [3, 0, 1], 2)", "instances of which some true classes were hit"),
    Fault("analysis/diagnosis/branches.py", "np.lexsort((-shares, -spread * statistics[0].instances[rows]))", "np.lexsort((-shares, -spread))", "which branches are shown first"),
    # evaluation, reports, the rest
    Fault("run/gate.py", "return math.isnan(low) or (high < 0 if self.greater_is_better else low > 0)", "return math.isnan(low) or (high < 0 if self.greater_is_better else low < 0)", "a significant drop of an error"),
    Fault("run/gate.py", "return -self.difference if self.greater_is_better else self.difference", "return -self.difference", "a drop of an error passes the gate"),
    Fault("run/sweep.py", "np.where(better[:, None], -self.means, self.means)", "-self.means", "places by an error"),
    Fault("report/instance_list.py", "signed = values if ev.greater_is_better[leader] else -values", "signed = values", "which instances a page shows as the worst by an error"),
    Fault("processes/pool.py", "variables[\"PYTHONSAFEPATH\"] = \"1\"", "variables[\"PYTHONSAFEPATH\"] = \"\"", "workers import what lies in the current folder"),
    Fault("metrics.py", "total = weights[defined].sum()", "total = weights.sum()", "sample weights of undefined instances"),
    Fault("analysis/explain/parts.py", "return self.predicted & self.true", "return self.predicted | self.true", "the shared nodes of an explanation"),
    Fault("analysis/explain/layout.py", "return plain_sum(places) / len(places) if places else otherwise", "return places[0] if places else otherwise", "where boxes are drawn", "docs"),
    Fault("arrays.py", "return reduce(add, values, 0.0)", "return sum(values)", "numbers that depend on the version of Python"),
    Fault("paper.py", "return abs(printed - ours) < 0.0099", "return abs(printed - ours) < 0.5", "whether the paper's figures are ours"),
    Fault("cli/evaluate.py", "return not drops.failed", "return True", "the exit code of a gate"),
    Fault("analysis/statistics/differences.py", "differ = np.abs(gaps) > tolerance", "differ = gaps != 0", "tests count rounding noise"),
    Fault("analysis/statistics/differences.py", "np.diff(sizes) > 2 * self.tolerance", "np.diff(sizes) > 0", "ties of Wilcoxon's test"),
    Fault("analysis/statistics/differences.py", "return 0.0 if abs(mean) <= number * tolerance / max(1, instances) else mean", "return mean", "a better system for a gain of 1e-17"),
    Fault("analysis/statistics/significance_tests.py", "- total) >= away", "- total) > away", "exact p of Wilcoxon's test"),
    Fault("analysis/statistics/permutation.py", "np.minimum(least, p_values[drawn])", "least", "p where no draw is a hit"),
    Fault("analysis/statistics/permutation.py", "np.where(hits, (1 + hits) / (1 + SIGN_DRAWS)", "np.where(hits, hits / SIGN_DRAWS", "p of drawn signs"),
    Fault("analysis/statistics/permutation.py", "return np.abs(self.totals) - self.doubts", "return np.abs(self.totals)", "sums that tie with the observed one"),
    Fault("analysis/statistics/letter_display.py", "for group in reversed(groups):", "for group in sorted(groups):", "which letters are left out"),
    Fault("analysis/statistics/letter_display.py", "ranks[k] = ranks[above] if tied else at + 1", "ranks[k] = at + 1", "equal means have one place"),
    Fault("analysis/statistics/verdicts.py", "(places[i], places[j]) if self.greater_is_better else (places[j], places[i])", "(places[i], places[j])", "who is better by a loss"),
    Fault("analysis/statistics/verdicts.py", "return self.holm[first, second] < ALPHA", "return self.p[first, second] < ALPHA", "which systems are separated"),
    Fault("analysis/statistics/verdicts.py", "of_better if one_sided else max(d.wins, losses)", "max(d.wins, losses)", "the paper's sign test"),
    Fault("analysis/statistics/comparisons.py", "gain if test.k == d.wins else loss", "loss if test.k == d.wins else gain", "whom the sign test favours"),
    Fault("analysis/statistics/comparisons.py", "Interval(-interval.high, -interval.low, interval.level)", "interval", "the interval of a turned difference"),
    Fault("analysis/statistics/resampling.py", "last_words(*letters).astype(np.int64) % BUCKETS", "last_words(*letters).astype(np.int64) >> 20", "buckets of ids"),
    Fault("analysis/statistics/resampling.py", "sorted(range(self.size), key=keys.__getitem__)", "list(range(self.size))", "intervals depend on the order of rows"),
    Fault("problems/pairing/build_model.py", "np.rint(upto / upto[-1] * MOST)", "np.floor(weights / weights.sum() * MOST).cumsum()", "masses of transport", "transport composites"),
    Fault("problems/pairing/circulation.py", "np.minimum(*(np.where(of, free, limit)", "np.maximum(*(np.where(of, free, limit)", "pair=ALL with soft bounds", "capacities_and_prices class_bounds"),
    Fault("optimize/solutions.py", "refused = self.asked & (", "refused = False & (", "a worse solution is replaced in silence", "sabotage"),
]  # fmt: skip
