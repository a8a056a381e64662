"""Files for those who join, build and ship: they can be read, fit each other, and name nothing that is not there."""

from __future__ import annotations

import importlib.util
import os
import re
import runpy
import subprocess
import sys
import tomllib

import pytest
import yaml

import hemlp
from tests.processes import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PYTHONS = [found.group(1) for each in PROJECT["classifiers"] if (found := re.fullmatch(r".*Python :: (3\.\d+)", each))]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("flow", FLOWS, ids=lambda path: path.stem)
def test_workflows_are_well_formed(flow):
    jobs = yaml.safe_load(flow.read_text(encoding="utf-8"))["jobs"]
    for job in jobs.values():
        assert job["runs-on"]
        assert all(("uses" in step) != ("run" in step) for step in job["steps"])
        assert set(job.get("needs", ())) <= jobs.keys()
        for step in job["steps"]:
            for path in re.findall(r"\b(?:tests|\.github|scripts|docs)/[\w./]+\.(?:py|sh|txt)\b", step.get("run", "")):
                assert (ROOT / path).exists(), path


def test_all_systems_and_pythons_are_tested():
    jobs = yaml.safe_load(text(".github/workflows/tests.yml"))["jobs"]
    matrix = jobs["newest"]["strategy"]["matrix"]
    assert [name.split("-")[0] for name in matrix["os"]] == ["ubuntu", "macos", "windows"]
    assert matrix["python"] == PYTHONS == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    wheels = tomllib.loads(text("pyproject.toml"))["tool"]["cibuildwheel"]["build"]
    assert wheels == [f"cp{version.replace('.', '')}-*" for version in PYTHONS]


def test_the_oldest_versions_are_those_of_the_project():
    spec = importlib.util.spec_from_file_location("oldest", ROOT / ".github" / "oldest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    lines = module.oldest(text("pyproject.toml"))
    assert "scipy==1.15.*" in lines
    assert "dask==2024.1.*" in lines
    assert len(lines) > len(PROJECT["dependencies"])
    assert all(re.fullmatch(r"[\w-]+==[\d.]+\.\*", line) for line in lines)


def test_the_conda_recipe_needs_what_the_package_needs():
    plain = re.sub(r"\{\{ (\w+)\(\"c\"\) \}\}", r"\1-c", text("conda/meta.yaml"))
    plain = (
        re.sub(r"\{% set version = \"(.*?)\" %\}", "", plain)
        .replace("{{ version }}", "0")
        .replace("{{ PYTHON }}", "python")
    )
    recipe = yaml.safe_load(plain)
    names = {"ortools-python": "ortools"}
    run = [each.split(" ") for each in recipe["requirements"]["run"] if each != "python"]
    assert sorted(f"{names.get(name, name)}{limits}" for name, limits in run) == sorted(PROJECT["dependencies"])
    assert f'version = "{hemlp.__version__}"' in text("conda/meta.yaml")


def test_the_image_is_small_and_runs_as_nobody_special():
    stages = re.findall(r"^FROM (\S+)", text("Dockerfile"), re.M)
    assert len(stages) == 2
    assert all(stage.endswith("-slim") for stage in stages)
    last = text("Dockerfile").rpartition("FROM")[2]
    assert re.search(r"^USER hemlp$", last, re.M)
    assert "gcc" not in last
    kept = {line[1:] for line in text(".dockerignore").splitlines() if line.startswith("!")}
    assert {"hemlp", "LICENSE", "README.md", "pyproject.toml", "setup.py"} == kept
    (extras,) = re.findall(r"ARG EXTRAS=(\S+)", text("Dockerfile"))
    assert set(extras.split(",")) <= PROJECT["optional-dependencies"].keys()


def test_issue_forms_ask_and_pre_commit_checks():
    forms = [path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config"]
    assert len(forms) == 3
    for path in forms:
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert {"name", "description", "body"} <= form.keys()
        assert any(field.get("validations", {}).get("required") for field in form["body"])
    hooks = [hook["id"] for repo in yaml.safe_load(text(".pre-commit-config.yaml"))["repos"] for hook in repo["hooks"]]
    assert {"ruff-format", "ruff-check", "mypy"} <= set(hooks)


def test_versions_agree():
    assert yaml.safe_load(text("CITATION.cff"))["version"] == hemlp.__version__
    assert f"version = {{{hemlp.__version__}}}" in text("docs/citing.md")
    release = hemlp.__version__.partition(".dev")[0]
    assert re.search(rf"^## {re.escape(release)}", text("CHANGELOG.md"), re.M)


def test_the_example_of_the_form_for_wrong_numbers_runs(capsys):
    form = yaml.safe_load(text(".github/ISSUE_TEMPLATE/wrong-number.yml"))
    exec(form["body"][0]["attributes"]["value"], {})
    assert capsys.readouterr().out == "0.5\n"


def test_the_stages_of_long_tests_are_documented():
    done = subprocess.run(
        [sys.executable, "scripts/long.py", "nothing"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    stages = done.stderr.strip().rpartition(": ")[2].split(", ")
    assert len(stages) == 6
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert all(f"`{stage}`" in guide for stage in stages)


def test_a_flavour_of_the_kernels_that_is_none_is_refused():
    done = subprocess.run(
        [sys.executable, "setup.py", "--version"],
        cwd=ROOT, env={**os.environ, "HEMLP_BUILD": "bound"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "HEMLP_BUILD is 'bound', and not one of bounds, asan, ubsan" in done.stderr


def test_planted_faults_are_faults_of_the_code_as_it_is():
    """What ``scripts/bench/mutate.py`` changes stands once in its file, and the tests that have to notice exist."""
    named = runpy.run_path(str(ROOT / "scripts" / "bench" / "faults.py"))
    for fault in named["FAULTS"]:
        assert text(f"hemlp/{fault.file}").count(fault.old) == 1, fault
    asked = [*named["TESTS"].values(), *(fault.tests for fault in named["FAULTS"])]
    assert [name for names in asked for name in names.split() if not (ROOT / f"tests/test_{name}.py").exists()] == []
    assert [part for part in named["TESTS"] if not (ROOT / "hemlp" / part).exists()] == []
