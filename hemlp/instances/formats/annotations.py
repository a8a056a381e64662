"""Annotations of genes and proteins in the formats of the Gene Ontology: GAF (1.0 to 2.2) and GPAD (1.1 to 2.0)."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from hemlp.errors import FileFormatError, InvalidOption
from hemlp.instances.formats.label_pairs import from_pairs
from hemlp.instances.label_sets import LabelSets
from hemlp.io.text import decode
from hemlp.options import did_you_mean
from hemlp.text.tables import plural

EXPERIMENTAL = ("EXP", "IDA", "IPI", "IMP", "IGI", "IEP", "HTP", "HDA", "HMP", "HGI", "HEP")
"""What the group "experimental" stands for."""
CODES = {
    "ECO:0000269": "EXP", "ECO:0000314": "IDA", "ECO:0000353": "IPI", "ECO:0000315": "IMP", "ECO:0000316": "IGI",
    "ECO:0000270": "IEP", "ECO:0006056": "HTP", "ECO:0007005": "HDA", "ECO:0007001": "HMP", "ECO:0007003": "HGI",
    "ECO:0007007": "HEP", "ECO:0000250": "ISS", "ECO:0000266": "ISO", "ECO:0000247": "ISA", "ECO:0000255": "ISM",
    "ECO:0000317": "IGC", "ECO:0000318": "IBA", "ECO:0000319": "IBD", "ECO:0000320": "IKR", "ECO:0000321": "IRD",
    "ECO:0000245": "RCA", "ECO:0000304": "TAS", "ECO:0000303": "NAS", "ECO:0000305": "IC", "ECO:0000307": "ND",
    "ECO:0000501": "IEA",
}  # fmt: skip
"""Evidence codes of GAF by those of GPAD."""
_VERSION = re.compile(rb"!\s*(gaf|gpad?)-version:\s*([\d.]+)", re.IGNORECASE)


class Columns(NamedTuple):
    """The positions of columns in a line; ``least``: the least number of cells."""

    name: str
    id: int
    qualifier: int
    term: int
    evidence: int
    least: int


def find_columns(data: bytes, kind: str) -> Columns | None:
    """The columns of a GAF or GPAD file, by its first lines or its suffix; None for any other file."""
    version = next((match for line in data[:20_000].split(b"\n") if (match := _VERSION.match(line))), None)
    if version is None and kind not in (".gaf", ".gpad", ".gpa"):
        return None
    gaf = version[1].lower() == b"gaf" if version else kind == ".gaf"
    number = version[2].decode() if version else ""
    if gaf:
        return Columns(f"GAF {number}".strip(), 1, 3, 4, 6, 15)
    if number.startswith("2"):
        return Columns(f"GPAD {number}", 0, 1, 3, 5, 10)
    return Columns(f"GPAD {number}".strip(), 1, 2, 3, 5, 10)


def choose_evidence(evidence: str | Sequence[str]) -> set[str]:
    """Evidence codes between commas or in a list, with what the group "experimental" stands for."""
    given = evidence.split(",") if isinstance(evidence, str) else evidence
    chosen: set[str] = set()
    for code in (each.strip() for each in given):
        known = {*CODES, *CODES.values(), "experimental"}
        if code not in known and not re.fullmatch(r"ECO:\d{7}", code):
            raise InvalidOption(f"there is no evidence code {code!r}{did_you_mean(code, known)}")
        chosen |= {*EXPERIMENTAL} if code == "experimental" else {CODES.get(code, code)}
    return chosen


def read_annotations(data: bytes, source: str, format: str, evidence: str | Sequence[str] | None = None) -> LabelSets:
    """The terms of each gene product, by its id in its database, without NOT annotations."""
    columns = find_columns(data, f".{format}")
    assert columns is not None
    chosen = None if evidence is None else choose_evidence(evidence)
    pairs: dict[tuple[str, str], int] = {}
    databases: dict[str, str] = {}
    left_out: Counter[str] = Counter()
    for number, line in enumerate(decode(data, source).split("\n"), 1):
        if not line.strip() or line.startswith("!"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) < columns.least:
            what = f"{len(cells)} cells between tabs instead of {columns.least} or more"
            raise FileFormatError(f"{source}, line {number}: {what}, as {columns.name} has", number)
        database, key = cells[:2] if columns.id else cells[0].partition(":")[::2]
        term, code = cells[columns.term], CODES.get(cells[columns.evidence], cells[columns.evidence])
        if not (database and key and term and code):
            raise FileFormatError(f"{source}, line {number}: no database, id, term or evidence code", number)
        if databases.setdefault(key, database) != database:
            both = f"{databases[key]} and of {database}"
            raise FileFormatError(f"{source}, line {number}: {key!r} is an id of {both}: give a file of each", number)
        if "NOT" in cells[columns.qualifier].upper().split("|"):
            left_out["with NOT"] += 1
        elif chosen is not None and code not in chosen and cells[columns.evidence] not in chosen:
            left_out["of other evidence"] += 1
        else:
            pairs.setdefault((key, term), number)
    if left_out:
        counts = ", ".join(f"{plural(count, 'annotation')} {what}" for what, count in sorted(left_out.items()))
        warnings.warn(f"{source}: left out {counts}", stacklevel=2)
    if not pairs:
        raise FileFormatError(f"{source} has no annotation" + (" that is left" if left_out else ""))
    keys, terms = zip(*pairs, strict=True)
    return replace(from_pairs(list(keys), list(terms), source, list(pairs.values())), layout=columns.name)
