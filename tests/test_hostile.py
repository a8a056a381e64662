"""Every reader, given whatever file, answers or raises an error of hemlp's; nothing else is opened, fetched or run."""

from __future__ import annotations

import builtins
import os
import random
import sys

import pytest

from hemlp import read_hierarchy, read_labels, read_measures
from hemlp.errors import FileFormatError, HemlpError, InvalidOption, OutOfMemory, UnreadableFile
from hemlp.io import unpacking
from hemlp.io.text import file_reader, read_bytes
from tests import hostile
from tests.hostile import ENDINGS, READERS

CASES = [(reader, ending) for reader, endings in ENDINGS.items() for ending in endings]
LIMIT = 2**22
"""Bytes that files unpack to here."""


FORBIDDEN = ("socket.connect", "socket.getaddrinfo", "urllib", "subprocess", "os.system", "os.exec", "pickle")
OWN = (sys.prefix, sys.base_prefix, os.path.dirname(os.path.dirname(__file__)), "/proc/self", "/usr/share/zoneinfo")
MET: list[str] = []
"""What was noticed while somebody watches."""
WATCHED: list[str] = []
"""The folder of the test that watches."""


def _watch(event: str, given: tuple) -> None:
    if not WATCHED:
        return
    if event.startswith(FORBIDDEN):
        MET.append(f"{event} {given!r:.200}")
    elif event == "open" and isinstance(given[0], str | bytes):
        place = os.path.realpath(os.fsdecode(given[0]))
        if not place.startswith((*WATCHED, *OWN)) and place != os.devnull:
            MET.append(f"{event} {given!r:.200}")


sys.addaudithook(_watch)  # there is no way to remove one


@pytest.fixture
def guarded(tmp_path):
    """What connects, resolves names, starts processes or opens files elsewhere, even if its errors are caught."""
    MET.clear()
    WATCHED.append(str(tmp_path))
    yield MET
    WATCHED.clear()


def answer(reader: str, path: str) -> None:
    """Read a file; errors of hemlp's are answers."""
    try:
        READERS[reader](path)
    except HemlpError as error:
        if not 0 < len(str(error)) < 3_000:
            raise AssertionError(f"a message of {len(str(error)):,} characters") from None


@pytest.mark.parametrize(("reader", "ending"), CASES, ids=[f"{reader}{ending}" for reader, ending in CASES])
def test_readers_answer_whatever_the_file(reader, ending, tmp_path, guarded, monkeypatch):
    monkeypatch.setattr(unpacking, "LEAST", LIMIT)
    for name, data in hostile.payloads(reader, ending):
        path = tmp_path / f"x{ending}"
        path.write_bytes(data)
        try:
            answer(reader, str(path))
        except BaseException as error:
            raise AssertionError(f"{reader}, {ending}, {name}: {type(error).__name__}: {error!s:.300}") from error
    assert guarded == []


def test_valid_files_are_read(tmp_path):
    """So that mutations begin at something."""
    for reader, ending, data in hostile.valid_files():
        path = tmp_path / f"x{ending}"
        path.write_bytes(data)
        READERS[reader](str(path))


@pytest.mark.parametrize("seed", range(5))
def test_readers_answer_whatever_becomes_of_a_file(seed, tmp_path, guarded, monkeypatch):
    monkeypatch.setattr(unpacking, "LEAST", LIMIT)
    rng = random.Random(seed)
    for reader, ending, data in hostile.valid_files():
        for _ in range(20):
            path = tmp_path / f"x{ending}"
            path.write_bytes(hostile.mutated(data, rng))
            try:
                answer(reader, str(path))
            except BaseException as error:
                kept = path.read_bytes()
                raise AssertionError(
                    f"{reader}, {ending}, {kept!r:.400}: {type(error).__name__}: {error!s:.300}"
                ) from error
    assert guarded == []


@pytest.mark.parametrize("reader", READERS)
def test_paths_that_are_none(reader, tmp_path):
    for path in ("a\0b", "a" * 300, "", str(tmp_path), str(tmp_path / "no"), "/dev/zero", "/dev/urandom", "\ud800"):
        with pytest.raises(HemlpError):
            READERS[reader](path)


def test_measures_of_a_path_with_a_zero_byte():
    with pytest.raises(UnreadableFile, match="cannot read"):
        read_measures("a\0b")


# ---- what may grow


@pytest.mark.parametrize("reader", [name for name in READERS if name != "study"])
def test_gzip_bombs_are_named_with_the_limit(reader, tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "LEAST", LIMIT)
    for data in hostile.bombs().values():
        path = tmp_path / f"x{ENDINGS[reader][0]}.gz"
        path.write_bytes(data)
        with pytest.raises(FileFormatError, match="unpacks to more than .* MB: .* HEMLP_UNPACK_MB"):
            READERS[reader](str(path))


def test_a_bomb_is_not_unpacked_beyond_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "LEAST", LIMIT)
    read = []
    whole = unpacking.gzip.GzipFile.read
    monkeypatch.setattr(
        unpacking.gzip.GzipFile, "read", lambda self, size=-1: read.append(got := whole(self, size)) or got
    )
    (tmp_path / "x.gz").write_bytes(hostile.bombs()["gzip bomb"])
    with pytest.raises(FileFormatError):
        read_bytes(tmp_path / "x.gz")
    size = (tmp_path / "x.gz").stat().st_size
    assert sum(map(len, read)) <= max(LIMIT, unpacking.RATIO * size) + 2**22  # a block more


def test_the_limit_can_be_chosen(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "LEAST", LIMIT)
    (tmp_path / "x.gz").write_bytes(hostile.bombs()["gzip bomb"])
    monkeypatch.setenv("HEMLP_UNPACK_MB", "400")
    assert len(read_bytes(tmp_path / "x.gz")[1]) == 20 * 4 * 2**22
    monkeypatch.setenv("HEMLP_UNPACK_MB", "3")
    with pytest.raises(FileFormatError, match="more than 3 MB"):
        read_bytes(tmp_path / "x.gz")
    for bad in ("", "many", "-1", "1.5", "٣", "9" * 30):
        monkeypatch.setenv("HEMLP_UNPACK_MB", bad)
        with pytest.raises(InvalidOption, match="not a number of megabytes"):
            read_bytes(tmp_path / "x.gz")


def test_large_files_that_are_packed_as_usual_are_read(tmp_path, monkeypatch):
    """Beyond the size that every file may have, the ratio counts: that of text is far below it."""
    monkeypatch.setattr(unpacking, "LEAST", 2**10)
    rng = random.Random(1)
    text = "".join(f"c{rng.randrange(500)} c{rng.randrange(500)}\n" for _ in range(20_000)).encode()
    import gzip

    (tmp_path / "y.txt.gz").write_bytes(gzip.compress(text))
    assert len(read_labels(tmp_path / "y.txt.gz")) == 20_000
    assert sum(map(len, hostile.label_file(str(tmp_path / "y.txt.gz")))) == 20_000


def test_memory_and_depth_are_named_once():
    def fails(error):
        @file_reader
        def read(path):
            raise error

        return read

    with pytest.raises(OutOfMemory, match="^x takes more memory"):
        fails(MemoryError)("x")
    with pytest.raises(OutOfMemory, match="^said$"):
        fails(OutOfMemory("said"))(path="x")
    with pytest.raises(FileFormatError, match="^x is nested too deeply"):
        fails(RecursionError)(path="x")


def test_aliases_that_stay_small_are_followed(tmp_path):
    (tmp_path / "h.yaml").write_text("r:\n  a: &x {c: , d: }\n  b: *x\n")
    assert len(read_hierarchy(tmp_path / "h.yaml", same_names="join")) == 5


@pytest.mark.parametrize("name", ["laughs", "laughing maps"])
def test_aliases_that_grow_are_named(tmp_path, name):
    (tmp_path / "h.yaml").write_text(hostile._yamls()[name])
    with pytest.raises(
        FileFormatError, match=r"line \d+: with its aliases expanded, the file holds more than 1,000,000"
    ):
        read_hierarchy(tmp_path / "h.yaml")


# ---- what stands elsewhere


@pytest.mark.parametrize("name", ["laughs", "quadratic", "file", "address", "parameter", "attribute"])
@pytest.mark.parametrize("ending", [".rdf", ".owl", ".xml", ".skos", ".txt"])
def test_document_types_are_refused(tmp_path, name, ending, guarded):
    text = hostile._xmls()[name]
    text = text if text.startswith("<?xml") else f"<?xml version='1.0'?>{text}"
    (tmp_path / f"h{ending}").write_text(text)
    with pytest.raises(FileFormatError, match="has a document type"):
        read_hierarchy(tmp_path / f"h{ending}")
    assert guarded == []


@pytest.mark.parametrize("name", [name for name in hostile._json_lds() if not name.endswith(("number", "deep"))])
def test_contexts_that_stand_elsewhere_are_refused(tmp_path, name, guarded):
    (tmp_path / "c.json").write_text("{}")
    (tmp_path / "h.jsonld").write_text(hostile._json_lds()[name])
    with pytest.raises(FileFormatError, match="which hemlp does not fetch"):
        read_hierarchy(tmp_path / "h.jsonld")
    assert guarded == []


def test_the_guard_notices(guarded, tmp_path):
    """Else the tests above prove nothing."""
    import socket
    import urllib.request

    with builtins.open("/etc/hostname"):
        pass
    with pytest.raises(OSError), socket.socket() as one:
        one.connect(("127.0.0.1", 9))
    with pytest.raises(OSError):
        urllib.request.urlopen("http://127.0.0.1:9/c", timeout=1)
    assert [words.split()[0] for words in guarded][:3] == ["open", "socket.connect", "urllib.Request"]
