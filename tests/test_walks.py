"""The walks of the documentation: from an empty folder to a first number, with the commands as they stand there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from hemlp.cli.main import commands
from tests.test_project import ROOT

PAGE = (ROOT / "docs" / "walks.md").read_text(encoding="utf-8")
WALKS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.filterwarnings("ignore:.*left out")
def test_a_walk(walk, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first, *rest = re.findall(r"^```python\n(.*?)^```", WALKS[walk], re.M | re.S)
    exec(f"import json\nfrom pathlib import Path\n{first}", {})
    asked, numbers = 0, []
    for block in re.findall(r"^```console\n(.*?)^```", WALKS[walk], re.M | re.S):
        for command, shown in re.findall(r"^\$ hemlp (.*)\n((?:[^$\n].*\n)*)", block, re.M):
            done = CliRunner().invoke(commands, shlex.split(command, comments=True))
            assert done.exit_code == 0, (command, done.output, done.exception)
            for line in shown.splitlines():
                assert line in done.output, (command, done.output)
            asked += 1
            numbers += [asked] if shown else []
    assert numbers[0] <= 2  # commands to the first number
    for code in rest:
        exec(code, {})
    assert list(Path(".").iterdir())
