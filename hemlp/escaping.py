"""Escaping of names for terminals, HTML, Markdown, LaTeX, CSV and JSON: one function for each.

A name of a system, class, instance, measure or file may hold anything: line ends, escape sequences of terminals, marks
that turn the direction of writing, markup of every kind, formulas of spreadsheets.

>>> printable("a\\n\\x1b[31mb"), markdown("<b>|x"), csv_cell("=1+1"), csv_value("'=1+1")
('a\\\\n\\\\x1b[31mb', '&lt;b&gt;\\\\|x', "'=1+1", '=1+1')
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

_BEYOND = "\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff"
_HIDDEN = re.compile(f"[\x00-\x1f{_BEYOND}]")
_HIDDEN_IN_JSON = re.compile(f"[{_BEYOND}]")  # others are escaped by JSON itself
_MARKDOWN = re.compile(r"[\\`*\[{$|~]|(?<![^\W_])_|_(?![^\W_])|(?<=\s)#(?=#*\s*$)")
# within a word an underscore means nothing; hashes at the end of a title would end it
_LATEX = str.maketrans(
    {"\\": r"\textbackslash{}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}",
     "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
     "|": r"\textbar{}", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "−": "$-$", "τ": r"$\tau$"}
)  # fmt: skip
_UNSEEN = r"\s\x00-\x1f\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
_BEGIN = rf"(?:[\t\r\n]|[{_UNSEEN}]*[=+\-@＝＋－＠﹦﹢﹣﹫\u2212])"
# of a formula: what is not seen is cut off by some spreadsheets, and wide or small signs are taken for the others
_FORMULA = re.compile(f"'*{_BEGIN}")
_NEUTRALISED = re.compile(f"'+{_BEGIN}")
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


def printable(text: str) -> str:
    """On one line; what steers a terminal, turns the direction or cannot be shown is written as Python writes it."""
    return _HIDDEN.sub(lambda match: ascii(match.group())[1:-1], text)


def markup(text: str) -> str:
    """For HTML, SVG and XML."""
    from html import escape

    return escape(printable(text))


def markdown(text: str) -> str:
    """For a cell of a Markdown table, or within a line."""
    safe = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(r"\\\g<0>", safe)


def markdown_line(text: str) -> str:
    """For the beginning of a line of Markdown, where more characters have a meaning."""
    import string

    safe = markdown(text).lstrip()
    if safe[:1] in set(string.punctuation) - {"\\", "&"}:
        return f"\\{safe}"
    return re.sub(r"^(\d+)([.)])", r"\1\\\2", safe)


def latex(text: str) -> str:
    """For a cell of a LaTeX table. After the end of a row a star or a bracket would belong to that."""
    safe = printable(text).translate(_LATEX).replace("--", "-{}-")
    return f"{{}}{safe}" if safe[:1] in ("[", "*") else safe


def encodable(text: str) -> str:
    """For a file in UTF-8, which cannot hold halves of characters: they are written as Python writes them."""
    return re.sub("[\ud800-\udfff]", lambda match: ascii(match.group())[1:-1], text)


def csv_cell(text: str) -> str:
    """For a CSV file: what a spreadsheet would take for a formula gets an apostrophe, numbers stay as they are."""
    text = encodable(text)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def csv_value(cell: str) -> str:
    """The text that ``csv_cell`` made a cell of."""
    return cell[1:] if _NEUTRALISED.match(cell) else cell


def json_text(value: Any, indent: int | None = None) -> str:
    """As JSON, without characters that steer a terminal; it is an error if there is a nan or an infinite number."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return _HIDDEN_IN_JSON.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def json_number(value: float) -> float | str | None:
    """A number for JSON, which has no nan (null here) and no infinite ones ("Infinity" and "-Infinity" here)."""
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"
