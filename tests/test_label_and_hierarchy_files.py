from __future__ import annotations

import gzip
import io
import os
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hemlp import Batch, Hierarchy, examples, read_hierarchy, read_labels
from hemlp.errors import CyclicHierarchy, EmptyHierarchy, FileFormatError, InvalidWeight, UnknownLabel, UnreadableFile
from hemlp.hierarchy.formats.obo import read_terms

ANIMALS = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
SPACED = Hierarchy.from_edges([("all animals", "mammals, all"), ("mammals, all", "sheep")])


def write(folder, name, content):
    path = folder / name
    data = content if isinstance(content, bytes) else content.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("h.txt", "animal mammal\nmammal sheep\nmammal cow\n", ANIMALS),
        ("h.txt", "# a remark of words\n\nanimal mammal\r\n  mammal\t sheep \r\n\nmammal cow", ANIMALS),
        ("h.txt", "\ufeffanimal mammal\nmammal sheep\nmammal cow\nmammal cow\n", ANIMALS),
        ("h.txt", "parent child\nanimal mammal\nmammal sheep\nmammal cow\n", ANIMALS),
        ("h.txt", "child parent\nmammal animal\nsheep mammal\ncow mammal\n", ANIMALS),
        ("h.txt.gz", "animal mammal\nmammal sheep\nmammal cow\n", ANIMALS),
        ("h.tsv", "animal\tmammal\nmammal\tsheep\nmammal\tcow\n", ANIMALS),
        ("h.txt", "animal,mammal\nmammal,sheep\nmammal,cow\n", ANIMALS),
        ("h.txt", "animal, mammal\nmammal, sheep\nmammal, cow\n", ANIMALS),
        ("h.csv", "child,parent\nmammal,animal\nsheep,mammal\ncow,mammal\n", ANIMALS),
        ("h.csv.gz", "id,Parent,Child\n1,animal,mammal\n2,mammal,sheep\n3,mammal,cow\n", ANIMALS),
        ("h.txt", "all animals\tmammals, all\n# no\nmammals, all\tsheep\n", SPACED),
        ("h.csv", 'all animals,"mammals, all"\n"mammals, all", sheep\n', SPACED),
        ("h.csv", "parent,child,weight\na,b,2.5\n", Hierarchy.from_edges([("a", "b", 2.5)])),
        ("h.txt", "a#1 b#2\n", Hierarchy.from_edges([("a#1", "b#2")])),
        ("h.txt", "é ü\n", Hierarchy.from_edges([("é", "ü")])),
        ("h.txt", "1 2\n", Hierarchy.from_edges([("1", "2")])),
        ("h.txt", "a\u00a0b c\n", Hierarchy.from_edges([("a\u00a0b", "c")])),
    ],
)  # fmt: skip
def test_hierarchy_files(tmp_path, name, content, expected):
    assert read_hierarchy(write(tmp_path, name, content)) == expected


def test_hierarchy_options(tmp_path):
    file = write(tmp_path, "h.txt", "#news #sport\n")
    assert read_hierarchy(file, comment=None) == Hierarchy.from_edges([("#news", "#sport")])
    file = write(tmp_path, "h.txt", "a|b c\n")
    assert read_hierarchy(file, sep="|") == Hierarchy.from_edges([("a", "b c")])
    file = write(tmp_path, "h.txt", "a b\nb a\n")
    assert len(read_hierarchy(file, cycles="condense")) == 1
    assert read_hierarchy(file, cycles="break").dropped_edges == (("b", "a"),)
    file = write(tmp_path, "h.txt", "a b\n")
    assert read_hierarchy(file, classes=["x", "a", 1]) == Hierarchy.from_edges([("a", "b")], classes=["x", 1])
    assert read_hierarchy(write(tmp_path, "none.txt", ""), classes=["x"]).roots == {"x"}


@pytest.mark.parametrize(
    ("name", "content", "error", "words"),
    [
        ("h.txt", "", EmptyHierarchy, r"h\.txt: the hierarchy has no class"),
        ("h.csv", "parent,child\n", EmptyHierarchy, r"h\.csv: the hierarchy has no class"),
        ("h.txt", "# only\n", EmptyHierarchy, "no class"),
        ("h.txt", "a b\nb c\n\nc\n", FileFormatError, r"h\.txt, line 4: .* not 1 word;"),
        ("h.txt", "a b\n# x y\nb c d\n", FileFormatError, r"h\.txt, line 3: .* not 3 words"),
        ("h.csv", "a,b\nc\n", FileFormatError, r"h\.csv, line 2: .* not \['c'\]"),
        ("h.csv", "a,b\n,c\n", FileFormatError, r"h\.csv, line 2"),
        ("h.csv", 'a,b\n"a,c\n', FileFormatError, r"h\.csv, line 2"),
        ("h.csv", "parent,child,weight\na,b,far\n", InvalidWeight, r"h\.csv: edge 1, 'a' → 'b'"),
        ("h.txt", b"a b\nc \xff\n", FileFormatError, r"h\.txt, line 2: b'\\xff' is not UTF-8"),
        ("h.csv", b"a,b\nc,\xff\n", FileFormatError, r"h\.csv, line 2: not UTF-8"),
        ("h.txt", "a b\n".encode("utf-16"), FileFormatError, "zero byte"),
        ("h.txt", "a b\rb c\r", FileFormatError, "carriage returns"),
        ("h.gz", b"", FileFormatError, "damaged gzip"),
        ("h.txt", "a b\nb a\n", CyclicHierarchy, r"h\.txt: the hierarchy has a cycle"),
    ],
)  # fmt: skip
def test_bad_hierarchy_files(tmp_path, name, content, error, words):
    path = write(tmp_path, name, content)
    if name == "h.gz":
        path.write_bytes(gzip.compress(b"a b\n" * 100)[:-9])
    with pytest.raises(error, match=words):
        read_hierarchy(path)


def test_files_that_cannot_be_read(tmp_path):
    for read in (read_hierarchy, read_labels):
        with pytest.raises(UnreadableFile, match="absent.txt: no such file"):
            read(tmp_path / "absent.txt")
        with pytest.raises(UnreadableFile, match="is a directory"):
            read(tmp_path)
    if os.geteuid() != 0:
        secret = write(tmp_path, "secret.txt", "a b\n")
        secret.chmod(0)
        with pytest.raises(UnreadableFile, match="permission denied"):
            read_hierarchy(secret)


# ---- label files


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n\t \x0b\x0c"), min_size=1))))
def test_label_files_give_back_what_was_written(tmp_path_factory, rows):
    content = "".join(" ".join(row) + "\n" for row in rows)
    path = write(tmp_path_factory.mktemp("labels"), "y.txt", content)
    if not content.startswith("\ufeff"):
        assert list(read_labels(path)) == [tuple(row) for row in rows]


@pytest.mark.parametrize(
    ("name", "content", "options", "rows"),
    [
        ("y.txt", "a b\n\nc\n", {}, [("a", "b"), (), ("c",)]),
        ("y.txt", "\na\n\n", {}, [(), ("a",), ()]),
        ("y.txt", "a\r\n\r\nb a", {}, [("a",), (), ("b", "a")]),
        ("y.txt", "", {}, []),
        ("y.txt", "\n", {}, [()]),
        ("y.txt", "  \t\n#a\n", {}, [(), ("#a",)]),
        ("y.txt.gz", "a b\n\n", {}, [("a", "b"), ()]),
        ("y.txt", "a b, c\n\n", {"sep": ","}, [("a b", "c"), ()]),
    ],
)
def test_label_files(tmp_path, name, content, options, rows):
    assert list(read_labels(write(tmp_path, name, content), **options)) == rows


def test_long_label_files(tmp_path):
    made = read_labels(write(tmp_path, "y.csv", 'id,label\nd2,b\nd1,"a, x"\nd3,\nd2,c\n'))
    assert made.ids == ("d2", "d1", "d3")
    assert list(made) == [("b", "c"), ("a, x",), ()]
    made = read_labels(write(tmp_path, "y.tsv.gz", 'doc\tn\ttopic\n1\t7\ta "b\n'), id="doc", label="topic")
    assert (made.ids, list(made)) == (("1",), [('a "b',)])
    bad = read_labels(write(tmp_path, "bad.csv", "id,label\n1,cow\n2,sheep\n1,sheeep\n"))
    with pytest.raises(UnknownLabel, match=r"bad\.csv, line 4 \(instance '1'\): label 'sheeep'.*'sheep'"):
        Batch.of(ANIMALS, bad, bad)
    with pytest.raises(FileFormatError, match=r"line 1: no column 'label'; the columns are \['id', 'lab'\]"):
        read_labels(write(tmp_path, "y.csv", "id,lab\n1,2\n"))
    with pytest.raises(FileFormatError, match="line 3: 1 cells"):
        read_labels(write(tmp_path, "y.csv", "id,label\n1,2\n1\n"))


def test_bad_label_files(tmp_path):
    bad = read_labels(write(tmp_path, "gold.txt", "cow\n\nsheep shep\n"))
    with pytest.raises(UnknownLabel, match=r"gold\.txt, row 3: label 'shep'"):
        Batch.of(ANIMALS, bad, bad)
    with pytest.raises(FileFormatError, match="line 2: .* is not UTF-8"):
        read_labels(write(tmp_path, "y.txt", b"a\n\xe9t\xe9\n"))
    with pytest.raises(FileFormatError, match="line 1: an empty label"):
        read_labels(write(tmp_path, "y.txt", "a,,b\n"), sep=",")


# ---- OBO

OBO = """format-version: 1.2

[Term]
id: X:1
name: root

[Term]
id: X:2
name: part
alt_id: X:22
alt_id: X:23
is_a: X:1 ! root

[Term]
id: X:3
relationship: part_of X:2

[Term]
id: X:4
is_obsolete: true
replaced_by: X:2

[Term]
id: X:5
is_obsolete: true
consider: X:1

[Typedef]
id: part_of
name: part of
"""


def test_obo(tmp_path):
    file = write(tmp_path, "x.obo", OBO)
    with pytest.warns(UserWarning, match=r"x\.obo: 1 part_of is not followed \(relations=, --relation is_a"):
        h = read_hierarchy(file)
    assert read_hierarchy(file, relations=("is_a",)) == h
    assert set(h) == {"X:1", "X:2", "X:3"}
    assert dict(h.aliases) == {"X:22": "X:2", "X:23": "X:2", "X:4": "X:2"}
    assert h.roots == {"X:1", "X:3"}
    assert "X:5" not in h
    both = read_hierarchy(write(tmp_path, "x.obo.gz", OBO), relations=("is_a", "part_of"))
    assert both.distance("X:3", "X:22") == 1
    with pytest.raises(FileFormatError, match="no relation 'regulates'; it has is_a, part_of"):
        read_hierarchy(file, relations=("regulates",))
    with pytest.raises(FileFormatError, match="no relation 'is_a,part_of': give each by itself, repeat --relation; it"):
        read_hierarchy(file, relations=("is_a,part_of",))


@pytest.mark.parametrize("seed", range(8))
def test_ontologies_are_read_as_others_read_them(tmp_path, seed):
    obonet = pytest.importorskip("obonet", reason="obonet is what OBO files are compared with: NOT compared")
    rng = random.Random(seed)
    ids = [f"T:{k:02}" for k in range(12)]
    stanzas = []
    for k, name in enumerate(ids):
        lines = [
            f"id: {name}",
            f"name: {rng.choice(['plain', 'with: colon', 'wow! so', 'x {y: z}', 'a ! note', 'b {q} ! c'])}",
        ]
        for parent in rng.sample(ids[:k], min(k, rng.randint(0, 2))):
            tail = rng.choice(["", " ! comment", ' {source="a"}', ' {source="a"} ! comment'])
            lines.append(rng.choice([f"is_a: {parent}{tail}", f"relationship: part_of {parent}{tail}"]))
        lines += [f"alt_id: X:{k}"] if rng.random() < 0.3 else []
        lines += ["is_obsolete: true", f"replaced_by: {rng.choice(ids)}"] if rng.random() < 0.2 else []
        stanzas.append("[Term]\n" + "\n".join(lines) + '\ndef: "x: y" [a:b]\n')
    text = "format-version: 1.2\n! remark\n\n" + "\n".join(stanzas) + "\n[Typedef]\nid: part_of\nname: part of\n"
    terms = read_terms(text.encode(), "x.obo")
    graph = obonet.read_obo(io.StringIO(text), ignore_obsolete=False)
    theirs = {(child, relation, parent) for child, parent, relation in graph.edges(keys=True)}
    assert {(child, relation, parent) for relation, parent, child in terms.links} == theirs
    for name, data in graph.nodes(data=True):
        assert terms.names[name] == data["name"]
        assert (name in terms.obsolete) == (data.get("is_obsolete") == "true")
        assert [other for of, other in terms.other_ids if of == name] == data.get("alt_id", [])
        assert [other for of, other in terms.replacements if of == name] == data.get("replaced_by", [])


def test_namespaces_of_ontologies():
    """Read alike by the quick way, and by the other, which a second stanza of a term needs."""
    text = b"[Term]\nid: A\nnamespace: a ! b\n\n[Term]\nid: B\nis_a: A\nnamespace: b\n\n[Term]\nid: C\n"
    for data in (text, text + b"\n[Term]\nid: C\nis_a: A\n"):
        assert read_terms(data, "x.obo").namespaces == {"A": "a", "B": "b"}


def test_escapes_of_ontologies():
    terms = read_terms(b"[Term]\nid: A\nname: a\\Wb \\{c\\} \\! d\n\n[Term]\nid: A\nis_a: B\n", "x.obo")
    assert (terms.names["A"], terms.links) == ("a b {c} ! d", [("is_a", "B", "A")])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("animal sheep\n", "line 1: not an OBO file, 'animal sheep' is not a tag"),
        ("format-version: 1.2\n", "no stanza \\[Term\\] with an id"),
        ("[Term]\nname: x\nid: A\n", "line 2: 'name' of a term before its id"),
        ("[Term]\nid: A\nis_a:\n", "line 3: 'is_a:' is not about a term"),
        ("[Term]\nid: A\nrelationship: part_of\n", "line 3"),
        ("[Term]\nid: A\n\n[Term]\nis_a: A\n", "line 5: 'is_a' of a term before its id"),
    ],
)
def test_what_is_no_ontology(tmp_path, text, words):
    with pytest.raises(FileFormatError, match=words):
        read_hierarchy(write(tmp_path, "x.obo", text))


def test_bundled_example():
    example = examples.mesh_mini()
    assert (len(example.hierarchy), example.hierarchy.edges.parents.size) == (3620, 4889)
    assert len(example.systems) == 5
    for predictions in example.systems.values():
        assert len(Batch.of(example.hierarchy, example.true, predictions)) == 200
    assert example.names["D012756"] == "Sheep"


def test_real_hierarchies_can_be_read(data):
    for file, classes, edges in (
        ("go2022/go_isa_partof.txt", 43_558, 77_055),
        ("wordnet30/wordnet30_hypernyms_noun.txt", 82_115, None),
        ("wordnet30/wordnet30_hypernyms_verb.txt", 13_542, None),
        ("chebi2026/chebi2026_isa.txt.gz", 205_304, 285_589),
    ):
        h = read_hierarchy(data / file)
        assert len(h) == classes
        assert edges is None or h.edges.parents.size == edges
