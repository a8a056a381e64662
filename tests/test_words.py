"""Words and cells of files as numbers, against Python that goes through them one by one."""

from __future__ import annotations

import math
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hemlp import LabelSets, read_labels, read_weights
from hemlp.errors import FileFormatError, HemlpError, InvalidScores
from hemlp.hierarchy import class_weights
from hemlp.instances.formats import label_pairs
from hemlp.instances.formats.score_tables import read_triples
from hemlp.instances.label_files import LabelFile
from hemlp.io.text import check_text, parse_number, read_regular_cells, word_rows
from hemlp.kernels import COMPILED
from hemlp.kernels.text.splitting import first_words, split_cells, split_tags, split_words, trimmed
from hemlp.text import plain_splitting

letters = st.sampled_from(
    [*"abcdé\x01\x1c\u00a0\u3000", "abcdefgh", "x" * 40, " ", "  ", "\t", "\x0b", "\x0c", "\n", "\n\n", "\r\n"]
)
texts = st.lists(letters, max_size=60).map("".join)


def plain_rows(text: bytes) -> list[list[bytes]]:
    lines = text.split(b"\n")
    return [line.split() for line in (lines[:-1] if lines[-1] == b"" else lines)]


def decoded(found) -> list:
    """What is found, as plain values."""
    plain = [each.tolist() if isinstance(each, np.ndarray) else each for each in found]
    return [
        [own.tolist() if isinstance(own, np.ndarray) else own for own in p] if isinstance(p, list) else p for p in plain
    ]


@pytest.mark.uncompiled
@given(texts)
def test_words_and_rows_are_those_of_split(text):
    data = text.encode()
    labels, codes, ptr = word_rows(data, "y")
    rows = [[labels[c].encode() for c in codes[slice(*pair)]] for pair in pairwise(ptr)]
    assert rows == plain_rows(data)
    assert labels == list(dict.fromkeys(word.decode() for row in rows for word in row))


any_bytes = st.lists(st.sampled_from([*range(256), *b" \t,;:\n\r"] + [97] * 50), max_size=300).map(bytes)


@given(any_bytes, st.integers(0, 9), st.sampled_from([None, "\t", ",", ";", "\x0b", "a", "\x7f"]), st.data())
def test_cells_are_those_of_plain_python(text, start, sep, data):
    """Any bytes at all, between anything."""
    start = min(start, len(text))
    assert decoded(split_words(text, start)) == decoded(plain_splitting.split_words(text, start))
    for kinds in data.draw(st.sampled_from([("t", "tt"), ("-t", "ttt"), ("t-", "t-t-")])):
        found = split_cells(text, start, sep, kinds)
        assert decoded(found)[:2] + decoded(found)[4:] == (
            (plain := decoded(plain_splitting.split_cells(text, start, sep, kinds)))[:2] + plain[4:]
        )
        assert [each.dtype for each in found.codes] == [np.int32] * len(kinds)


@given(any_bytes)
def test_tags_and_first_words_are_those_of_plain_python(text):
    lines = text.removesuffix(b"\n").split(b"\n") if text else []
    letters, codes, starts, ends = split_tags(text)
    tags = letters.split(b"\n")
    assert [tags[c] for c in codes] == [line.partition(b":")[0] for line in lines]
    assert [text[a:b] if a else None for a, b in zip(starts, ends, strict=True)] == [
        line.partition(b":")[2] if b":" in line else None for line in lines
    ]
    assert trimmed(text, starts, ends) == b"".join(text[a:b].strip() + b"\n" for a, b in zip(starts, ends, strict=True))
    letters, codes = first_words(text, starts, ends)
    words = letters.split(b"\n")
    assert [words[c] if c >= 0 else None for c in codes] == [
        next(iter(text[a:b].split()), None) for a, b in zip(starts, ends, strict=True)
    ]
    assert words[:-1] == list(dict.fromkeys(words[c] for c in codes if c >= 0))


@pytest.mark.skipif(not COMPILED, reason="plain Python leaves all numbers to float")
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_many_rows_in_several_blocks(end):
    """Blank rows in between, numbers that are odd, and a wrong row at the end."""
    lines = [b"" if k % 700 == 3 else b"doc%d,%s,%s" % (k // 3, b"xyz"[k % 2 :], b"." if k % 900 == 0 else b"%d.5" % k)
             for k in range(5000)]  # fmt: skip
    for more in ([], [b"a,b"], [b"a,b,c,d"]):
        text = (end or b"\n").join([*lines, *more]) + end
        found, plain = split_cells(text, 0, ",", "ttn"), plain_splitting.split_cells(text, 0, ",", "ttn")
        assert decoded(found)[0][:2] == decoded(plain)[0][:2]
        assert decoded(found)[1][:2] == decoded(plain)[1][:2]
        assert (found.blanks, found.wrong) == (plain.blanks, plain.wrong)
        values = [float(text) for text in plain.letters[2].split()[1:]]
        kept = [k for k in range(5000) if k % 700 != 3]
        assert found.odd.tolist() == [kept.index(k) for k in range(0, 5000, 900)]
        assert found.letters[2] == b".\n"
        assert found.values[~np.isnan(found.values)].tolist() == values


sizes = st.one_of(st.integers(1, 25), st.sampled_from([255, 256, 257, 600]))


@given(st.lists(st.tuples(sizes, st.sampled_from("ab"), st.sampled_from("ab")), max_size=50))
def test_words_are_numbered_in_the_order_in_which_they_appear(made):
    """Words that differ at the beginning, at the end, or in their length alone."""
    given_words = [(first + "-" * (size - 2) + last)[-size:].encode() for size, first, last in made]
    known: dict[bytes, int] = {}
    expected = [known.setdefault(word, len(known)) for word in given_words]
    found = split_words(b" ".join(given_words), 0)
    assert found.codes.tolist() == expected
    assert found.letters == b"".join(word + b"\n" for word in known)


@pytest.mark.parametrize("width", [4, 8, 9, 30])
def test_many_words(width):
    """So many that all that grows has to, and some twice: short ones, and long ones that differ in a few places."""
    rng = np.random.default_rng(0)
    words = [str(k).zfill(width).encode() for k in rng.integers(0, 9_999, 30_000).tolist()]
    text = b"".join(word + (b"\n" if k % 3 else b"\t") for k, word in enumerate(words))
    assert decoded(split_words(text, 0)) == decoded(plain_splitting.split_words(text, 0))
    rows = b"\n".join(b"\t".join(words[k : k + 2]) for k in range(0, 30_000, 2))
    found, plain = split_cells(rows, 0, "\t", "tt"), plain_splitting.split_cells(rows, 0, "\t", "tt")
    assert decoded(found) == decoded(plain)


def test_words_of_equal_hash_are_told_apart():
    """A hash is a function that can be run backwards: for any beginning there is an end that gives the hash wanted."""
    factor, whole = 0x9E3779B97F4A7C15, 2**64

    def mixed(code: int, eight: int) -> int:
        code = (code ^ eight) * factor % whole
        return code ^ (code >> 32)

    def ends_in(code: int, wanted: int) -> bytes:
        product = wanted ^ (wanted >> 32)
        return (product * pow(factor, -1, whole) % whole ^ code).to_bytes(8, "little")

    def told_apart(words: list[bytes]) -> bool:
        words = [word for word in words if not {*word} & {*b" \t\n\r\x0b\x0c"}]
        found = split_words(b"\n".join(words * 2), 0)
        return len(words) > 100 and (found.letters.split(b"\n")[:-1], found.codes.tolist()) == (
            words, [*range(len(words))] * 2,
        )  # fmt: skip

    begins = [f"{k:08}".encode() for k in range(300)]
    codes = [mixed(0, int.from_bytes(begin, "little")) for begin in begins]
    assert told_apart([begin + ends_in(code, codes[0]) for begin, code in zip(begins, codes, strict=True)])
    more = [
        (begin * 2, mixed(code, int.from_bytes(begin, "little"))) for begin, code in zip(begins, codes, strict=True)
    ]
    assert told_apart([word for begin, code in more for word in (begin + ends_in(code, code), begin)])


ODD = ["", " 1", "1 ", "1_0", "nan", "inf", "1e5", "0x1", "٣", "1,5", "-0", "-.0", "1.", ".", "+.5", "1.2.3"]
numerals = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.decimals(0, 1, allow_nan=False, places=17).map(str),
    st.text("0123456789.+-", max_size=8),
    st.text("0123456789", min_size=12, max_size=26).map(lambda digits: f"{digits[:3]}.{digits[3:]}"),
    st.integers(0, 30).map(lambda zeros: f"-0.{'0' * zeros}7"),
    st.integers(10**14, 10**17).map(str),
    st.sampled_from(ODD),
)


@example(ODD)
@given(st.lists(numerals, min_size=1, max_size=40))
def test_plain_decimals_are_what_python_reads(texts):
    """To the last bit; what is not plain is left to Python."""
    found = split_cells("\n".join(f"{text}|{text}" for text in texts).encode(), 0, "|", "tn")
    assert found.values.size == len(texts)
    cells = found.letters[1].decode().split("\n")
    odd = dict(zip(found.odd.tolist(), found.codes[1].tolist(), strict=True))
    for k, (text, value) in enumerate(zip(texts, found.values.tolist(), strict=True)):
        if k not in odd:
            assert (value, math.copysign(1, value)) == (float(text), math.copysign(1, float(text)))
        else:
            assert math.isnan(value)
            assert cells[odd[k]] == text


@pytest.mark.skipif(not COMPILED, reason="plain Python leaves all of them to float")
def test_many_numbers():
    assert split_cells(b"7\n" * 1000, 0, None, "n").values.tolist() == [7.0] * 1000


@pytest.mark.parametrize("digits", [14, 15, 16, 17])
def test_digits_beyond_a_double(digits):
    """Where a whole number is no double, or a power of ten, a division may be rounded twice."""
    rng = np.random.default_rng(0)
    texts = [f"0.{number:0{digits}}" for number in rng.integers(1, 10**digits, 2_000).tolist()]
    found = split_cells("\n".join(texts).encode(), 0, None, "n")
    plain = ~np.isnan(found.values)
    assert plain.all() == (COMPILED and digits < 16)
    assert found.values[plain].tolist() == [float(text) for text, one in zip(texts, plain, strict=True) if one]


@pytest.mark.skipif(not COMPILED, reason="plain Python leaves all of them to float")
@pytest.mark.parametrize(
    "text", ["0.5", "-12", "+.25", "3.", "0.000000000000000000001", "123456789012.345", "00000000000000001"]
)
def test_usual_decimals_are_plain(text):
    """So that they are fast, and not only right."""
    assert split_cells(text.encode(), 0, None, "n").values.tolist() == [float(text)]


@pytest.mark.uncompiled
@given(st.lists(st.tuples(st.sampled_from(["p1", " p1", "p2"]), numerals.filter(str.strip)), min_size=1, max_size=9))
def test_scores_are_what_python_reads(made):
    data = "".join(f"{name}\tc{k}\t{score}\n" for k, (name, score) in enumerate(made)).encode()
    texts = [score.strip(" ") for _, score in made]
    numbers = [parse_number(text.encode()) for text in texts]
    bad = [k for k, number in enumerate(numbers) if number is None]
    bad = bad or [k for k, number in enumerate(numbers) if not math.isfinite(number)]
    if bad:
        with pytest.raises(InvalidScores, match=rf"line {bad[0] + 1}\b"):
            read_triples(data, "y", "\t", "error")
        return
    scores = read_triples(data, "y", "\t", "error")
    found = {
        f"{name} {label}": score for name, row in zip(scores.ids, scores, strict=True) for label, score in row.items()
    }
    expected = {f"{name.strip()} c{k}": number for k, ((name, _), number) in enumerate(zip(made, numbers, strict=True))}
    assert found == expected


@pytest.mark.parametrize("place", [0, 3, 40, 99])
def test_the_line_of_a_word_that_is_no_text(tmp_path, place):
    lines = [b"good words here", b"", b"more good"] * 33 + [b"last"]
    lines[place] += b" bad\xff"
    (tmp_path / "y.txt").write_bytes(b"\n".join(lines) + b"\nbad\xff later\n")
    with pytest.raises(FileFormatError, match=rf"line {place + 1}: b'bad\\xff' is not UTF-8") as caught:
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
        found = label_pairs.read_pairs(check_text(data, "y"), "y", sep, "id", "label")
    except HemlpError as error:
        return type(error), str(error)
    return (
        found.vocabulary, found.ptr.tolist(), found.codes.tolist(), found.ids,
        None if found.lines is None else found.lines.tolist(),
    )  # fmt: skip


@pytest.mark.uncompiled
@given(tables())
def test_regular_tables_are_what_going_through_the_lines_gives(made):
    sep, text = made
    data = text.encode()
    with patch.object(label_pairs, "read_regular_cells", lambda *_: None):
        expected = long_sets(data, sep)
    assert long_sets(data, sep) == expected


@pytest.mark.parametrize(
    "text",
    [
        "id,label\nd1,a\n\nd2,b\n\n\nd3,\n",
        'id,label\n",a"\nd1,b\n',
        'id,label\nd1,"\nd2,a"b\n',
        "id,label\n\n\n",
        'id,label\na,a\na,"a"',
        'id,label\n"a",b\n"a ",b\n a,"b"',
        "id,label\nd1,a\n\nd2,b\n",
    ],
)
def test_tables_that_look_regular_somewhere(monkeypatch, text):
    found = long_sets(text.encode(), ",")
    monkeypatch.setattr(label_pairs, "read_regular_cells", lambda *_: None)
    assert found == long_sets(text.encode(), ",")


REGULAR = {
    "tabs": ("\t", "id\tlabel\nd1\ta\nd2\tb c\nd1\t\n"),
    "returns": ("\t", "id\tlabel\r\nd1\ta\r\nd2\tb c\r\nd1\t\r\n\r\n"),
    "no end": (",", "id,label\nd1,a\nd2,b c\nd1,"),
    "quotes": (",", '"id","label"\n"d1","a"\nd2,"b c"\n"d1",""\n'),
    "quotes between semicolons": (";", '"id";"label"\n"d1";"a"\nd2;"b c"\n"d1";""\n'),
    "blanks": (",", "id,label\n d1 ,a\nd2, b c\nd1, \n"),
    "quotes between tabs": ("\t", "id\tlabel\nd1\ta\nd2\tb c\nd1\t\n"),
}


@pytest.mark.parametrize("kind", REGULAR)
def test_usual_tables_are_regular(monkeypatch, kind):
    """So that they are fast, and not only right."""
    sep, text = REGULAR[kind]
    monkeypatch.setattr(label_pairs, "from_pairs", lambda *_: pytest.fail("line by line"))
    found = label_pairs.read_pairs(text.encode(), "y", sep, None, None)
    assert (found.ids, list(found)) == (("d1", "d2"), [("a",), ("b c",)])
    assert found.place(1) == "y, line 3 (instance 'd2')"


@pytest.mark.parametrize("text", ["id,label\nd1\n", 'id,label\nd1,"a,b"\n', 'id,label\nd1,a"b\n', "id,label\n,a\n"])
def test_other_tables_are_read_line_by_line(text):
    found = read_regular_cells(text.encode(), "y", ",", 2, (0, 1))
    assert found is None or "" in found.texts[0]


def test_separators_that_mean_something_else_are_left_to_csv():
    for sep in (" ", '"', "¦"):
        assert read_regular_cells(f"id{sep}label\na{sep}b\n".encode(), "y", sep, 2, (0, 1)) is None


def test_rows_of_an_instance_may_be_apart():
    made = label_pairs.read_pairs(b"id,label\nb,x\na,y\nb,z\na,\n", "y.csv", ",", None, None)
    assert (made.ids, list(made), made.lines.tolist()) == (("b", "a"), [("x", "z"), ("y",)], [2, 4, 3])
    assert isinstance(made, LabelSets)


# ---- weights

weight_lines = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", "GO:1", " d", "é", "", "\x1c"]),
        st.sampled_from(["\t", " \t", "\t\t", ""]),
        numerals,
    ),
    max_size=5,
).map(lambda rows: "".join(f"{''.join(row)}\n" for row in rows))


@pytest.mark.parametrize("plain", [["0.5"], ["1", "0", "2.25"], ["-0.0", "+1"]])
def test_usual_weights_are_plain(plain, tmp_path, monkeypatch):
    """So that they are fast, and not only right."""
    if not COMPILED:
        pytest.skip("plain Python leaves all numbers to float")
    monkeypatch.setattr(class_weights, "parse_number", lambda _: pytest.fail("line by line"))
    (tmp_path / "w.tsv").write_text("".join(f"c{k}\t{text}\n" for k, text in enumerate(plain)))
    found = read_weights(tmp_path / "w.tsv")
    assert {key: repr(value) for key, value in found.items()} == {
        f"c{k}": repr(float(t) + 0.0) for k, t in enumerate(plain)
    }


@example("a\t1\na\t1\n")
@example("a\t1\nb\t-1\n")
@example("a\t1\nb\tnan\n")
@example("a\t1\n\t2\n")
@example("a\t1\n\nb\t2\n")
@example("a\t1\nb\x1c\t2\n")
@example("a\t1\t2\n")
@given(weight_lines)
def test_weights_are_what_going_through_the_lines_gives(text):
    def read() -> object:
        with patch.object(class_weights, "read_bytes", lambda _: ("w.tsv", text.encode())):
            try:
                return list(class_weights.read_weights("w.tsv").items())
            except HemlpError as error:
                return type(error), str(error)

    found = read()
    with patch.object(class_weights, "_plain_weights", lambda *_: None):
        assert repr(found) == repr(read())
