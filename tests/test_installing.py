"""hemlp as it is built and installed: with a C compiler, and without one, where it is slow but says the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
from pathlib import Path

import pytest
import yaml

import hemlp.kernels
from tests.processes import FILES, ROOT

ALL = ["accuracy", "GIE", "MGIA", "F_H", "SDL", "F_LCA"]
BUILD = "from setuptools import build_meta; print(build_meta.build_{}({!r}))"
NO_COMPILER = {"CC": "/nonexistent", "CXX": "/nonexistent"}


def run(command: list[str], *, folder: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    """A process that sees nothing of this project but what ``changes`` say."""
    hidden = ("PYTHONPATH", "HEMLP_UNCOMPILED", "HEMLP_DATA")
    variables = {key: value for key, value in os.environ.items() if key not in hidden} | changes
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


def built(kind: str, source: Path, **changes: str) -> Path:
    """The distribution that is made of a folder."""
    into = source.parent / f"{kind} of {source.name}"
    done = run([sys.executable, "-c", BUILD.format(kind, str(into))], folder=source, **changes)
    assert done.returncode == 0, done.stderr
    assert "warning: hemlp/" not in done.stdout + done.stderr  # of Cython
    return into / done.stdout.splitlines()[-1]


def installed(wheel: Path, folder: Path) -> Path:
    """A folder to import it from, where nothing tells of Cython; all that hemlp needs comes from this environment."""
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(folder)]
    done = run([*command, str(wheel)], folder=folder.parent)
    assert done.returncode == 0, done.stderr
    (folder / "cython.py").write_text("raise ImportError('there is no Cython')\n")
    return folder


def evaluated(place: Path, *arguments: str, **changes: str) -> tuple[bytes, str]:
    """What `hemlp evaluate` on the bundled documents writes as JSON, and says on standard error."""
    command = [sys.executable, "-P", "-m", "hemlp", "evaluate", *FILES, *arguments, "--json", "all.json"]
    with tempfile.TemporaryDirectory() as folder:
        done = run(command, folder=Path(folder), PYTHONPATH=str(place), **changes)
        assert done.returncode == 0, done.stderr
        return Path(folder, "all.json").read_bytes(), done.stderr


def measures(*names: str) -> list[str]:
    return [word for name in names for word in ("-m", name)]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory) -> Path:
    """The source distribution, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    unwanted = shutil.ignore_patterns(".*_cache", ".git", ".venv", ".hypothesis", "build", "dist", "*.egg-info")
    shutil.copytree(ROOT, folder / "tree", ignore=unwanted)
    with tarfile.open(built("sdist", folder / "tree")) as archive:
        archive.extractall(folder, filter="data")
    (unpacked,) = folder.glob("hemlp-*")
    return unpacked


@pytest.fixture(scope="module")
def slow(sdist) -> Path:
    """Where hemlp was installed from its sources without a compiler."""
    source = sdist.parent / "slow"
    shutil.copytree(sdist, source)
    return installed(built("wheel", source, **NO_COMPILER), sdist.parent / "slow-site" / "packages")


@pytest.fixture(scope="module")
def fast(sdist) -> Path:
    """Where hemlp was installed with a compiler."""
    if shutil.which((sysconfig.get_config_var("CC") or "cc").split()[0]) is None:
        pytest.skip("there is no C compiler")
    source = sdist.parent / "fast"
    shutil.copytree(sdist, source)
    return installed(built("wheel", source), sdist.parent / "fast-site" / "packages")


def files(folder: Path, *endings: str) -> set[str]:
    """Names of the files of a folder, without what Python and compilers put there."""
    found = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    found = {name for name in found if not name.endswith((".so", ".pyd")) and "__pycache__" not in name}
    return {name for name in found if name.endswith(endings or ("",))}


def test_the_source_distribution_is_complete(sdist):
    assert files(sdist / "hemlp") == files(ROOT / "hemlp")
    for folder, endings in {"docs": (".md", ".py"), "tests": (".py", ".jsonl"), "scripts": ("",)}.items():
        generated = {name for name in files(ROOT / folder) if name.startswith("_build/")}
        assert files(ROOT / folder, *endings) - generated == files(sdist / folder, *endings)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md"):
        assert (sdist / name).read_bytes() == (ROOT / name).read_bytes()
    assert not [file for kind in ("*.so", "*.pyc") for file in sdist.rglob(kind)]


def test_an_installation_without_a_compiler_is_complete_and_gives_the_same_numbers(slow):
    assert files(slow / "hemlp") == files(ROOT / "hemlp")
    assert not list(slow.rglob("*.so"))
    here = evaluated(ROOT, *measures("F_H", "SDL"))
    there = evaluated(slow, *measures("F_H", "SDL"))
    assert there[0] == here[0]
    assert there[1].count("apt-get install gcc") == len(there[1].splitlines()) == 1


def test_that_there_is_no_compiled_code_is_said_once_and_only_where_it_is_used(slow):
    python = [sys.executable, "-P"]
    for arguments in (["-c", "import hemlp"], ["-m", "hemlp", "--help"], ["-m", "hemlp", "measures"]):
        done = run([*python, *arguments], folder=slow.parent, PYTHONPATH=str(slow))
        assert (done.returncode, done.stderr) == (0, "")
    _, said = evaluated(slow, *measures("F_H"), "--workers", "2", "--chunk", "50")
    assert len(said.splitlines()) == 1
    _, said = evaluated(slow, *measures("F_H"), HEMLP_UNCOMPILED="1")
    assert said == ""


def test_compiled_and_uncompiled_kernels_do_not_mix(tmp_path):
    """Without one of them none is used; the same for those of another version of Python."""
    if not hemlp.kernels.COMPILED:
        pytest.skip("kernels are not compiled here")
    usual, said = evaluated(ROOT, *measures("F_H"))
    assert said == ""
    package = tmp_path / "site" / "hemlp"
    shutil.copytree(ROOT / "hemlp", package, ignore=shutil.ignore_patterns("__pycache__"))
    one = package / "kernels" / "closure" / f"tally{sysconfig.get_config_var('EXT_SUFFIX')}"
    one.rename(one.with_name("tally.cpython-27m-pdp11.so"))
    os.utime(package / "kernels" / "records.py", (4e9, 4e9))
    result, said = evaluated(package.parent, *measures("F_H"))
    assert result == usual
    assert len(said.splitlines()) == 1
    assert "(not compiled: closure/tally; older than their source: records)" in said
    code = "import hemlp.kernels.records; print(hemlp.kernels.COMPILED, hemlp.kernels.records.__file__[-3:])"
    done = run([sys.executable, "-P", "-c", code], folder=tmp_path, PYTHONPATH=str(package.parent))
    assert done.stdout == "False .py\n"


def test_a_build_beside_the_sources_without_a_compiler_leaves_nothing_old(sdist, slow):
    """Old compiled code would go on being used after an edit."""
    source = sdist.parent / "slow"
    old = source / "hemlp" / "kernels" / "closure" / f"tally{sysconfig.get_config_var('EXT_SUFFIX')}"
    old.write_bytes(b"old")
    done = run([sys.executable, "setup.py", "build_ext", "--inplace"], folder=source, **NO_COMPILER)
    assert done.returncode == 0, done.stderr
    assert "hemlp is built without compiled code" in done.stderr
    assert not old.exists()


@pytest.mark.long
def test_an_installation_with_a_compiler(fast, slow):
    """All measures: compiled, the same code uncompiled, and without a compiler give the same bytes."""
    kernels = {file.stem for file in (fast / "hemlp" / "kernels").rglob("*.py")} - {"__init__", "uncompiled"}
    kernels.add("shared")
    assert {file.name.split(".")[0] for file in (fast / "hemlp" / "kernels").rglob("*.so")} == kernels
    result, said = evaluated(fast, *measures(*ALL))
    assert said == ""
    assert evaluated(fast, *measures(*ALL), HEMLP_UNCOMPILED="1") == (result, "")
    assert evaluated(slow, *measures(*ALL))[0] == result
    assert evaluated(ROOT, *measures(*ALL))[0] == result


@pytest.mark.long
@pytest.mark.parametrize("variables", [{}, NO_COMPILER], ids=["with a compiler", "without"])
def test_an_editable_installation(sdist, tmp_path, variables):
    source = tmp_path / "source"
    shutil.copytree(sdist, source)
    done = run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], folder=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    paths = sysconfig.get_path("purelib")  # setuptools, Cython, and all that hemlp needs
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps", "--no-index"]
    done = run(
        [*command, "--no-build-isolation", "--editable", str(source)], folder=tmp_path, PYTHONPATH=paths, **variables
    )
    assert done.returncode == 0, done.stderr
    code = "import hemlp, hemlp.kernels; print(hemlp.__file__, hemlp.kernels.COMPILED)"
    done = run([str(python), "-P", "-c", code], folder=tmp_path, PYTHONPATH=paths)
    assert done.stdout == f"{source / 'hemlp' / '__init__.py'} {not variables}\n", done.stderr


def test_what_a_release_does():
    """It builds the source distribution and wheels for all systems, tries each, and publishes without a password."""
    flow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
    jobs = flow["jobs"]
    assert set(jobs) == {"sdist", "wheels", "publish"}
    assert flow[True]["push"]["tags"] == ["v*"]  # YAML takes the key `on` for a truth value
    assert {name.split("-")[0] for name in jobs["wheels"]["strategy"]["matrix"]["os"]} == {"ubuntu", "macos", "windows"}
    assert jobs["publish"]["needs"] == ["sdist", "wheels"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["publish"]["if"] == "github.ref_type == 'tag'"
    for job in jobs.values():
        assert job["runs-on"]
        assert all(("uses" in step) != ("run" in step) for step in job["steps"])
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "hemlp.kernels.COMPILED" in settings["tool"]["cibuildwheel"]["test-command"]
    assert settings["build-system"]["build-backend"] == "setuptools.build_meta"
