"""What is loaded when: a command loads what it needs, and what is loaded later is known by name from the start."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module

import click
import numpy as np
import pytest

from hemlp import Bounds, measure
from hemlp.cli.main import COMMANDS, commands
from hemlp.costs import Cost
from hemlp.errors import HemlpError, InvalidBounds, InvalidOption, NoSolver, UnknownMeasure
from hemlp.measures.catalogue import NAMED
from hemlp.measures.catalogue_entry import KINDS
from hemlp.problems.pairing.costs import COSTS, as_cost
from hemlp.solvers.registry import as_solver
from hemlp.text import notation


def python(code: str, *arguments: str) -> str:
    """What a new process prints."""
    run = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, env={**os.environ})
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_entries_of_the_catalogue_define_what_they_are_called():
    for name, named in NAMED.items():
        kind, (called, *_), _ = notation.parse_call(named.measure)
        assert called == named.template.name == name
        assert kind == named.kind == type(named.template).__name__ in KINDS
        assert str(measure(named.measure.replace(f"'{name}'", "'mine'", 1))).startswith(f"{kind}('mine'")
        assert set(named.parameters) == set(named.template.parameters) >= named.about.keys() | named.needed.keys()
        assert not named.refused.keys() & set(named.parameters)


def test_names_are_known_before_anything_is_loaded():
    said = python(
        "import sys; from hemlp.measures.catalogue import NAMED\n"
        "print(len(NAMED), 'GIE' in NAMED, 'gie' in NAMED, 'hemlp.measures.pair_measure' in sys.modules)\n"
        "print(NAMED['GIE'].template, NAMED.get('gie'), 'hemlp.measures.pair_measure' in sys.modules)"
    )
    assert said.splitlines() == [f"{len(NAMED)} True False False", "GIE None True"]


def test_threads_may_ask_at_once():
    said = python(
        "import sys, threading; from hemlp.measures.catalogue import NAMED\n"
        "sys.setswitchinterval(1e-6)\n"
        "found, start = [], threading.Barrier(8)\n"
        "def ask(name): start.wait(); found.append(str(NAMED[name].template))\n"
        "asked = ['GIE', 'MGIA', 'F_H', 'BMA', 'matched_F', 'TIE', 'transport', 'distance']\n"
        "threads = [threading.Thread(target=ask, args=[name]) for name in asked]\n"
        "for each in threads: each.start()\n"
        "for each in threads: each.join()\n"
        "print(sorted(found) == sorted(asked))"
    )
    assert said == "True\n"


@pytest.mark.parametrize("taken", ["GIE", "BMA", "transport", "distance"])
def test_a_name_is_taken_before_its_module_is_loaded(taken):
    said = python(
        "import sys; from hemlp import SetMeasure\n"
        f"try: SetMeasure({taken!r}, 'none')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    assert said == f"InvalidOption {taken} is the name of another measure: choose another name\n"


@pytest.mark.parametrize(
    "text",
    [
        "PairMeasure('loose', bounds=Bounds(predicted=(1, 2), true=(1, ALL)), default_cost=5)",
        "PairMeasure('ruled', bounds=Bounds(predicted=(1, 1), true=by_leaf((1, 1), (0, ALL))), default_cost=5)",
        "TransportMeasure('moved', cost='shortest_path(weights=uniform)')",
        "NearestMeasure('near', cost='wu_palmer')",
        "MatchMeasure('best', cost='wu_palmer')",
        "SetMeasure('near', augment='ancestors', horizon=2)",
        "MGIA(cost='wu_palmer')",
        "distance(cost='lca_height')@3",
    ],
)
def test_texts_are_understood_by_a_process_that_has_loaded_nothing(text):
    made = str(measure(text))
    assert python("import sys; from hemlp import measure; print(measure(sys.argv[1]))", text) == f"{made}\n"


def test_words_of_texts_are_where_the_table_says():
    import_module("hemlp.measures.pair_measure")
    assert set(notation.PLACES) == set(notation.WORDS)
    for word, module in notation.PLACES.items():
        said = python(f"import {module}; from hemlp.text.notation import WORDS; print({word!r} in WORDS)")
        assert said == "True\n", word


def test_a_word_that_is_no_value_is_refused():
    with pytest.raises(UnknownMeasure, match="nothing is no value; a word goes in quotes: 'nothing'"):
        measure("F_H(horizon=nothing)")


def test_a_cost_of_your_own_cannot_take_the_name_of_a_similarity():
    said = python(
        "from hemlp.costs import Cost\n"
        "try:\n"
        "    class Mine(Cost):\n"
        "        name = 'wu_palmer'\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    assert said == "InvalidOption Mine: there is a cost 'wu_palmer' already; choose another name\n"
    assert issubclass(COSTS["wu_palmer"], Cost)
    with pytest.raises(InvalidOption, match="names are shortest_path, undirected, resnik, .*, wu_palmer"):
        as_cost("wupalmer")


def test_set_measures_are_evaluated_without_what_belongs_to_pairs(tmp_path, monkeypatch):
    (tmp_path / "h.txt").write_text("r A\nA x\nA y\nr B\n")
    (tmp_path / "g.txt").write_text("x\nB y\n")
    monkeypatch.chdir(tmp_path)
    said = python(
        "import sys; from hemlp.cli.main import commands\n"
        "commands(['evaluate', 'h.txt', 'g.txt', 'a=g.txt', '-m', 'F_H,F_LCA'], standalone_mode=False)\n"
        "print([name for name in sys.modules if name.startswith(('hemlp.problems.pairing', 'hemlp.measures.pair'))])"
    )
    assert said.splitlines()[-1] == "[]"


def test_every_command_is_called_as_the_table_says():
    for name, command in COMMANDS.items():
        assert command.name == name
    assert list(commands.list_commands(click.Context(commands))) == sorted(COMMANDS)
    assert commands.get_command(click.Context(commands), "evaluat") is None


def loaded_by(*arguments: str) -> set[str]:
    """The modules of NumPy and of the command line that a command loads."""
    code = (
        "import sys; from hemlp.cli.main import commands\n"
        "commands(sys.argv[1:], standalone_mode=False)\n"
        "print(*(name for name in sys.modules if name == 'numpy' or name.startswith('hemlp.cli.')))"
    )
    return set(python(code, *arguments).splitlines()[-1].split())


def test_what_is_not_run_is_not_loaded():
    assert loaded_by("--version") == {"hemlp.cli.main"}
    needed = {"main", "options", "analyses"}
    assert loaded_by("sensitivity", "--help") == {f"hemlp.cli.{name}" for name in needed}


def test_analyses_are_loaded_when_they_are_asked_for():
    said = python(
        "import sys, inspect, hemlp\n"
        "hemlp.evaluate, hemlp.Evaluation\n"
        "print([name for name in sys.modules if name.startswith(('hemlp.analysis', 'hemlp.report'))])\n"
        "hemlp.Evaluation.interval\n"
        "print('hemlp.analysis.statistics.intervals' in sys.modules, 'hemlp.analysis.diagnosis' in sys.modules)\n"
        "methods = inspect.getmembers(hemlp.Evaluation, inspect.isfunction)\n"
        "print(len([name for name, each in methods if list(inspect.signature(each).parameters)[0] == 'ev']))\n"
        "print([name for name, each in methods if not name.startswith('_') and not inspect.getdoc(each)])"
    )
    assert said.splitlines() == ["[]", "True False", "30", "[]"]


def test_usual_tables_are_made_without_what_is_for_others(tmp_path, monkeypatch):
    (tmp_path / "h.txt").write_text("r A\nA x\nA y\nr B\n")
    (tmp_path / "g.txt").write_text("x\nB y\n")
    monkeypatch.chdir(tmp_path)
    unused = {"numpy.ma", "logging", "concurrent.futures", "shutil", "html"}
    unused |= {
        "hemlp.optimize.exports",
        "hemlp.problems.pairing.flows",
        "hemlp.problems.pairing.similarities",
        "hemlp.analysis.statistics.comparisons",
    }
    said = python(
        "import sys; from hemlp.cli.main import commands\n"
        "commands(['evaluate', 'h.txt', 'g.txt', 'a=g.txt', '-m', 'GIE,F_LCA'], standalone_mode=False)\n"
        f"print(sorted({unused!r} & set(sys.modules)))"
    )
    assert "[1.0000, 1.0000]" in said
    assert said.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("GIE(default_cost=5, default_cost=6)", "default_cost is given twice"),
        ("PairMeasure('m', Bounds((1, 1), (1, 1), pair=(0, 1), pair=(0, 2)))", "pair is given twice"),
        ("PairMeasure('m', Bounds((1, 1), (1, 1), **{}))", r"\*\* is not understood"),
        ("GIE(default_cost=f(3))", r"f\(3\) is no value: write a number"),
        ("GIE(default_cost=1 + x)", r"1 \+ x is no value"),
        ("GIE(default_cost=lambda: 3)", "lambda: 3 is no value"),
        ("GIE(default_cost=[i for i in x])", "is no value"),
        ("GIE(default_cost=", "was never closed"),
    ],
)
def test_texts_that_are_none(text, words):
    """The same mistakes in texts of measures, of costs and of solvers, each called what it is."""
    with pytest.raises(UnknownMeasure, match=f"^cannot read the measure .*{words}") as found:
        measure(text)
    assert " object at 0x" not in str(found.value)
    assert "<unknown>" not in str(found.value)
    cost = text.replace("GIE(default_cost", "shortest_path(decay").replace("default_cost", "decay")
    with pytest.raises(InvalidOption, match="^cannot read the cost "):
        measure("GIE", cost=cost)
    with pytest.raises(NoSolver, match="^cannot read the solver "):
        as_solver(text.replace("GIE", "pulp"))


def test_truth_is_no_bound():
    for value in (True, False, np.True_, np.False_):
        for bounds in (
            {"predicted": (value, 1)}, {"true": (0, value)}, {"predicted": ({"a": value}, 1)}, {"pair": (value, 1)},
            {"total": (value, 3)}, {"defaults": (value, 2)},
        ):  # fmt: skip
            with pytest.raises(InvalidBounds, match="is not ALL or an integer"):
                Bounds(**{"predicted": (1, 1), "true": (1, 1), **bounds})
    for side in ("(False, 1)", "by_leaf((False, 1), (1, 1))"):
        text = f"PairMeasure('m', Bounds({side}, (1, 1)))"
        with pytest.raises(HemlpError, match="is not ALL or an integer"):
            measure(text)
