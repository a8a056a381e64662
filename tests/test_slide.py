"""The slide is the program: an algebra, expanded for an instance, is the program that is solved, row by row."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest

from hemlp import ALL, Bounds, Hierarchy, PairMeasure, measure
from hemlp.analysis.decision.belief import Belief
from hemlp.analysis.decision.models import decision_model
from hemlp.bounds import by_leaf, by_pair, priced
from hemlp.errors import InvalidOption
from hemlp.optimize.expressions import Expression
from hemlp.optimize.joint import JointModel
from hemlp.optimize.model import Model
from hemlp.optimize.side_constraints import ChangedModel
from hemlp.problems.decision.model import DecisionModel
from hemlp.problems.pairing.circulation import Group, Role
from hemlp.solvers.greedy import GreedyModel
from hemlp.testing import random_instances
from tests.formulas import Meaning, said, written

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])


def over(**indices):
    """All values of some indices: {i: ..., j: ...}."""
    return [dict(zip(indices, values, strict=True)) for values in itertools.product(*indices.values())]


def uses(formula, index):
    """Whether a variable has this index."""
    return any(index in below for below in re.findall(r"_(?:\{([^{}]*)\}|\w)", formula) + re.findall(r"_(\w)", formula))


def pairs_meaning(model, of):
    """What Problem 1 and transport share: classes, pairs and their sums. ``of``: numbers and variables of a model."""
    m, n = (side.classes.size for side in model.batch.sides)
    i, j, k = range(m), range(n), range(9)
    every, indices = over(i=i, j=j, k=k), {"i": i, "j": j, "k": k}
    sets = {
        "i": lambda env: over(i=i), "j": lambda env: over(j=j), "i,j": lambda env: over(i=i, j=j),
        "k": lambda env: over(k=k), "i,k": lambda env: over(i=i, k=k), "j,k": lambda env: over(j=j, k=k),
        "i,j,k": lambda env: every,
    }  # fmt: skip
    holds = {
        "for each predicted class i": lambda _: over(i=i), "for each true class j": lambda _: over(j=j),
        "integers": lambda formula: over(**{name: of for name, of in indices.items() if uses(formula, name)}),
        "": lambda _: [{}],
    }  # fmt: skip
    numbers, variable, more_sets, more_holds = of
    return Meaning(variable, numbers, sets | more_sets, holds | more_holds)


def pairing_meaning(model):
    predicted, true = model.halves
    width = true.lower.size

    def variable(letter, above, at, env):
        if letter == "x":
            k = at[0] * width + at[1]
            return f"x_{at[0]}_{at[1]}" if np.isfinite(model.kappa[k]) and model.serves[k] else None
        half = {"u": predicted, "v": true}[letter]
        return f"{letter}_{at[0]}" if np.isfinite(half.default[at[0]]) else None

    def near(side):
        def found(env):
            mine = "ij"[side]
            others = over(**{"ji"[side]: range(true.lower.size if side == 0 else predicted.lower.size)})
            place = ((env | more)["i"] * width + (env | more)["j"] for more in others)
            assert mine in env
            return [more for more, k in zip(others, place, strict=True) if model.serves[k] >> side & 1]

        return found

    numbers = {r"\kappa": lambda i, j: model.kappa[i * width + j] if np.isfinite(model.kappa[i * width + j]) else 0}
    for half, index in zip(model.halves, "ij", strict=True):
        of = {"d": half.default, r"\alpha": half.lower, r"\beta": half.upper}
        numbers |= {f"{letter}_{index}": lambda i, values=values: values[i] for letter, values in of.items()}
    return pairs_meaning(model, (numbers, variable, {r"j \in B_i": near(0), r"i \in B_j": near(1)}, {}))


def transport_meaning(model):
    width = model.batch.true.classes.size
    numbers = {
        r"\kappa": lambda i, j: model.kappa[i * width + j] if np.isfinite(model.kappa[i * width + j]) else 0,
        "a": lambda i: model.halves[0].lower[i], "b": lambda j: model.halves[1].lower[j],
        "c": lambda i, j: min(model.halves[0].lower[i], model.halves[1].lower[j]),
    }  # fmt: skip

    def variable(letter, above, at, env):
        assert letter == "x"
        return f"x_{at[0]}_{at[1]}" if np.isfinite(model.kappa[at[0] * width + at[1]]) else None

    return pairs_meaning(model, (numbers, variable, {}, {}))


def any_pairing_meaning(model):
    if model.units is not None:
        return transport_meaning(model)
    return pairing_meaning(model) if model.arcs is None else flow_meaning(model)


PLACES = {"p": Group.PREDICTED, "t": Group.TRUE, "DT": Group.DEFAULT_TRUE, "DP": Group.DEFAULT_PRED, "x": Group.TOTAL}
PARTS = {"s": (Role.BELOW, "missing"), "o": (Role.ABOVE, "beyond"), "n": (Role.EACH, "unit")}


def flow_meaning(model):
    arcs = model.arcs
    columns = (arcs.group, arcs.role, arcs.first, arcs.second, arcs.number)
    at = {key: a for a, key in enumerate(zip(*(column.tolist() for column in columns), strict=True))}

    def arc(letter, above, places):
        """Which arc a letter is about; -1 without one."""
        if letter == "x":
            i, j, *k = places
            return at.get((Group.PAIR, Role.ITSELF, i, j, *(k or [0])), -1)
        if letter in "uv":
            place, ends = (
                (Group.TO_DEFAULT, (places[0], -1)) if letter == "u" else (Group.FROM_DEFAULT, (-1, places[0]))
            )
            return at.get((place, Role.ITSELF, *ends, 0), -1)
        *index, number = places if letter == "n" else (*places, 0)
        ends = {"p": (*index, -1), "t": (-1, *index)}.get(above, (-1, -1))
        return at.get((PLACES[above], Role.ITSELF if letter == "place" else PARTS[letter][0], *ends, number), -1)

    def variable(letter, above, places, env):
        if arc(letter, above, places) < 0:
            return None
        if letter in "xuv":
            *ends, number = places if len(places) == 3 else (*places, 0)
            return "_".join([letter, *map(str, ends), *([f"time{number + 1}"] if number else [])])
        word = PARTS[letter][1]
        *index, number = places if letter == "n" else (*places, None)
        head = "total" if above == "x" else above
        return "_".join([head, *map(str, index), word if number is None else f"{word}{number + 1}"])

    def data(column, letter, above):
        return lambda *places: column[a] if (a := arc(letter, above, places)) >= 0 else 0

    numbers = {r"\kappa": data(arcs.cost, "x", ""), "l": data(arcs.lower, "x", ""), "c": data(arcs.upper, "x", "")}
    numbers |= {"d_i": data(arcs.cost, "u", ""), "d_j": data(arcs.cost, "v", "")}
    for letter, index in (("p", "i"), ("t", "j")):
        numbers |= {
            rf"\alpha_{index}": data(arcs.lower, "place", letter),
            rf"\beta_{index}": data(arcs.upper, "place", letter),
        }
    for letter, place in PLACES.items():
        numbers |= {rf"\pi^{kind}{letter}": data(arcs.cost, kind, letter) for kind in "so"}
        numbers |= {f"M^{letter}": data(arcs.upper, "o", letter), f"N^{letter}": data(arcs.upper, "n", letter)}
        of = {k: c for p, r, _, _, k, c in zip(*columns, arcs.cost, strict=True) if (p, r) == (place, Role.EACH)}
        numbers |= {f"c^{letter}": data(arcs.cost, "n", letter), f"c^{letter}_k": lambda k, of=of: of.get(k, 0)}
    classes = [range(side.classes.size) for side in model.batch.sides]
    counted = [[c for c in of if arc("n", letter, (c, 0)) >= 0] for letter, of in zip("pt", classes, strict=True)]
    holds = {f"{who} whose units have costs": lambda _, index=index, of=of: over(**{index: of}) for who, index, of in (
        ("for each predicted class i", "i", counted[0]), ("for each true class j", "j", counted[1]))}  # fmt: skip
    places = ("the default true class takes", "the default predicted class takes")
    holds |= dict.fromkeys((*(f"what {who}" for who in places), "how many pairs there are"), lambda _: [{}])
    return pairs_meaning(model, (numbers, variable, {}, holds))


def closure_meaning(model):
    h, top = model.batch.hierarchy, object()
    sides = [[h.labels[c] for c in side[0]] for side in model.batch.sides]
    implied = {"up": h.parents, "down": h.children, "none": lambda c: ()}[model.direction]

    def reached(c):
        """What a class implies, and in how many steps."""
        found, border, step = {c: 0}, [c], 1
        while border and (model.horizon is None or step < model.horizon):
            border = [a for a in dict.fromkeys(a for b in border for a in implied(b)) if a not in found]
            found |= dict.fromkeys(border, step)
            step += 1
        return found

    nodes = sorted({a for side in sides for c in side for a in reached(c)}, key=h.labels.index)
    place = {c: k for k, c in enumerate([*nodes, *([top] if model.has_top else [])])}

    def variable(letter, above, at, env):
        side = env["side"] if letter in "zk" else 1 - env["side"]
        return f"{letter[0]}_{'pt'[side]}_{place[top if at[0] == chr(92) + 'top' else at[0]]}"

    both = [{"side": side} for side in (0, 1)]

    def each(classes):
        return lambda *env: [{**side, "c": c} for side in both for c in classes(side["side"])]

    every, own = each(lambda side: list(place)), each(lambda side: sides[side])
    arrows = lambda *_: [{**env, "a": a} for env in every() if env["c"] is not top for a in implied(env["c"])]  # noqa: E731
    seen = lambda *_: [{**env, "a": a} for env in own() for a in reached(env["c"]) if a != env["c"]]  # noqa: E731
    holds = {
        "for each class c of the side": own, "": every, "for each class c and each parent a of it": arrows,
        "for each class c and each child a of it": arrows, "what stays was there": every,
        "unless c has no parents": lambda _: [env for env in every() if h.parents(env["c"])],
        f"for each class c of the side and each ancestor a fewer than {model.horizon} levels up": seen,
    }  # fmt: skip
    parents = lambda env: [{"a": a} for a in h.parents(env["c"])]  # noqa: E731
    return Meaning(variable, {"n": lambda: 2 * len(place)}, {"c": every, r"a \in Pa(c)": parents}, holds)


def lca_meaning(model):
    instance, extended = model.facts[0], not isinstance(model, type(measure("F_LCA").model(H, [], [])))
    links = instance.links
    nodes = [sorted({int(v) for link in links[side] for v in link.nodes}) for side in (0, 1)]
    nodes = [sorted(side) for side in instance.extended] if extended else nodes
    common = sorted(set(nodes[0]) & set(nodes[1]))
    lcas = list(instance.lcas)
    own = [{link.lca for link in links[side] if link.own} for side in (0, 1)]

    def variable(letter, above, at, env):
        if letter in "pts":
            of = common if letter == "s" else nodes[side := env.get("side", "pt".index(letter))]
            word = letter if letter == "s" else "pt"[side]
            return f"{word}_{of.index(at[0])}" if at[0] in of else None
        if letter in ("d", "b"):
            return {"d+": "more_p", "d-": "more_t", "b": "less_p"}[letter + above]
        if letter == "z":
            return f"z_{lcas.index(at[0])}"
        side = "pt"[env["side"]]
        if letter == "o":
            return f"o_{side}_{lcas.index(at[0])}" if at[0] in own[env["side"]] else None
        return "_".join([letter, side, *map(str, at)])

    every = [
        {"side": side, "k": k, "c": link.label, "a": link.lca, "link": link}
        for side in (0, 1) for k, link in enumerate(links[side])
    ]  # fmt: skip
    linked = [env for env in every if env["c"] != env["a"]]
    ends = [{**env, "v": v} for env in every for v in {env["c"], env["a"]}]
    between = [{**env, "v": int(v)} for env in every for v in env["link"].nodes if int(v) not in (env["c"], env["a"])]
    classes = [{"side": side, "c": c} for side in (0, 1) for c in instance.classes[side]]
    sided = " (true side: t)"

    def of(test):
        """Links of the side that pass a test."""
        return lambda env: [env | one for one in every if one["side"] == env["side"] and test(one, env)]

    def edges(end, at):
        return lambda env: [{"e": e} for e, edge in enumerate(env["link"].edges) if edge[end] == env[at]]

    sets = {
        "a": lambda env: over(a=lcas), "v": lambda env: over(v=sorted({*nodes[0], *nodes[1]})),
        r"a \in L(c)": lambda env: over(a=instance.own_lcas[env["side"], env["c"]]),
        r"k \in D(v)": of(lambda one, env: env["v"] in (one["c"], one["a"])),
        r"k \in W(v)": lambda env: [one for one in between if (one["side"], one["v"]) == (env["side"], env["v"])],
        r"k \in K(c)": of(lambda one, env: one["link"].own and one["c"] == env["c"]),
        r"k \in O(a)": of(lambda one, env: one["link"].own and one["a"] == env["a"]),
        r"k \in X(a)": of(lambda one, env: not one["link"].own and one["a"] == env["a"]),
        r"e \in out_k(v)": edges(0, "v"), r"e \in in_k(v)": edges(1, "v"),
        r"e \in out_k(c)": edges(0, "c"), r"e \in in_k(a)": edges(1, "a"),
    }  # fmt: skip
    holds = {
        "for each class c of both sides, unless a side is empty": classes if all(instance.classes) else [],
        "for each LCA a": over(a=lcas), "for each LCA a, integers": over(a=lcas),
        f"for each link k and v its class or its LCA{sided}": ends,
        f"for each link k and node v between{sided}": between,
        "for each link k and node v between": between, "for each link k = (c, a)": every,
        f"for each node v: it is in the graph only if a path goes through it{sided}":
            [{"side": side, "v": v} for side in (0, 1) for v in nodes[side]],
        "m: the optimum of the first stage": [{}], "for each class c: it is linked to an LCA of its own": classes,
        "for each LCA a and side: it serves a class as its own, or has one link": over(side=(0, 1), a=lcas),
        "for each link k = (c, a) to an LCA of its own": [env for env in every if env["link"].own],
        "for each LCA a that is some class's own": [{"side": side, "a": a} for side in (0, 1) for a in own[side]],
        "for each link k = (c, a) with c ≠ a: its path begins": linked,
        "for each link k = (c, a) with c ≠ a: its path ends": linked,
        "for each node v of both graphs": over(v=common), "": [{}], "F = g/h stays the best": [{}],
        "how different the graphs are in size": [{}], "whether the predicted graph is smaller": [{}], "integers": [{}],
        "for each node v of shortest paths of predicted links, integers": over(v=nodes[0]),
        "for each node v of shortest paths of true links, integers": over(v=nodes[1]),
        "for each node v of shortest paths of links of both sides, integers": over(v=common),
    }  # fmt: skip

    def all_of(letter):
        if letter in "pts":
            number = len(common if letter == "s" else nodes["pt".index(letter)])
            return [f"{letter}_{k}" for k in range(number)]
        if letter in "zo":
            names = [variable(letter, "", (a,), {"side": side}) for side in (0, 1) for a in lcas]
            return [name for name in names if name]
        if letter == "l":
            return [f"l_{'pt'[env['side']]}_{env['k']}" for env in every]
        return [f"f_{'pt'[env['side']]}_{env['k']}_{e}" for env in every for e, _ in enumerate(env["link"].edges)]

    found = model.solve().by_instance[0]
    sizes = len(found.nodes[0]) + len(found.nodes[1])
    numbers = {
        "m": lambda: found.lcas, "g": lambda: found.f.numerator, "h": lambda: found.f.denominator, "n": lambda: sizes,
    }  # fmt: skip
    return Meaning(variable, numbers, sets, {note: lambda _, envs=envs: envs for note, envs in holds.items()}, all_of)


MEANINGS = {
    "PairingModel": lambda model: any_pairing_meaning(model),
    "ClosureModel": closure_meaning, "TolerantModel": closure_meaning, "LcaModel": lca_meaning,
    "ExtendedModel": lca_meaning, "ChangedModel": lambda model: MEANINGS[type(model.base).__name__](model.base),
}  # fmt: skip


def programs(model):
    """(what it is, algebra, meaning, program) of each stage."""
    for stage in model.stages:
        of = model.parts[stage] if isinstance(model, JointModel) else model
        yield stage, model.algebra(stage), MEANINGS[type(of).__name__](of), model.stage(stage)


def random_weights(h):
    return {c: 0.25 * (1 + k % 3) for k, c in enumerate(h)}


def ruled(first, second, **rules):
    return PairMeasure("ruled", Bounds(first, second, **rules), default_cost=rules.pop("default_cost", 4))


SOFT = priced((1, 2), each=(0, 1.5), below=2, above=1)
MODELS = {
    **{name: lambda h, name=name: measure(name) for name in (
        "GIE", "MGIA", "SunLim", "MGIA(pairing='nearest')", "MGIA(max_distance=2)", "GIE(horizon=1)", "BMA",
        "transport", "F", "F_H", "F_H(top=True)", "F_H(horizon=2)", "F_De", "F_Tol", "F_LCA", "F_LCA(horizon=2)",
        "F_LCA(method='extended')",
    )},
    "uneven": lambda h: PairMeasure("uneven", Bounds((0, 2), by_leaf((1, 1), (0, ALL))),
                                    default_cost={c: None if k % 3 else k % 5 for k, c in enumerate(h)}),
    "weighed transport": lambda h: measure("transport", weights=random_weights(h)),
    "soft": lambda h: ruled(SOFT, priced((1, ALL), above=3), total=priced((1, 2), each=(0, 1), above=0.5)),
    "soft by class": lambda h: ruled(by_leaf(SOFT, (0, 1)), by_leaf((1, ALL), priced((2, 2), below=1))),
    "soft by level": lambda h: ruled(by_leaf(priced((1, 1), above=2), priced((0, 2), above=3)), by_leaf(
        priced((1, 2), each=(1, 2)), priced((1, ALL), each=(0, 3)))),
    "defaults": lambda h: ruled((1, 1), (1, 1), defaults=(
        priced((0, 1), above=1), priced((1, 3), each=(1, 2), below=1))),
    "several": lambda h: ruled((1, 3), (1, 3), pair=priced((0, 2), each=(0, 2))),
    "some several": lambda h: ruled((0, 3), (0, 3), pair=by_pair(
        lambda p, t: priced((0, 2), each=(0, 1)) if str(p) < str(t) else (0, 3))),
    "all": lambda h: ruled(SOFT, (0, 2), pair=(0, ALL), total=(1, ALL)),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_the_slide_is_the_program(name):
    seen = 0
    for h, true, pred in random_instances(12, seed=4):
        model = MODELS[name](h).model(h, true, pred)
        for stage, algebra, meaning, program in programs(model):
            assert said(algebra, meaning) == written(program), (stage, true, pred)
            seen += len(program.variables)
    assert seen > 20


@pytest.mark.parametrize("name", sorted(set(MODELS) - {"BMA"}))  # in which one side's bounds are no limits
def test_a_slide_without_one_of_its_lines_is_not_the_program(name):
    """So no line is for show, and the comparison sees each of them."""
    missed: dict[tuple[str, str, str], bool] = {}
    siblings = Hierarchy.from_edges([(1, 2), (1, 3), (2, 4), (3, 4), (2, 5), (3, 5)])  # both have two LCAs to choose
    for h, true, pred in [(siblings, [4], [5]), *random_instances(8, seed=12)]:
        if not true or not pred:
            continue
        for stage, algebra, meaning, program in programs(MODELS[name](h).model(h, true, pred)):
            for k, line in enumerate(algebra.lines):
                less = replace(algebra, lines=[*algebra.lines[:k], *algebra.lines[k + 1 :]])
                try:
                    differs = said(less, meaning) != written(program)
                except KeyError:  # a variable without a range
                    differs = True
                key = stage, line.rule, line.note
                missed[key] = missed.get(key, False) or differs
    assert all(missed.values()), missed


def with_positions(algebra, x):
    """Positions in place of the labels of rows that were added: of a predicted class, and of a true one."""
    lines = []
    for line in algebra.lines:
        formula = re.sub(
            r"x_\{\\text\{(\w+)\},\\text\{(\w+)\}\}",
            lambda pair: f"x_{{{x.predicted.index(pair[1])},{x.true.index(pair[2])}}}",
            line.formula,
        )
        lines.append(replace(line, formula=formula))
    return replace(algebra, lines=lines)


def test_rows_that_were_added_are_on_the_slide():
    model = measure("GIE").model(H, ["sheep", "cow"], ["cow", "bird"])
    for changed in (model, measure("transport").model(H, ["sheep", "cow"], ["cow", "bird", "mammal"])):
        added = changed.with_rows(
            Expression({"x_0_0": 1.0, "x_0_1": 2.0}).between(1, 2).named("budget"),
            Expression({"x_1_1": 1.0, "x_0_0": -1.0}) >= 0,
        )
        for _, algebra, meaning, program in programs(added):
            assert said(with_positions(algebra, added.x), meaning) == written(program)
            assert said(changed.algebra(), meaning) != written(program)


def test_every_kind_of_model_is_compared():
    kinds = {type(part).__name__ for h, true, pred in random_instances(2, seed=4) for name in MODELS
             for model in [MODELS[name](h).model(h, true, pred)]
             for part in (model.parts.values() if isinstance(model, JointModel) else [model])}  # fmt: skip
    assert kinds | {ChangedModel.__name__} == set(MEANINGS)
    ours = {kind.__name__ for kind in all_models(Model) if kind.__module__.startswith("hemlp.")}
    without_algebra = {"GraphModel", "JointModel", "PrefixModel", "ImpliedModel"}  # parts, closures, somebody's own
    without_algebra |= {kind.__name__ for kind in (DecisionModel, *all_models(DecisionModel), GreedyModel)}
    assert ours - without_algebra == set(MEANINGS)


def test_decisions_have_no_algebra_and_greedy_graphs_that_of_minimal_ones():
    decision = decision_model(measure("SDL"), Belief.systems({"A": [{"cow"}], "B": [{"sheep"}]}, {}).scenarios(H), 1)
    assert isinstance(decision, DecisionModel)
    with pytest.raises(InvalidOption, match="is not known as algebra"):
        decision.algebra()
    minimal = measure("F_LCA").model(H, ["cow"], ["bird"])
    greedy = measure("F_LCA", method="greedy").model(H, ["cow"], ["bird"])
    assert type(greedy) is GreedyModel
    for stage in minimal.stages:
        assert str(greedy.algebra(stage)) == str(minimal.algebra(stage))


def all_models(kind):
    return {each for child in kind.__subclasses__() for each in (child, *all_models(child))}
