"""The pages for kinds of readers: from an empty folder to a first number, with the commands as they stand there."""

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

READERS = {path.stem.removeprefix("for-"): path.read_text(encoding="utf-8") for path in ROOT.glob("docs/for-*.md")}


def run_commands(text: str, fails: str = "$") -> list[int]:
    """Run the commands of a page, and compare the lines shown below each; which of the commands show some.

    What is shown is all that is printed but for blank lines; "…" stands for what is left out. ``fails``: an option of
    commands that end with code 4.
    """
    asked, numbers = 0, []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for command, shown in re.findall(r"^\$ hemlp (.*)\n((?:[^$\n].*\n)*)", block, re.M):
            if command == "play":
                continue
            done = CliRunner().invoke(commands, shlex.split(command, comments=True))
            assert done.exit_code == 4 * (fails in command), (command, done.output, done.exception)
            printed = re.sub(r"\n+", "\n", f"\n{done.stdout}\n")
            pattern = re.escape(f"\n{shown}").replace("\\\n…", "(?s:.*)")
            assert not shown or re.fullmatch(pattern, printed), (command, printed)
            asked += 1
            numbers += [asked] if shown else []
    return numbers


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.filterwarnings("ignore:.*left out")
def test_a_page_for_readers(reader, tmp_path, monkeypatch):
    """With the files that the page writes, or the bundled ones, each command works and prints what is shown."""
    monkeypatch.chdir(tmp_path)
    page = READERS[reader]
    assert len(page.splitlines()) <= 120
    first, *others = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S) or [""]
    if "write_text" in first:
        exec(first, {})
        assert run_commands(page)[0] <= 2  # commands to the first number
    else:
        for path in (Path(hemlp.__file__).parent / "data" / "mesh_mini").iterdir():
            shutil.copy(path, tmp_path)
        exec(first, {})
        assert run_commands(page)
    for code in others:
        exec(code, {})


def test_there_are_five_kinds_of_readers():
    assert set(READERS) == {"biologists", "librarians", "engineers", "researchers", "teachers"}


def test_the_first_study_runs(tmp_path, monkeypatch):
    """The file and the commands on the page of study files, beside the bundled data."""
    page = (ROOT / "docs" / "study-files.md").read_text(encoding="utf-8")
    for path in (Path(hemlp.__file__).parent / "data" / "mesh_mini").iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    first = re.search(r"## A first study\n.*?^```toml\n(.*?)^```", page, re.M | re.S)
    assert first
    Path("study.toml").write_text(first[1], encoding="utf-8")
    assert run_commands(page.partition("## Everything")[0]) == [1]
    assert Path("report.html").exists()


@pytest.mark.parametrize("name", ["tour", "formats"])
def test_the_commands_of_a_page_run(name, tmp_path, monkeypatch):
    """On the bundled data, or on what the page writes first."""
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for path in (Path(hemlp.__file__).parent / "data" / "mesh_mini").iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S):
        Path("study.toml").write_text(block, encoding="utf-8")
    (first,) = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)[:1]
    exec(first, {})
    run_commands(page)


def test_the_comparison_with_greedy_prints_what_the_page_shows(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "exact-vs-greedy.md").read_text(encoding="utf-8")
    for path in (Path(hemlp.__file__).parent / "data" / "mesh_mini").iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run_commands(re.sub(r"^\$ python .*\n", "", page, flags=re.M)) == [1]


def test_the_page_on_gates_shows_what_the_gate_prints(tmp_path, monkeypatch):
    data = Path(hemlp.__file__).parent / "data" / "mesh_mini"
    files = {"hierarchy": "taxonomy", "gold": "gold", "pred_knn30": "accepted", "pred_lexical_match": "today"}
    for name, there in files.items():
        shutil.copy(data / f"{name}.txt", tmp_path / f"{there}.txt")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8").partition("## Exit codes")[0]
    assert run_commands(page.replace("$ echo $?\n4\n", ""), "--max-drop") == [2]


def test_diagnosis_prints_what_the_page_shows():
    page = (ROOT / "docs" / "diagnosis.md").read_text(encoding="utf-8")
    shown = "\n".join(re.findall(r"^```text\n(.*?)^```", page, re.M | re.S)).replace("...\n", "")
    data = hemlp.examples.mesh_mini()
    _, topdown = systems = ["svm_ovr_freq60", "topdown_lcpn"]
    predicted = {name: data.systems[name] for name in systems}
    ev = hemlp.evaluate(data.hierarchy, data.true, predicted, ["F_H", "F_LCA", "GIE"], names=data.names)
    tables = [
        ev.levels(systems, intervals=False), ev.branches(topdown, "GIE", level=1, intervals=False).head(5),
        ev.classes(topdown, on="labels", intervals=False).head(5), ev.confusions(topdown).head(3),
        ev.costs(topdown).head(3),
    ]  # fmt: skip
    lines = {" ".join(line.split()) for table in tables for line in str(table).splitlines()}
    kinds = [str(ev.errors(name, intervals=False)).splitlines() for name in systems]
    lines |= {" ".join(f"{a} {b}".split()) for a, b in zip(*kinds, strict=True)} | {" ".join(systems)}
    with_intervals = ev.levels(systems)._shown()
    lines |= {" ".join(row) for row in ([*map(str, with_intervals.columns)], *with_intervals.cells)}
    assert [line for line in shown.splitlines() if " ".join(line.split()) not in lines] == []
