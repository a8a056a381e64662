"""Words and cells of files as whole arrays, against Python that goes through them one by one."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hemlp import LabelSets, read_labels
from hemlp.errors import FileFormatError, HemlpError
from hemlp.io import long_labels, numbers, regular, words
from hemlp.io.labels import LabelFile
from hemlp.io.numbers import Numbers
from hemlp.io.text import check_text, word_rows
from hemlp.io.words import Words, find_words


@contextmanager
def small():
    """Pieces, tables and long words so small that all of them occur."""
    with patch.multiple(words, PIECE=7, LONG=30), patch.object(numbers, "SORTED", 3):
        yield


letters = st.sampled_from(
    [*"abcdé\x01\x1c\u00a0\u3000", "abcdefgh", "x" * 40, " ", "  ", "\t", "\x0b", "\x0c", "\n", "\n\n", "\r\n"]
)
texts = st.lists(letters, max_size=60).map("".join)


def plain_rows(text: bytes) -> list[list[bytes]]:
    lines = text.split(b"\n")
    return [line.split() for line in (lines[:-1] if lines[-1] == b"" else lines)]


@given(texts)
def test_words_and_rows_are_those_of_split(text):
    data = text.encode()
    begins, ends, ptr = find_words(data)
    rows = [[data[begins[k] : ends[k]] for k in range(*pair)] for pair in pairwise(ptr)]
    assert rows == plain_rows(data)
    with small():
        labels, codes, ptr = word_rows(data, "y")
    assert [[labels[c].encode() for c in codes[slice(*pair)]] for pair in pairwise(ptr)] == rows
    assert labels == list(dict.fromkeys(word.decode() for row in rows for word in row))


sizes = st.one_of(st.integers(1, 14), st.sampled_from([16, 20, 30, 31, 255, 256, 257, 600]))


@given(st.lists(st.tuples(sizes, st.sampled_from("ab"), st.sampled_from("ab")), max_size=50), st.booleans())
def test_words_are_numbered_in_the_order_in_which_they_appear(made, cut):
    """Words that differ at the beginning, at the end, or in their length alone."""
    given_words = [(first + "-" * (size - 2) + last)[-size:].encode() for size, first, last in made]
    known: dict[bytes, int] = {}
    expected = [known.setdefault(word, len(known)) for word in given_words]
    text = b" ".join(given_words)
    begins, ends, _ = find_words(text)
    found, codes = Words(), []
    with small() if cut else patch.object(numbers, "SORTED", 2):
        for k in range(0, len(given_words), 20):
            codes += found.codes(text, begins[k : k + 20], ends[k : k + 20]).tolist()
    assert codes == expected
    assert found.distinct == b"".join(word + b"\n" for word in known)


def test_words_of_equal_hash_are_told_apart(monkeypatch):
    """By the first two salts all words have the same hash, so a third one is taken."""
    usual, salts = Words._hashes, []

    def hashes(self, parts):
        salts.append((int(self._factor) - words.FACTOR) // 2)
        return usual(self, parts) * np.uint64(salts[-1] > 1)

    monkeypatch.setattr(Words, "_hashes", hashes)
    labels, codes, _ = word_rows(b"first-word-of-all second-word-of-all\nfirst-word-of-all x\n", "y")
    assert salts == [0, 1, 2]
    assert labels == ["first-word-of-all", "second-word-of-all", "x"]
    assert codes.tolist() == [0, 1, 0, 2]


@pytest.mark.parametrize("multiplier", [0x9E3779B97F4A7C15, 0, 2**63])
def test_numbers_of_keys_whatever_their_slots(monkeypatch, multiplier):
    """With a multiplier of 0 all keys want the first slot."""
    monkeypatch.setattr(numbers, "MULTIPLIER", np.uint64(multiplier))
    monkeypatch.setattr(numbers, "SORTED", 50)
    rng = np.random.default_rng(0)
    table, known = Numbers(), {}
    for size, most in ((1, 1), (300, 40), (400, 900), (0, 1), (500, 2**64 - 1)):
        keys = rng.integers(0, most, size, np.uint64, endpoint=True)
        before = len(known)
        expected = [known.setdefault(key, len(known)) for key in keys.tolist()]
        found, new = table.find(keys)
        assert found.tolist() == expected
        assert keys[new].tolist() == list(known)[before:]
    assert table.count == len(known)


def test_runs_of_equal_keys_are_looked_up_once(monkeypatch):
    table, looked = Numbers(), []
    usual = Numbers._look_up
    monkeypatch.setattr(Numbers, "_look_up", lambda self, keys: looked.append(keys.size) or usual(self, keys))
    keys = np.repeat(np.array([7, 9, 7, 0], np.uint64), [100, 50, 30, 20])
    found, new = table.find(keys)
    assert found.tolist() == [0] * 100 + [1] * 50 + [0] * 30 + [2] * 20
    assert new.tolist() == [0, 100, 180]
    assert max(looked) == 4


@pytest.mark.parametrize("place", [0, 3, 40, 99])
def test_the_line_of_a_word_that_is_no_text(tmp_path, place):
    lines = [b"good words here", b"", b"more good"] * 33 + [b"last"]
    lines[place] += b" bad\xff"
    (tmp_path / "y.txt").write_bytes(b"\n".join(lines) + b"\nbad\xff later\n")
    with small(), pytest.raises(FileFormatError, match=rf"line {place + 1}: b'bad\\xff' is not UTF-8") as caught:
        read_labels(tmp_path / "y.txt")
    assert caught.value.line == place + 1
    with pytest.raises(FileFormatError, match=rf"line {place + 1}: b'bad\\xff' is not UTF-8"):
        list(LabelFile(tmp_path / "y.txt").blocks(7))


# ---- long format

CELLS = ["a", "b", "c d", "d1", "d2", "", " ", " a", "a ", "é", "\u00a0a", "x" * 40, "'", "#"]
QUOTED = ['"a"', '""', '"a b"', '"a,b"', 'a"b', '"a""b"']
cells = st.sampled_from([*CELLS, *QUOTED])


@st.composite
def tables(draw) -> tuple[str, str]:
    """Most of them regular, and some not: blank lines, too many cells, quotes of all kinds."""
    sep = draw(st.sampled_from([",", "\t", ";", "|"]))
    width = draw(st.integers(2, 3))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    odd = st.sampled_from(["", "  ", "a", sep, sep * 4, f"a{sep}b{sep}c{sep}d"])
    usual = st.lists(cells, min_size=width, max_size=width).map(sep.join)
    lines = draw(st.lists(st.one_of(*[usual] * 12, odd), max_size=12))
    if draw(st.booleans()):
        lines = [line.replace('"', "").replace(" ", "") or f"a{sep}b" for line in lines]
    header = sep.join(["id", "label", "more"][:width])
    last = draw(st.sampled_from(["", end, end * 3]))
    return sep, header + end + end.join(lines) + last


def long_sets(data: bytes, sep: str) -> object:
    """Everything about the label sets, or the words of the error."""
    try:
        found = long_labels.read_long(check_text(data, "y"), "y", sep, "id", "label")
    except HemlpError as error:
        return type(error), str(error)
    return (
        found.vocabulary, found.ptr.tolist(), found.codes.tolist(), found.ids,
        None if found.lines is None else found.lines.tolist(),
    )  # fmt: skip


@given(tables())
def test_regular_tables_are_what_going_through_the_lines_gives(made):
    sep, text = made
    data = text.encode()
    with patch.object(long_labels, "regular_columns", lambda *_: None):
        expected = long_sets(data, sep)
    assert long_sets(data, sep) == expected
    with small():
        assert long_sets(data, sep) == expected


@pytest.mark.parametrize("size", range(1, 25))
@pytest.mark.parametrize(
    "text",
    [
        "id,label\nd1,a\n\nd2,b\n\n\nd3,\n",
        'id,label\n",a"\nd1,b\n',
        'id,label\nd1,"\nd2,a"b\n',
        "id,label\n\n\n",
        "id,label\nd1,a\n\nd2,b\n",
    ],
)
def test_tables_that_look_regular_somewhere(monkeypatch, text, size):
    monkeypatch.setattr(words, "PIECE", size)
    found = long_sets(text.encode(), ",")
    monkeypatch.setattr(long_labels, "regular_columns", lambda *_: None)
    assert found == long_sets(text.encode(), ",")


REGULAR = {
    "tabs": ("\t", "id\tlabel\nd1\ta\nd2\tb c\nd1\t\n"),
    "returns": ("\t", "id\tlabel\r\nd1\ta\r\nd2\tb c\r\nd1\t\r\n\r\n"),
    "no end": (",", "id,label\nd1,a\nd2,b c\nd1,"),
    "quotes": (",", '"id","label"\n"d1","a"\nd2,"b c"\n"d1",""\n'),
    "blanks": (",", "id,label\n d1 ,a\nd2, b c\nd1, \n"),
    "quotes between tabs": ("\t", "id\tlabel\nd1\ta\nd2\tb c\nd1\t\n"),
}


@pytest.mark.parametrize("kind", REGULAR)
def test_usual_tables_are_regular(monkeypatch, kind):
    """So that they are fast, and not only right."""
    sep, text = REGULAR[kind]
    monkeypatch.setattr(long_labels, "from_pairs", lambda *_: pytest.fail("line by line"))
    found = long_labels.read_long(text.encode(), "y", sep, None, None)
    assert (found.ids, list(found)) == (("d1", "d2"), [("a",), ("b c",)])
    assert found.place(1) == "y, line 3 (instance 'd2')"


@pytest.mark.parametrize(
    "text", ["id,label\n\nd1,a\n", "id,label\nd1\n", 'id,label\nd1,"a,b"\n', 'id,label\nd1,a"b\n', "id,label\n,a\n"]
)
def test_other_tables_are_read_line_by_line(text):
    found = regular.regular_columns(text.encode(), ",", 2, (0, 1))
    assert found is None or "" in found[0][0]


def test_separators_that_mean_something_else_are_left_to_csv():
    for sep in (" ", '"', "¦"):
        assert regular.regular_columns(f"id{sep}label\na{sep}b\n".encode(), sep, 2, (0, 1)) is None


def test_rows_of_an_instance_may_be_apart():
    made = long_labels.read_long(b"id,label\nb,x\na,y\nb,z\na,\n", "y.csv", ",", None, None)
    assert (made.ids, list(made), made.lines.tolist()) == (("b", "a"), [("x", "z"), ("y",)], [2, 4, 3])
    assert isinstance(made, LabelSets)
