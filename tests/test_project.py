"""The project as its users meet it: imports, start-up, compiled code, documentation."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import pytest

import hemlp
from hemlp.measures.catalogue import NAMED
from hemlp.paper import rankings
from tests.processes import FILES

ROOT = Path(__file__).parent.parent


FENCED = r"^ *```python\n(.*?)^ *```"


def blocks(page: Path) -> str:
    found = re.findall(FENCED, page.read_text(encoding="utf-8"), re.M | re.S)
    return "\n".join(map(dedent, found))


PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))] if blocks(page)]


def python(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **env}, capture_output=True, text=True, check=False
    )


COMMANDS = {
    "import": None,
    "help": ["--help"],
    "evaluate": ["evaluate", *FILES],
    "json": ["evaluate", *FILES, "-m", "F_H", "--json", "-"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_start_up_loads_nothing_heavy(command):
    """Neither solvers nor what draws; nothing of hemlp that explains or reports, and no Cython."""
    heavy = {"networkx", "pulp", "ortools", "matplotlib", "scipy", "pandas", "polars", "sklearn", "dask", "rich"}
    heavy |= {"Cython", "hemlp.examples", "hemlp.metrics", "hemlp.analysis.explain", "hemlp.report.page", "tomllib"}
    call = f"hemlp.cli.main.commands({COMMANDS[command]!r}, standalone_mode=False)" if COMMANDS[command] else "None"
    result = python(f"import sys, hemlp.cli.main; {call}; print(sorted({heavy!r} & set(sys.modules)))")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "[]"


def test_names_of_hemlp_that_are_loaded_late():
    code = "import hemlp; print([name for name in hemlp.__all__ if name not in dir(hemlp) or not hasattr(hemlp, name)])"
    assert python(code).stdout == "[]\n"
    with pytest.raises(AttributeError, match="module 'hemlp' has no attribute 'nothing'"):
        hemlp.nothing  # noqa: B018


PROMISED = """
ALL Batch Bounds Evaluation HemlpError Hierarchy JiangConrath LabelSets LcaHeight Lin Measure PairMeasure PairScore
Resnik Score ScoredSets Scores SetMeasure ShortestPath Status WuPalmer cafa compare_exact_greedy curve errors evaluate
examples information_accretion information_content measure metrics priced read_hierarchy read_labels read_scores
solvers stats testing tune
"""
"""Names that hemlp has for good, listed or not."""


def test_promised_names_are_there_without_a_warning():
    code = f"import hemlp; print([name for name in {PROMISED.split()!r} if not hasattr(hemlp, name)])"
    said = python("import warnings; warnings.simplefilter('error'); " + code)
    assert said.stdout == "[]\n", said.stderr


def test_few_names_are_listed():
    assert len(hemlp.__all__) == len(set(hemlp.__all__)) <= 60
    assert not set(hemlp.__all__) & {
        name for table in (hemlp.ALSO, hemlp.MOVED, hemlp.FORMER) for names in table.values() for name in names.split()
    }


def test_names_that_have_moved_are_found_with_a_warning():
    for module, names in hemlp.MOVED.items():
        for name in names.split():
            with pytest.warns(
                DeprecationWarning, match=f"^hemlp.{name} is in hemlp.{module}: from hemlp.{module} import"
            ):
                found = getattr(hemlp, name)
            assert found is getattr(getattr(hemlp, module), name)
            assert name in getattr(hemlp, module).__all__
    for module, names in hemlp.ALSO.items():
        home = import_module(f"hemlp.{module}")
        assert set(names.split()) <= set(getattr(home, "__all__", dir(home)))


def test_modules_of_hemlp_are_there_before_anything_loads_them():
    code = "import hemlp; print(hemlp.testing.check_solver.__name__, hemlp.measures.__name__, hasattr(hemlp, '_none'))"
    assert python(code).stdout == "check_solver hemlp.measures False\n"


@pytest.mark.parametrize(
    "call",
    [
        "Hierarchy.of('h.txt')",
        "LabelSets.of('y.txt')",
        "evaluate('h.txt', 'y.txt', {'A': 'y.txt'}, ['F_H'])",
        "evaluate('h.txt', ['b'], {'A': ['b']}, ['F_H'])",
        "metrics.Metric('F_H', hierarchy='h.txt')",
    ],
)
def test_files_are_read_by_whatever_is_called_first(call, tmp_path):
    (tmp_path / "h.txt").write_text("a b\na c\n")
    (tmp_path / "y.txt").write_text("b\n")
    done = python(f"import os, hemlp; os.chdir({str(tmp_path)!r}); hemlp.{call}")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_examples_of_the_documentation_run(page, tmp_path, monkeypatch):
    code = blocks(page)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(page), "exec"), {"__name__": "__docs__"})


def test_no_example_of_the_documentation_is_missed():
    """Each block that is marked as Python is found, also an indented one, and the pages that should have some do."""
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        marked = page.read_text(encoding="utf-8").count("```python")
        assert (page in PAGES) == (marked > 0)
        assert len(re.findall(FENCED, page.read_text(encoding="utf-8"), re.M | re.S)) == marked
    assert {"README.md", "tour.md", "new-measure.md", "cluster.md"} <= {page.name for page in PAGES}


def test_the_two_commands_stand_in_the_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "./scripts/demo" in text
    assert "./scripts/test" in text


def test_demo_runs(tmp_path):
    command = [sys.executable, "-m", "hemlp", "demo", "--out", str(tmp_path / "out")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "3,620 classes" in result.stdout
    assert "svm_ovr_freq60 is ahead of lexical_match by F, behind it by F_LCA" in result.stdout
    assert "Botulinum Antitoxin (D001904)" in result.stdout
    assert {"report.html", "evaluation.json", "table.md", "knn30.csv", "one_document.svg"} <= {
        file.name for file in (tmp_path / "out").iterdir()
    }
    assert "exact: 40 optimal" in result.stdout


def test_the_documentation_builds_without_warnings(tmp_path):
    """From a copy; examples on the pages of measures run, too, and formulas need no network."""
    docs = tmp_path / "docs"
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns("_build"))
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-b",
        "html",
        str(docs),
        str(tmp_path / "out"),
    ]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    pages = sorted((docs / "measures").glob("*.md"))
    assert {page.stem for page in pages} == {*NAMED, "index"}
    for page in pages:
        exec(compile(blocks(page), str(page), "exec"), {"__name__": "__docs__"})
        if page.stem != "index":
            assert (docs / "measures" / f"{page.stem}.svg").exists()
    made = [page.read_text(encoding="utf-8") for page in (tmp_path / "out").rglob("*.html")]
    assert not [page for page in made if re.search(r'<(script|link|img)[^>]* (src|href)="(https?:)?//', page)]
    assert "<mfrac>" in (tmp_path / "out" / "measures" / "F_LCA.html").read_text(encoding="utf-8")
    assert (docs / "errata.md").read_text().count("| DBpedia Large, LSHTC2, maximum path 4 |") == 9


def test_the_papers_rankings():
    assert [table.agreements for table in rankings()] == [10, 7, 15, 6, 10, 9]
    script = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "paper_rankings.py")], capture_output=True, text=True, check=True
    )
    assert script.stdout.count("≠") == 90 - sum(table.agreements for table in rankings())


def test_the_performance_page_is_made_from_its_figures(tmp_path):
    """The page in docs is what the script makes of the figures beside it."""
    for name in ("docs", "scripts"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("_build", "*.pyc"))
    script = tmp_path / "scripts" / "performance_page.py"
    subprocess.run([sys.executable, str(script)], check=True)
    assert (tmp_path / "docs" / "performance.md").read_text() == (ROOT / "docs" / "performance.md").read_text()
