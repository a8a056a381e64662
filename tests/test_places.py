"""What a study file may not say, and a person may: where to connect to, and where to write."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hemlp.errors import HemlpError, InvalidOption
from hemlp.run.study import Study

INPUTS = 'hierarchy = "h.txt"\ntrue = "t.txt"\nmeasures = ["F_H"]\n[systems]\na = "p.txt"\n'


@pytest.fixture
def study(tmp_path):
    """Writes a study with further tables to a folder of its own, and says where it is."""
    folder = tmp_path / "study"
    folder.mkdir()
    for name, text in (("h.txt", "r b\nr c\n"), ("t.txt", "b\nc\n"), ("p.txt", "c\nc\n")):
        (folder / name).write_text(text)

    def write(tables: str = "", inputs: str = INPUTS) -> Path:
        (folder / "study.toml").write_text(f"{inputs}\n{tables}")
        return folder / "study.toml"

    return write


def carried_out(study: Study) -> list[str]:
    return study.write(study.run())


def test_a_file_names_no_cluster(study, monkeypatch):
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("connected"))
    for address in ("tcp://127.0.0.1:9", ""):
        with pytest.raises(InvalidOption, match=r"give --dask ADDRESS, or set HEMLP_DASK"):
            Study.read(study(f'[options]\ndask = "{address}"'))
    with pytest.raises(InvalidOption, match="give --dask ADDRESS"):
        Study.read(study(), ['options.dask="tcp://127.0.0.1:9"'])


@pytest.mark.parametrize("way", ["option", "environment"])
@pytest.mark.parametrize("command", ["run", "evaluate"])
def test_a_person_names_a_cluster(study, monkeypatch, way, command):
    from click.testing import CliRunner

    from hemlp.cli import evaluate

    met = []
    monkeypatch.setattr(evaluate, "carry_out", lambda *given, **options: met.append(given[-1]))
    file = study()
    files = [str(file)] if command == "run" else [str(file.parent / name) for name in ("h.txt", "t.txt", "p.txt")]
    given = ["--dask", "tcp://here:1", "--dask-timeout", "7"] if way == "option" else []
    variables = {} if given else {"HEMLP_DASK": "tcp://here:1", "HEMLP_DASK_TIMEOUT": "7"}
    found = CliRunner().invoke(getattr(evaluate, command), [*files, *given], env=variables, catch_exceptions=False)
    assert found.exit_code == 0, found.output
    assert (met[0].address, met[0].timeout) == ("tcp://here:1", 7)


OUTSIDE = [
    "../x",
    "../../x",
    "sub/../../x",
    "{root}/x",
    "~/../../../x",
    ".hidden",
    ".git/hooks/x",
    "sub/.x/y",
    "link/x",
    "linked",
]
KINDS = ["json", "html", "table", "parquet", "per_instance", "resume"]


def links(folder: Path) -> None:
    """A folder and a file that lie elsewhere."""
    (folder.parent / "elsewhere").mkdir()
    (folder.parent / "precious").write_text("precious")
    (folder / "link").symlink_to(folder.parent / "elsewhere")
    (folder / "linked").symlink_to(folder.parent / "precious")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", OUTSIDE)
def test_a_file_writes_to_its_own_folder_alone(study, tmp_path, kind, place):
    place = place.format(root=tmp_path)
    table, key = ("options", "resume") if kind == "resume" else ("outputs", kind)
    file = study(f'[{table}]\n{key} = "{place}"')
    links(file.parent)
    before = sorted(tmp_path.rglob("*"))
    if place.startswith("~"):  # a name like any other: no home is looked up, and two folders up is outside
        assert Path(os.path.normpath(file.parent / place)).parent != file.parent
    with pytest.raises(InvalidOption, match=rf"{table}\.{key} = .* below its own folder"):
        carried_out(Study.read(file))
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "precious").read_text() == "precious"


def test_a_file_of_one_system_that_is_a_link_is_not_written(study, tmp_path):
    file = study('[outputs]\nper_instance = "rows"')
    (file.parent / "rows").mkdir()
    (tmp_path / "precious").write_text("precious")
    (file.parent / "rows" / "a.csv").symlink_to(tmp_path / "precious")
    with pytest.raises(InvalidOption, match="below its own folder"):
        carried_out(Study.read(file))
    assert (tmp_path / "precious").read_text() == "precious"


@pytest.mark.parametrize("said", ["", '[outputs]\njson = "../x.json"', '[outputs]\njson = "inside.json"'])
def test_a_person_writes_anywhere(study, tmp_path, said):
    file = study(said)
    assert carried_out(Study.read(file, ["outputs.json=../x.json"])) == [str(file.parent / "../x.json")]
    assert (tmp_path / "x.json").exists()
    assert not (file.parent / "inside.json").exists()
    table = Study.read(file, [f'outputs={{ json = "{tmp_path}/y.json" }}'])
    assert carried_out(table) == [f"{tmp_path}/y.json"]


def test_changes_of_something_else_do_not_let_a_file_out(study):
    file = study('[outputs]\njson = "../x.json"')
    for changes in (["options.workers=1"], ["outputs.html=page.html"], ["outputs.digits=3"]):
        with pytest.raises(InvalidOption, match="below its own folder"):
            Study.read(file, changes)


def test_usual_places_are_free(study, monkeypatch):
    text = 'json = "out/all.json"\nhtml = "./page.html"\ntable = "sub/../t.md"\nper_instance = "rows"\n'
    file = study(f'[outputs]\n{text}\n[options]\nresume = "run"')
    carried_out(Study.read(file))
    for name in ("out/all.json", "page.html", "t.md", "rows/a.csv", "run/run.json"):
        assert (file.parent / name).exists()
    monkeypatch.chdir(file.parent)
    assert len(carried_out(Study.read("study.toml"))) == 4
    assert Study.read(study('[outputs]\njson = "-"')).outputs.json == "-"


def test_systems_name_no_places(study):
    inputs = INPUTS.replace("a =", '"../a" =')
    with pytest.raises(HemlpError, match="cannot be the name of a file"):
        Study.read(study('[outputs]\nper_instance = "rows"', inputs)).check()


@pytest.mark.parametrize("size", [300, 241])
def test_a_system_whose_name_is_too_long_for_a_file_is_refused_before_any_work(study, monkeypatch, size):
    monkeypatch.setattr("hemlp.run.study.read_hierarchy", lambda *a, **k: pytest.fail("worked"))
    inputs = INPUTS.replace("a =", f"{'a' * size} =")
    with pytest.raises(HemlpError, match="cannot be the name of a file"):
        Study.read(study('[outputs]\nper_instance = "rows"', inputs)).run()
