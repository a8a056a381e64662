"""Datasets in parts: however they are cut and read, the evaluation and the bytes are those of one table."""

from __future__ import annotations

import gc
import random
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, suppress

import numpy as np
import pytest
from click.testing import CliRunner

from hemlp import Evaluation, Plan, Tally, evaluate
from hemlp.analysis.statistics import resampling
from hemlp.cli.main import commands
from hemlp.errors import (
    FileFormatError,
    HemlpError,
    InstancesNotKept,
    InvalidLabelSets,
    InvalidOption,
    MisalignedSides,
    NoCluster,
    RunMismatch,
    UnknownLabel,
    UnreadableFile,
)
from hemlp.processes import executors
from hemlp.run import parts as run_parts
from hemlp.run.part_results import PartResults
from tests.processes import start, until
from tests.test_faults import kill_worker
from tests.test_tally import MEASURES, SYSTEMS, H, assert_same, evaluated, rows_of, table_of

pa = pytest.importorskip("pyarrow")
from pyarrow import dataset, fs  # noqa: E402
from pyarrow import parquet as pq  # noqa: E402

CUTS = (0, 13, 13, 30, 47)
"""Where parts begin: one of them is empty."""


def write_parts(folder, table, cuts=CUTS, group=5):
    """Files in hive partitions, with small row groups."""
    for k, (a, b) in enumerate(zip(cuts, [*cuts[1:], len(table)], strict=True)):
        place = folder / f"lang={'de' if k % 2 else 'en'}" / f"p{k}.parquet"
        place.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table.slice(a, b - a), place, row_group_size=group)
    return folder


@pytest.fixture
def rows():
    return rows_of(random.Random(21), 60)


@pytest.fixture
def folder(tmp_path, rows):
    return write_parts(tmp_path / "data", table_of(rows))


def bytes_of(place) -> bytes:
    return PartResults.open(place).merged().to_bytes()


def whole_bytes(rows) -> bytes:
    return Plan(H, MEASURES, SYSTEMS, undefined="nan").score(table_of(rows)).tally.to_bytes()


@pytest.mark.parametrize(("bucketed_from", "chunk"), [(1000, 7), (40, None)])
def test_parts_are_evaluated_as_one_table(folder, rows, tmp_path, monkeypatch, bucketed_from, chunk):
    monkeypatch.setattr(resampling, "BUCKETED_FROM", bucketed_from)
    wanted = evaluated(rows)
    found = evaluate(H, folder, None, MEASURES, undefined="nan", chunk=chunk)
    kept = evaluate(H, folder, SYSTEMS, MEASURES, undefined="nan", chunk=chunk, resume=tmp_path / "out")
    assert str(found.table(verbose=True)) == str(kept.table(verbose=True)) == str(wanted.table(verbose=True))
    again = Evaluation.open(tmp_path / "out")
    assert_same(again, wanted)
    assert bytes_of(tmp_path / "out") == whole_bytes(rows)
    by_id = {row["id"]: k for k, row in enumerate(rows)}
    names = [row["id"] for row in pq.read_table(tmp_path / "out").to_pylist() if row["system"] == "A"]
    order = [by_id[name] for name in again.ids or names]
    for system in SYSTEMS:
        for name, column in (("F_H", None), ("F_H", "common"), ("TIE", "error")):
            expected = wanted.per_instance(system, name, column)[order]
            assert np.array_equal(again.per_instance(system, name, column), expected, equal_nan=True)
    if bucketed_from < 1000:
        with pytest.raises(InstancesNotKept, match="--parquet FOLDER"):
            found.per_instance("A", "F_H")


def results_of(true, systems=None, **options) -> bytes:
    """The bytes of the tally that a run leaves in a folder."""
    place = options.pop("resume")
    evaluate(H, true, systems, MEASURES, undefined="nan", resume=place, **options)
    return bytes_of(place)


@pytest.mark.parametrize("bucketed_from", [1000, 40])
@pytest.mark.parametrize("opened", [False, True])
def test_labels_are_read_again_for_diagnosis_and_explanations(
    folder, rows, tmp_path, monkeypatch, bucketed_from, opened
):
    monkeypatch.setattr(resampling, "BUCKETED_FROM", bucketed_from)
    measures = ["F_H", "GIE"]
    wanted = evaluated(rows, measures)
    ev = evaluate(H, folder, None, measures, undefined="nan", chunk=7, resume=tmp_path / "out")
    if opened:
        ev = Evaluation.open(tmp_path / "out", H, folder)
    for ask in (
        lambda e: e.levels(["A", "B"]), lambda e: e.errors("A"), lambda e: e.classes(["A", "B"]), lambda e: e.hits("C"),
        lambda e: e.branches("A", "F_H"), lambda e: e.branches("B", "GIE"),
        lambda e: [row[:3] for row in e.confusions("A").rows],
        lambda e: e.explain("B", id="d17é").feedback(), lambda e: e.worst("A", "GIE"),
    ):  # fmt: skip
        assert str(ask(ev)) == str(ask(wanted))
    ids = list(ev.ids)
    assert sorted(ids) == sorted(row["id"] for row in rows)
    assert [ev.ids[k] for k in (0, 12, 13, 59, -1)] == [ids[k] for k in (0, 12, 13, 59, -1)]
    wanted_words = wanted.explain("A", id=ids[30], measures=["F_H"]).feedback()
    assert ev.explain("A", 30, ["F_H"]).feedback() == wanted_words
    if bucketed_from == 1000:
        ev.to_html(tmp_path / "page.html")
        assert "href='#levels'" in (tmp_path / "page.html").read_text()


def test_only_the_dataset_of_a_run_has_its_labels(folder, rows, tmp_path):
    evaluate(H, folder, None, ["F_H"], resume=tmp_path / "out")
    other = write_parts(tmp_path / "other", table_of(rows[:50]))
    for options, words in (
        ((H, other), "files have changed"), ((H.with_isolated(["new"]), folder), "another hierarchy"),
        ((H,), "give both"), ((H, folder, ["A", "B"]), "has the systems A, B, C"),
    ):  # fmt: skip
        with pytest.raises(HemlpError, match=words):
            Evaluation.open(tmp_path / "out", *options)
    with pytest.raises(InvalidOption, match=r"Evaluation.open"):
        Evaluation.open(tmp_path / "out").levels("A")


def test_places_of_every_kind(folder, rows, tmp_path, monkeypatch):
    """Patterns, addresses, a file system of pyarrow's own; results there, too."""
    wanted, below = whole_bytes(rows), fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem())
    pq.write_table(table_of(rows), tmp_path / "one.parquet")
    (folder / "_SUCCESS").touch()
    (folder / ".part.crc").touch()
    places = [
        str(folder), f"{folder}/*/*.parquet", f"{folder}/**/p[0-9].parquet", folder.as_uri(),
        dataset.dataset(str(folder), partitioning="hive"),
        dataset.dataset("/", filesystem=below, partitioning="hive"), tmp_path / "one.parquet",
    ]  # fmt: skip
    for k, place in enumerate(places):
        assert results_of(place, resume=(tmp_path / f"out{k}").as_uri()) == wanted, place
    monkeypatch.chdir(folder)
    assert results_of("*/p*.parquet", resume="../there") == wanted
    assert {path.name for path in (tmp_path / "there" / "lang=de").iterdir()} == {"p1.parquet", "p3.parquet"}
    for place, error, words in (
        (f"{folder}/*.csv", UnreadableFile, "there is no Parquet file"),
        ("nowhere://bucket/x", UnreadableFile, "nowhere"),
        (dataset.dataset(table_of(rows)), InvalidOption, "needs files"),
        (["a"], InvalidOption, "systems is missing"),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            evaluate(H, place, None, MEASURES)
    (folder / "notes.txt").touch()
    with pytest.raises(FileFormatError, match="notes.txt is not a Parquet file"):
        evaluate(H, folder, None, MEASURES)
    with pytest.raises(InvalidOption, match="solver is not for datasets"):
        evaluate(H, f"{folder}/*/*.parquet", None, MEASURES, solver="pulp")


def test_rows_without_ids_are_counted_over_all_parts(tmp_path, rows):
    bare = table_of(rows).drop_columns(["id"])
    plan = Plan(H, MEASURES, SYSTEMS, undefined="nan")
    place = tmp_path / "data"
    place.mkdir()
    for k, (a, b) in enumerate([(0, 9), (9, 40), (40, 60)]):
        pq.write_table(bare.slice(a, b - a), place / f"{k}.parquet")
    wanted = plan.score(bare, first_row=0).tally.to_bytes()
    assert results_of(place, resume=tmp_path / "out", chunk=4) == wanted


# ---- several datasets


def write_sides(tmp_path, rows, changed=None):
    """Gold and systems, each in a folder of its own; ``changed`` has other rows or another order."""
    places = {}
    for name in ("true", *SYSTEMS):
        own = [row for row in (changed or {}).get(name, rows) if row[name] is not None]
        table = table_of(own).select(["id", name]).rename_columns(["id", "label"])
        cuts = CUTS if name not in (changed or {}) else (0, 20)
        places[name] = str(write_parts(tmp_path / name, table, cuts, group=4 if name == "A" else 9))
    return places.pop("true"), places


def test_datasets_are_read_side_by_side_where_ids_agree(tmp_path, rows, monkeypatch):
    monkeypatch.setattr(run_parts, "_spill", None)
    assert results_of(*write_sides(tmp_path, rows), resume=tmp_path / "out", chunk=6) == whole_bytes(rows)


def test_datasets_are_joined_by_id_where_they_do_not(tmp_path, rows, monkeypatch):
    """Rows in another order, in other files, missing on either side: never by position."""
    monkeypatch.setattr(run_parts, "JOINED", 7)
    for k, row in enumerate(rows):
        for name in ("true", *SYSTEMS):
            row[name] = None if random.Random(f"{k}{name}").random() < 0.05 else row[name] or ["a"]
    rows = [row for row in rows if any(row[name] is not None for name in ("true", *SYSTEMS))]
    shuffled = {"B": random.Random(3).sample(rows, len(rows))}
    true, systems = write_sides(tmp_path, rows, shuffled)
    plan = Plan(H, MEASURES, SYSTEMS, undefined="nan", missing="empty")
    wanted = plan.score(table_of(rows)).tally.to_bytes()
    assert results_of(true, systems, missing="empty", resume=tmp_path / "out") == wanted
    assert results_of(true, systems, missing="empty", resume=tmp_path / "out") == wanted  # goes on
    with pytest.raises(MisalignedSides, match=r"joined-0000\d.parquet.* lacks instance"):
        evaluate(H, true, systems, MEASURES, undefined="nan")


def test_one_swap_is_enough_for_a_join(tmp_path, rows):
    """Same files, same numbers of rows: two predictions change places within their file."""
    swapped = [dict(row) for row in rows]
    swapped[3], swapped[4] = swapped[4], swapped[3]
    true, systems = write_sides(tmp_path, rows)
    table = table_of(swapped).select(["id", "C"]).rename_columns(["id", "label"])
    systems["C"] = str(write_parts(tmp_path / "swapped", table))
    assert results_of(true, systems, resume=tmp_path / "out") == whole_bytes(rows)


def test_datasets_that_do_not_belong_together_are_refused(tmp_path, rows):
    true, systems = write_sides(tmp_path, rows)
    twice = table_of([*rows[1:], rows[5]]).select(["id", "A"])
    numbered = table_of(rows).select(["A"]).append_column("id", pa.array(range(60)))
    for k, (table, words) in enumerate(
        [
            (twice, "the instance 'd5é' has several rows"), (numbered, "ids have to be of one type"),
            (table_of(rows).select(["A"]), "a dataset needs a column 'id'"),
            (table_of(rows).select(["id", "B", "C"]), "labels in a column 'A' or 'label'"),
        ]
    ):  # fmt: skip
        place = str(write_parts(tmp_path / f"wrong{k}", table))
        with pytest.raises(InvalidLabelSets, match=words):
            evaluate(H, true, {**systems, "A": place}, MEASURES, undefined="nan")


# ---- engines


def test_files_of_a_dataset_have_the_same_columns(tmp_path):
    """A system that only later files had was left out, and so were ids; a file without a system was a traceback."""
    both = {"true": ["b"], "A": ["b"]}
    for k, (first, second, systems) in enumerate((
        ({"id": ["x"], **both}, {"id": ["y"], **both, "B": ["b"]}, None),
        ({"id": ["x"], **both}, {"id": ["y"], "true": ["b"], "B": ["b"]}, ["A"]),
        ({"id": ["x"], **both}, both, None),
        (both, {"id": ["x"], **both}, ["A"]),
    )):  # fmt: skip
        (tmp_path / str(k)).mkdir()
        for name, columns in (("a", first), ("b", second)):
            pq.write_table(pa.table(columns), tmp_path / f"{k}/{name}.parquet")
        with pytest.raises(FileFormatError, match="b.parquet has the columns .*, unlike the first file"):
            evaluate(H, tmp_path / str(k), systems, ["F_H"])
    assert evaluate(H, tmp_path / "0", ["A"], ["F_H"]).mean("A", "F_H") == 1


def test_scores_beside_labels_are_refused(tmp_path):
    """They are in files, too: every row would count, whatever its score."""
    for name, columns in (("gold", {}), ("pred", {"score": [0.1, 0.9]})):
        (tmp_path / name).mkdir()
        pq.write_table(pa.table({"id": ["x", "y"], "label": ["b", "b"], **columns}), tmp_path / name / "a.parquet")
    with pytest.raises(InvalidLabelSets, match="'score' looks like scores"):
        evaluate(H, tmp_path / "gold", {"A": tmp_path / "pred"}, ["F_H"])


def test_executors_leave_the_same_bytes(folder, rows, tmp_path):
    wanted = whole_bytes(rows)
    assert results_of(folder, resume=tmp_path / "threads", workers=2) == wanted
    with ThreadPoolExecutor(2) as pool:
        assert results_of(folder, resume=tmp_path / "pool", executor=pool) == wanted
    with ProcessPoolExecutor(2) as pool:
        assert results_of(folder, resume=tmp_path / "processes", executor=pool) == wanted


def test_dask_workers_read_their_own_parts(folder, rows, tmp_path):
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, cluster.get_client() as client:
        assert results_of(folder, resume=tmp_path / "out", executor=client) == whole_bytes(rows)
        true, systems = write_sides(tmp_path, rows)
        assert results_of(true, systems, resume=tmp_path / "sides", executor=client) == whole_bytes(rows)
        systems["B"] = str(write_parts(tmp_path / "other", table_of(rows).select(["id", "B"]), (0, 9)))
        with pytest.raises(MisalignedSides, match="join them by id before"):
            evaluate(H, true, systems, MEASURES, undefined="nan", executor=client)


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
def test_a_dask_worker_that_is_killed_at_random(folder, rows, tmp_path, monkeypatch, seed):
    """Whenever it dies, its parts are scored by another one: the same bytes."""
    distributed = pytest.importorskip("distributed")
    moment, sent = random.Random(seed).randrange(len(CUTS)), []
    submitting = executors._submitting

    @contextmanager
    def killing(*args):
        with submitting(*args) as submit:

            def kill_and_submit(item):
                sent.append(item)
                if len(sent) == moment + 1:
                    kill_worker(cluster)
                return submit(item)

            yield kill_and_submit

    monkeypatch.setattr(executors, "_submitting", killing)
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(host="127.0.0.1", **options) as cluster, cluster.get_client() as client:
        assert results_of(folder, resume=tmp_path / "out", executor=client) == whole_bytes(rows)
    assert sent == list(range(len(CUTS)))


@pytest.mark.long
def test_a_run_whose_scheduler_is_killed_goes_on_without_it(folder, rows, tmp_path, monkeypatch):
    """It dies when the first part is back: an error by name, or the same bytes where all parts are back already."""
    distributed = pytest.importorskip("distributed")
    address = tmp_path / "scheduler.json"
    programs = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    scheduler = start([*programs, "--no-dashboard", "--scheduler-file", str(address)])
    until(address.exists, scheduler)
    worker = start([sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(address)])
    merge = Tally.merge

    def kill_and_merge(first, second):
        scheduler.kill()
        return merge(first, second)

    try:
        with distributed.Client(scheduler_file=str(address)) as client:
            monkeypatch.setattr(Tally, "merge", kill_and_merge)
            with suppress(NoCluster):
                evaluate(H, folder, None, MEASURES, undefined="nan", resume=tmp_path / "out", executor=client, chunk=99)
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.communicate()
    monkeypatch.undo()
    assert scheduler.returncode != 0
    assert results_of(folder, resume=tmp_path / "out") == whole_bytes(rows)


# ---- folders of results


def test_a_run_goes_on_by_part(folder, rows, tmp_path, monkeypatch, caplog):
    out = tmp_path / "out"
    wanted = results_of(folder, resume=out)
    first, second = out / "lang=en" / "p0.parquet", out / "lang=de" / "p3.parquet"
    first.unlink()
    with pytest.raises(RunMismatch, match="4 of 5 parts are finished, lang=en/p0.parquet is not"):
        Evaluation.open(out)
    second.write_bytes(second.read_bytes()[:-9])
    scored = []
    score = Plan.score
    monkeypatch.setattr(
        Plan, "score", lambda *args, **options: scored.append(options["part"]) or score(*args, **options)
    )
    assert results_of(folder, resume=out) == wanted
    assert sorted(scored) == ["lang=de/p3.parquet", "lang=en/p0.parquet"]
    assert "p3.parquet is damaged" in caplog.text
    monkeypatch.undo()
    assert not [path for path in out.rglob("*") if path.name.endswith(".part")]
    with pytest.raises(RunMismatch, match="other measures"):
        evaluate(H, folder, None, ["F_H"], undefined="nan", resume=out)
    pq.write_table(table_of(rows[:3]), folder / "lang=en" / "p0.parquet")
    with pytest.raises(RunMismatch, match="other sources .lang=en/p0.parquet: something else"):
        results_of(folder, resume=out)
    for content, words in (
        (b"{}", "does not name parts"),
        (b"[", "can be read"),
        (b'{"parts": ["../x"]}', "below this folder"),
    ):
        (out / "_parts.json").write_bytes(content)
        with pytest.raises(RunMismatch, match=words):
            Evaluation.open(out)
    with pytest.raises(RunMismatch, match="is not empty"):
        evaluate(H, folder, None, ["F_H"], resume=folder)


def test_a_part_that_is_there_twice_or_damaged(folder, rows, tmp_path):
    """Every byte of a stored part may change: the same bytes of all, or an error by name."""
    wanted = results_of(folder, resume=tmp_path / "out")
    stored = tmp_path / "out" / "lang=en" / "p2.parquet"
    whole, rng = stored.read_bytes(), random.Random(5)
    for place in rng.sample(range(len(whole)), 12):
        stored.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << rng.randrange(8)]) + whole[place + 1 :])
        try:
            assert PartResults.open(tmp_path / "out").merged().to_bytes() == wanted
        except RunMismatch:
            assert results_of(folder, resume=tmp_path / "out") == wanted
    stored.write_bytes((tmp_path / "out" / "lang=en" / "p0.parquet").read_bytes())
    with pytest.raises(InvalidLabelSets, match="is met twice"):
        Evaluation.open(tmp_path / "out")
    shutil.copy(folder / "lang=en" / "p0.parquet", folder / "lang=en" / "p9.parquet")
    with pytest.raises(InvalidLabelSets, match="is met twice"):
        evaluate(H, folder, None, ["F_H"])


def test_errors_name_the_part_and_the_row(folder, rows, tmp_path):
    rows[33]["B"] = ["yeti"]
    write_parts(folder, table_of(rows))
    with pytest.raises(UnknownLabel, match=r"lang=de/p3.parquet, .*row 4 \(instance 'd33é'\).*yeti"):
        results_of(folder, resume=tmp_path / "out")
    assert not (tmp_path / "out" / "lang=de" / "p3.parquet").exists()
    rows[33]["B"] = ["a"]
    write_parts(folder, table_of(rows))
    damaged = folder / "lang=en" / "p0.parquet"
    data = bytearray(damaged.read_bytes())
    data[4:60] = bytes(56)
    damaged.write_bytes(data)
    with pytest.raises(HemlpError, match="p0.parquet"):
        evaluate(H, folder, None, MEASURES, undefined="nan")


# ---- the command line


@pytest.fixture
def hierarchy_file(tmp_path):
    file = tmp_path / "h.txt"
    file.write_text("".join(f"{a} {b}\n" for a in H for b in H.children(a)), encoding="utf-8")
    return str(file)


def run(*words):
    return CliRunner().invoke(commands, ["evaluate", *map(str, words)])


def message_of(found) -> str:
    return found.output + str(found.exception)


def test_a_part_that_fails_midway_leaves_no_open_writer(folder, rows, tmp_path, monkeypatch):
    """Its first rows are written when a later one has an unknown label; a writer left open complains when it goes."""
    complaints = []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)
    rows[46]["B"] = ["yeti"]
    write_parts(folder, table_of(rows))
    with pytest.raises(UnknownLabel, match="yeti"):
        results_of(folder, resume=tmp_path / "out", chunk=5)
    gc.collect()
    assert not complaints
    assert not list((tmp_path / "out").rglob("*.part"))


def test_the_command_line_takes_datasets(folder, rows, tmp_path, hierarchy_file):
    pq.write_table(table_of(rows), tmp_path / "one.parquet")
    options = ["-m", "F_H,MGIA", "--undefined", "nan"]
    wanted = run(hierarchy_file, *write_sides(tmp_path, rows)[:1], *(f"{s}={tmp_path / s}" for s in SYSTEMS), *options)
    assert wanted.exit_code == 0, wanted.output
    for words in ([f"{folder}/*/*.parquet"], [folder.as_uri(), *SYSTEMS], [tmp_path / "one.parquet"]):
        found = run(hierarchy_file, *words, *options, "--parquet", tmp_path / f"rows{len(words)}{len(str(words[0]))}")
        assert (found.exit_code, found.output) == (0, wanted.output)
    some = run(hierarchy_file, folder, "A", *options, "--workers", 2)
    assert "B" not in some.output.split()
    assert pq.read_table(tmp_path / f"rows1{len(str(folder)) + 12}").num_rows == 180
    for words, message in (
        ([folder, "--sep", ";"], "is not for datasets"), ([folder, "--memory", "1GB"], "memory is not for datasets"),
        ([folder, "--parquet", "a", "--resume", "b"], "one of them"), ([tmp_path / "gold.txt"], "Missing argument"),
    ):  # fmt: skip
        found = run(hierarchy_file, *words, *options)
        assert message in message_of(found)


def test_a_study_file_cannot_name_an_address(folder, tmp_path, hierarchy_file):
    study = tmp_path / "study.toml"
    for text in (
        'true = "s3://b/x"',
        'true = "g"\n[outputs]\nparquet = "file:///tmp/x"',
        'true = "g"\n[options]\nresume = "gs://b"',
    ):
        head, _, tables = text.partition("\n")
        study.write_text(f'hierarchy = "h.txt"\n{head}\n[systems]\nA = "a"\n{tables}\n')
        found = CliRunner().invoke(commands, ["run", str(study)])
        assert "a study file cannot hold addresses" in message_of(found)


def test_a_dry_run_says_what_a_run_costs(folder, rows, tmp_path, hierarchy_file):
    for name in ("true", *SYSTEMS):
        (tmp_path / f"{name}.txt").write_text("".join(" ".join(row[name]) + "\n" for row in rows))
    files = [tmp_path / f"{name}.txt" for name in ("true", *SYSTEMS)]
    for words, size in (([folder], "60 x 3 systems, 5 parts"), (files, "60 x 3 systems, not in parts")):
        found = run(hierarchy_file, *words, "-m", "F_H,F_LCA", "--dry-run", "--parquet", tmp_path / "rows.parquet")
        assert found.exit_code == 0, message_of(found)
        for word in (size, "CPU time", "memory", "0.00% of the sample need programs"):
            assert word in found.output
        assert not (tmp_path / "rows.parquet").exists()
