"""The recipes of the documentation, each run in a process of its own where its package is installed."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hemlp
from tests.test_project import ROOT, blocks

RECIPES = {page.stem: page for page in sorted((ROOT / "docs" / "recipes").glob("*.md"))}
COMPLETE = sorted(RECIPES.keys() - {"index", "dvc", "pytest", "promptfoo", "annif"})
"""Those that are programs as they stand."""


def packages(code: str) -> set[str]:
    """What a program imports at the top of its names, but for Python's own modules."""
    nodes = list(ast.walk(ast.parse(code)))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names} - set(sys.stdlib_module_names)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python in a folder, without network and without anything of the one who tests."""
    quiet = {"WANDB_SILENT": "true", "HF_HUB_OFFLINE": "1", "DVC_NO_ANALYTICS": "1", "MLFLOW_DISABLE_TELEMETRY": "true"}
    if importlib.util.find_spec("torch"):
        quiet["KERAS_BACKEND"] = "torch"
    path = os.pathsep.join([str(Path(hemlp.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    variables = {**os.environ, **quiet, "HOME": str(folder), "PYTHONPATH": path}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", COMPLETE)
def test_recipe(name, tmp_path):
    code = blocks(RECIPES[name])
    assert "assert " in code, "a recipe shows what comes out"
    missing = sorted(package for package in packages(code) if importlib.util.find_spec(package) is None)
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    (tmp_path / "recipe.py").write_text(code, encoding="utf-8")
    done = run(tmp_path, "recipe.py")
    assert done.returncode == 0, done.stderr[-3000:]


def test_every_recipe_stands_in_the_list():
    listed = set(re.findall(r"\]\(([\w-]+)\.md\)", RECIPES["index"].read_text(encoding="utf-8")))
    assert listed == RECIPES.keys() - {"index"}


@pytest.fixture
def versioned(tmp_path) -> Path:
    """The folder that the recipe for DVC speaks of."""
    (tmp_path / "taxonomy.txt").write_text("animal mammal\nmammal sheep\nmammal cow\n")
    (tmp_path / "gold.txt").write_text("sheep\ncow\n")
    (tmp_path / "predictions.txt").write_text("cow\ncow\n")
    (tmp_path / "evaluate.py").write_text(blocks(RECIPES["dvc"]), encoding="utf-8")
    (stages,) = re.findall(r"^```yaml\n(.*?)^```", RECIPES["dvc"].read_text(encoding="utf-8"), re.M | re.S)
    (tmp_path / "dvc.yaml").write_text(stages.replace("cmd: python", f"cmd: {sys.executable}"), encoding="utf-8")
    return tmp_path


def test_the_metrics_file_for_dvc(versioned):
    done = run(versioned, "evaluate.py")
    assert done.returncode == 0, done.stderr
    means = json.loads((versioned / "metrics.json").read_text())
    assert means == {"model": {"F_H": pytest.approx(0.8333333), "F_LCA": 0.75}}


def test_dvc_finds_the_metrics(versioned):
    pytest.importorskip("dvc", exc_type=ImportError)
    for command in (["init", "--no-scm", "-q"], ["repro", "-q"]):
        done = run(versioned, "-m", "dvc", *command)
        assert done.returncode == 0, done.stderr
    done = run(versioned, "-m", "dvc", "metrics", "show")
    shown = RECIPES["dvc"].read_text(encoding="utf-8").partition("dvc metrics show\n")[2].partition("```")[0]
    assert done.stdout.split() == shown.split()


@pytest.mark.parametrize("accepted", ["itself", "the truth"])
def test_the_recipe_for_pytest(accepted, tmp_path):
    """It passes against itself, and fails against a perfect system, with the table of what got worse."""
    data = hemlp.examples.mesh_mini()
    model = data.systems["knn30"] if accepted == "itself" else data.true
    stored = hemlp.evaluate(data.hierarchy, data.true, {"model": model}, ["F_H", "F_LCA"])
    (tmp_path / "tests").mkdir()
    stored.to_json(tmp_path / "tests" / "accepted.json")
    (tmp_path / "test_model.py").write_text(blocks(RECIPES["pytest"]), encoding="utf-8")
    done = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_model.py")
    if accepted == "itself":
        assert "2 passed" in done.stdout, done.stdout + done.stderr
    else:
        assert "1 failed, 1 passed" in done.stdout
        assert "worse" in done.stdout


def test_the_assertion_for_promptfoo():
    """With the variables of the test in YAML: half right, all right, and a category that is none."""
    names: dict = {}
    exec(blocks(RECIPES["promptfoo"]), names)
    (categories,) = re.findall(r"categories: (.*)}", RECIPES["promptfoo"].read_text(encoding="utf-8"))
    results = [
        names["get_assert"](output, {"vars": {"categories": categories}})
        for output in ("Rakes\n", "Pans\nRakes", "Axes")
    ]
    assert [(each["pass"], each["score"]) for each in results] == [(True, 0.75), (True, 1), (False, 0)]
    assert (
        results[2]["reason"]
        == "predicted Axes: no class of the hierarchy; missing Garden > Tools > Rakes, Kitchen > Pans"
    )
    assert json.loads(json.dumps(results)) == results


def test_the_recipe_for_annif(tmp_path):
    """A corpus, and what ``annif index`` 1.4.3 wrote for it; ``annif eval`` printed F1 score (doc avg) 0.6000."""
    address, names = "http://example.org/t/", ("rakes", "spades", "pots")
    concepts = [f'<{address}{name}> a skos:Concept ; skos:prefLabel "{name}"@en' for name in ("tools", *names)]
    broader = ["", *[f" ; skos:broader <{address}tools>"] * 2, ""]
    (tmp_path / "thesaurus.ttl").write_text(
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        + "".join(f"{one}{above} .\n" for one, above in zip(concepts, broader, strict=True))
    )
    true = [["rakes"], ["spades", "rakes"], ["pots"]]
    texts = ["leaf rakes for autumn gardens", "spades and rakes compared in gardens", "clay pots for gardens"]
    lines = [f"{text}\t{' '.join(f'<{address}{c}>' for c in of)}" for text, of in zip(texts, true, strict=True)]
    (tmp_path / "titles.tsv").write_text("\n".join(lines) + "\n")
    scores = [(0.835, 0.317, 0.309), (0.786, 1.0, 0.138), (0.281, 0.138, 1.0)]
    with (tmp_path / "titles.annif.jsonl").open("w") as file:
        for text, of in zip(texts, scores, strict=True):
            found = [{"uri": address + c, "label": c, "score": score} for c, score in zip(names, of, strict=True)]
            file.write(json.dumps({"text": text, "results": found}) + "\n")
    (tmp_path / "recipe.py").write_text(blocks(RECIPES["annif"]) + 'print("F", ev.mean("first 10", "F"))\n')
    done = run(tmp_path, "recipe.py")
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.split()[-1]) == pytest.approx(0.6)
