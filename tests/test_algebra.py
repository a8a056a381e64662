"""Models as sums over classes, in text and LaTeX, with the paper's names of rules."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from hemlp import ALL, Bounds, Hierarchy, PairMeasure, measure
from hemlp.bounds import forbid, priced
from hemlp.cli.main import commands
from hemlp.errors import InvalidOption
from hemlp.optimize.exports import plain
from hemlp.optimize.expressions import Expression
from hemlp.optimize.model import Model

H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
NAMES = [
    "TIE", "GIE", "MGIA", "MGIA(pairing='nearest')", "SunLim", "transport", "F_H", "F_H(horizon=2)", "F_De", "F_Tol",
    "F", "F_LCA", "F_LCA(method='extended')", "F_LCA(method='greedy')",
]  # fmt: skip


def model(what, true=("sheep", "bird"), pred=("cow",)):
    return (measure(what) if isinstance(what, str) else what).model(H, list(true), list(pred))


def lines(what, **sides):
    return str(model(what, **sides).algebra()).splitlines()


def test_bounds_and_defaults_are_those_of_the_model():
    assert lines("MGIA")[:5] == [
        "min  Σ_i,j κ_ij x_ij + 5 Σ_i u_i + 5 Σ_j v_j",
        "s.t.",
        "(ii)   1 ≤ Σ_j x_ij + u_i ≤ 2    for each predicted class i",
        "(iii)  Σ_i x_ij + v_j = 1    for each true class j",
        "(i)    x_ij ∈ {0, 1}, 0 ≤ u_i ≤ 2, 0 ≤ v_j ≤ 1    integers",
    ]
    assert lines("SunLim")[0] == "min  Σ_i,j κ_ij x_ij"  # no default class, no u and v
    by_class = {"animal": 1, "mammal": 1, "cow": 1, "sheep": 1, "bird": 2}
    uneven = PairMeasure("uneven", Bounds((0, 1), (by_class, ALL)), default_cost=dict.fromkeys(H, 2) | {"bird": 3})
    assert lines(uneven)[0] == "min  Σ_i,j κ_ij x_ij + 2 Σ_i u_i + Σ_j d_j v_j"
    assert "(iii)  α_j ≤ Σ_i x_ij + v_j ≤ β_j    for each true class j" in lines(uneven)


def test_rules_are_lines():
    bounds = Bounds(
        priced((1, 1), below=2, above=1), priced((1, ALL), each=(0, 1)), total=(0, 2), defaults=((0, 1), (0, ALL))
    )
    found = lines(PairMeasure("ruled", bounds, default_cost=5), pred=("cow", "mammal"))
    assert found[0] == ("min  Σ_i,j κ_ij x_ij + 5 Σ_i u_i + 5 Σ_j v_j + 2 Σ_i s^p_i + Σ_i o^p_i + Σ_j,k c^t_k n^t_jk")
    for text in (
        "(ii)     Σ_j x_ij + u_i + s^p_i - o^p_i = 1    for each predicted class i",
        "(iii)    Σ_i x_ij + v_j = Σ_k n^t_jk    for each true class j",
        "(DT)     0 ≤ Σ_i u_i ≤ 1    what the default true class takes",
        "(total)  0 ≤ Σ_i,j x_ij ≤ 2    how many pairs there are",
    ):
        assert text in found
    assert not any(line.startswith("(DP)") for line in found)
    twice = PairMeasure("twice", Bounds((1, 2), (1, 2), pair=priced((0, 2), each=(0, 1))), default_cost=5)
    assert lines(twice)[0].startswith("min  Σ_i,j,k κ_ijk x_ijk")
    several = PairMeasure("several", Bounds((1, 2), (1, 2), pair=(0, 2)), default_cost=5)
    assert any("0 ≤ x_ij ≤ 2" in line for line in lines(several))
    assert lines(PairMeasure("no", Bounds((1, 1), (1, 1), pair=forbid(("cow", "bird"))), default_cost=5)) == lines(
        "GIE"
    )


@pytest.mark.parametrize("name", NAMES)
def test_all_models_have_an_algebra(name):
    true, pred = (("sheep",), ("cow",)) if name == "TIE" else (("sheep", "bird"), ("cow",))
    for stage in (None, *model(name, true, pred).stages):
        algebra = model(name, true, pred).algebra(stage)
        text, tex = str(algebra), algebra.to_latex()
        assert text.split()[0] in ("min", "max")
        assert not re.search(r"\\|\{(?!0, 1\}|[a-z] ∈)", text), text  # nothing of LaTeX is left
        assert tex.startswith("\\begin{aligned}\n\\m")
        assert tex.count("{") == tex.count("}")


def test_stages_and_parts():
    rules = dict.fromkeys(line.rule for line in model("F_LCA").algebra("ratio").lines)
    assert list(rules)[:5] == ["i", "ii", "iii", "iv", "v"]
    with pytest.raises(InvalidOption, match="there is no stage 'x'"):
        model("F_LCA").algebra("x")
    with pytest.raises(InvalidOption, match="this model is one program"):
        model("GIE").algebra("lcas")
    assert "Σ_i x_ij = 1" in str(model("BMA").algebra("true"))
    with pytest.raises(InvalidOption, match="choose stage='predicted' for that part, or stage='true'"):
        model("BMA").algebra()
    changed = model("GIE").with_rows(Expression({"x_0_0": 1.0, "u_0": 2.0}) <= 1).algebra()
    assert str(changed).splitlines()[5] == "(added)  x_cow,bird + 2 u_cow ≤ 1"
    assert r"\text{(added)}\quad x_{\text{cow},\text{bird}} + 2 u_{\text{cow}} \le 1" in changed.to_latex()


def test_a_staged_model_names_its_stages():
    for name, stages in (("GIE", ("program",)), ("F_LCA", ("lcas", "ratio", "ties")), ("BMA", ("predicted", "true")),
                         ("F_LCA(method='extended')", ("lcas", "ratio", "ties"))):  # fmt: skip
        staged = model(name)
        assert staged.stages == stages
        for stage in stages if len(stages) > 1 else ():
            others = [other for other in stages if other != stage]
            for text in (
                str(staged.algebra(stage)), staged.algebra(stage).to_latex(), staged.to_lp(stage), staged.to_mps(stage),
                staged.to_opb(stage) if name != "BMA" else staged.to_lp(stage), staged.stage_words(stage),
            ):  # fmt: skip
                said = text.replace("\n\\ ", " ").replace("\n* ", " ")
                assert re.search(rf"(stage|\}}\$?): {stage}; |stage {stage}; ", said), text
                assert " and ".join(others) in said, text
    assert str(model("F_LCA")).startswith("stage lcas; the others are ratio and ties\nminimize")
    assert str(model("BMA")).startswith("all stages side by side: predicted and true\nminimize")
    assert "all stages side by side: predicted and true" in model("BMA").to_lp()
    assert str(model("GIE")).startswith("minimize")
    assert model("GIE").to_lp("program") == model("GIE").to_lp()


def test_a_model_of_ones_own_may_have_none():
    class Own(type(model("GIE"))):  # type: ignore[misc]
        algebra = Model.algebra

    gie = model("GIE")
    own = Own(gie.title, gie.batch, gie.pairs, gie.kappa, gie.serves, gie.halves)
    with pytest.raises(InvalidOption, match="Own is not known as algebra"):
        own.algebra()


def test_rows_of_the_graphs_say_their_rule():
    program = model("F_LCA").stage("ratio")
    rules = {row.name.partition("_")[0] for row in program.rows}
    assert rules == {"i", "ii", "iii", "iv", "v", "r"}
    notes = {row.name.partition("_")[0]: row.note for row in program.rows}
    assert notes["i"].endswith("is in its graph")
    assert notes["iv"].endswith("is linked")
    assert {row.name.partition("_")[0] for row in model("F_LCA").stage("lcas").rows} == {"ii"}


def test_signs():
    assert plain(r"\sum_{j \in B_i} x_{ij} \le \beta") == "Σ_{j ∈ B_i} x_ij ≤ β"


def test_the_command_line(tmp_path):
    for name, text in (("h", "animal sheep\nanimal cow\n"), ("gold", "sheep\n"), ("pred", "cow\n")):
        (tmp_path / f"{name}.txt").write_text(text)
    files = [str(tmp_path / f"{name}.txt") for name in ("h", "gold", "pred")]

    def run(*options):
        return CliRunner().invoke(commands, ["model", *files, *options])

    assert run("--algebra").output.startswith("min  Σ_i,j κ_ij x_ij + 5 Σ_i u_i")
    assert run("--latex").output.startswith("\\begin{aligned}")
    assert run("-m", "F_LCA", "--stage", "ratio", "--algebra").output.startswith("max")
    assert "exclude each other: give one of them" in str(run("--latex", "--mps").exception)
