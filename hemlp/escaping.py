"""Escape names for terminals, HTML, Markdown, LaTeX, CSV and JSON.

A name may hold anything: line ends, terminal sequences, marks of writing direction, markup, spreadsheet formulas.

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
# an underscore within a word means nothing; hashes at the end of a title would end it
_LATEX = str.maketrans(
    {"\\": r"\textbackslash{}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}",
     "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
     "|": r"\textbar{}", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "−": "$-$", "τ": r"$\tau$"}
)  # fmt: skip
_UNSEEN = r"\s\x00-\x1f\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
_BEGIN = rf"(?:[\t\r\n]|[{_UNSEEN}]*[=+\-@＝＋－＠﹦﹢﹣﹫\u2212])"
# of a formula: some spreadsheets ignore invisible characters, and take wide or small signs for the others
_FORMULA = re.compile(f"'*{_BEGIN}")
_NEUTRALISED = re.compile(f"'+{_BEGIN}")
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


def printable(text: str) -> str:
    """One line; control characters, direction marks and surrogates become Python escapes."""
    return _HIDDEN.sub(lambda match: ascii(match.group())[1:-1], text)


def in_ascii(text: str) -> str:
    """For comments of files: an arrow of two letters, and Python escapes."""
    return ascii(text.replace("→", "->"))[1:-1]


def markup(text: str) -> str:
    """Escape for HTML, SVG and XML."""
    from html import escape

    return escape(printable(text))


def markdown(text: str) -> str:
    """Escape for a cell of a Markdown table, or within a line."""
    safe = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(r"\\\g<0>", safe)


def markdown_line(text: str) -> str:
    """Escape for the beginning of a line of Markdown, where more characters have a meaning."""
    import string

    safe = markdown(text).lstrip()
    if safe[:1] in set(string.punctuation) - {"\\", "&"}:
        return f"\\{safe}"
    return re.sub(r"^(\d+)([.)])", r"\1\\\2", safe)


def latex(text: str) -> str:
    """Escape for a cell of a LaTeX table; a star or bracket after the end of a row would belong to that."""
    safe = printable(text).translate(_LATEX).replace("--", "-{}-")
    return f"{{}}{safe}" if safe[:1] in ("[", "*") else safe


def encodable(text: str) -> str:
    """Escape surrogates, which UTF-8 cannot hold."""
    return re.sub("[\ud800-\udfff]", lambda match: ascii(match.group())[1:-1], text)


def csv_cell(text: str) -> str:
    """Escape for CSV: what a spreadsheet would take for a formula gets an apostrophe, but not numbers."""
    text = encodable(text)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def csv_value(cell: str) -> str:
    """The text of a cell of ``csv_cell``."""
    return cell[1:] if _NEUTRALISED.match(cell) else cell


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON without control characters; an error for nan and infinite numbers."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return _HIDDEN_IN_JSON.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def json_number(value: float) -> float | str | None:
    """A number for JSON: nan as null, infinite ones as "Infinity" and "-Infinity"."""
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"
