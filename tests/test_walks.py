"""The walks of the documentation: from an empty folder to a first number, with the commands as they stand there."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import hemlp
from hemlp.cli.main import commands
from tests.test_project import ROOT

PAGE = (ROOT / "docs" / "walks.md").read_text(encoding="utf-8")
WALKS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))


def make_files(walk: str) -> list[str]:
    """Run the first block of a walk, which writes its files; the other blocks."""
    first, *rest = re.findall(r"^```python\n(.*?)^```", WALKS[walk], re.M | re.S)
    exec(f"import json\nfrom pathlib import Path\n{first}", {})
    return rest


def run_commands(text: str) -> list[int]:
    """Run the commands of a page and look for the lines shown below each; which of the commands show some."""
    asked, numbers = 0, []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for command, shown in re.findall(r"^\$ hemlp (.*)\n((?:[^$\n].*\n)*)", block, re.M):
            if command == "play":
                continue
            done = CliRunner().invoke(commands, shlex.split(command, comments=True))
            assert done.exit_code == 0, (command, done.output, done.exception)
            for line in shown.splitlines():
                assert line in done.output, (command, done.output)
            asked += 1
            numbers += [asked] if shown else []
    return numbers


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.filterwarnings("ignore:.*left out")
def test_a_walk(walk, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rest = make_files(walk)
    assert run_commands(WALKS[walk])[0] <= 2  # commands to the first number
    for code in rest:
        exec(code, {})
    assert list(Path(".").iterdir())


FILES_OF = {"biologists": "A biologist", "librarians": "A librarian", "engineers": "An engineer"}


@pytest.mark.parametrize("reader", [*FILES_OF, "researchers", "teachers"])
@pytest.mark.filterwarnings("ignore:.*left out")
def test_a_page_for_readers(reader, tmp_path, monkeypatch):
    """With the files of a walk, or the bundled ones, each command works and prints what is shown; one screen or two."""
    monkeypatch.chdir(tmp_path)
    if reader in FILES_OF:
        make_files(next(walk for walk in WALKS if walk.startswith(FILES_OF[reader])))
    else:
        for path in (Path(hemlp.__file__).parent / "data" / "mesh_mini").iterdir():
            shutil.copy(path, tmp_path)
    page = (ROOT / "docs" / f"for-{reader}.md").read_text(encoding="utf-8")
    assert len(page.splitlines()) <= 60
    assert run_commands(page)
