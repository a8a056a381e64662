"""Cells of tables: in one line or two, marked, or as mathematics; in columns; and what is said around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from hemlp.escaping import latex, printable

if TYPE_CHECKING:
    from rich.text import Text

WIDTH = 100
"""Characters of a line of a table as text."""
NARROWEST = 40
"""Characters of a text in the last column; with less room it stands below its row."""
_INTERVAL = re.compile(r"(?<=[\d)a-z]) (?=\\?\[[-+\d])")
"""Between a value and its interval in brackets, also where Markdown escapes them."""
_MEASURE = re.compile(r"(?P<name>P|R|F|SDL)_(?P<index>[A-Za-z]+)(?=[ (@]|$)")


def split_interval(cell: str) -> list[str]:
    """A value, and its interval in brackets if there is one."""
    return _INTERVAL.split(cell, maxsplit=1)


def two_lines(cell: str, style: str) -> Text:
    """A cell in one line, or two."""
    from rich.text import Text

    value, *interval = split_interval(printable(cell))
    return Text("\n").join([Text(value, style), *map(Text, interval)])


def mark(cell: str, before: str, after: str) -> str:
    """A cell with marks around its value, but not around the interval in brackets."""
    value, *rest = split_interval(cell)
    return " ".join([f"{before}{value}{after}", *rest])


def latex_measure(text: str) -> str:
    r"""A text in which a leading measure name such as F_LCA is set as mathematics.

    >>> print(latex_measure("F_LCA(horizon=2) ↑"), latex_measure("SDL_Tol"), latex_measure("F_x_1"))
    $F_{\mathrm{LCA}}$(horizon=2) $\uparrow$ $\mathrm{SDL}_{\mathrm{Tol}}$ F\_x\_1
    """
    match = _MEASURE.match(text)
    if match is None:
        return latex(text)
    name = match["name"] if len(match["name"]) == 1 else rf"\mathrm{{{match['name']}}}"
    rest = text[match.end() :]
    return rf"${name}_{{\mathrm{{{match['index']}}}}}$" + (" " if rest[:1] == " " else "") + latex(rest.lstrip())


def align(rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> list[str]:
    """Lines of cells in columns, numbers right-aligned; a long text in the last column goes on below itself."""
    aligned = []
    for column, right in zip(zip(*rows, strict=True), numeric, strict=True):
        cells = list(map(printable, column))
        aligned.append([f"{cell:{'>' if right else '<'}{max(map(len, cells))}}" for cell in cells])
    before = ["".join(f"{cell}  " for cell in row) for row in zip(*aligned[:-1], strict=True)] or [""] * len(rows)
    room = WIDTH - len(before[0])
    lines = []
    for start, text in zip(before, map(str.rstrip, aligned[-1]), strict=True):
        whole, beside = numeric[-1] or len(text) <= room, room >= NARROWEST
        first, *more = [text] if whole else fold(text, room, "  ") if beside else ["", *fold(text, WIDTH - 4)]
        lines += [f"{start}{first}".rstrip(), *(" " * (len(start) if beside else 4) + line for line in more)]
    return lines


def fold(text: str, width: int = WIDTH, indent: str = "") -> list[str]:
    """A text as lines, with each p-value in one of them.

    >>> fold("significant except by F (p = .066)", 32)
    ['significant except by F', '(p = .066)']
    """
    if len(text) <= width:
        return [text]
    joined = re.sub(r"\bp ([=<]) ", "p\0\\1\0", text)
    lines = wrap(joined, width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)
    return [line.replace("\0", " ") for line in lines]


def wrap_note(note: str) -> list[str]:
    """Lines of at most WIDTH characters; a signature breaks behind | alone."""
    if len(note) > WIDTH and "|hemlp:" in note:
        return "\n  ".join(re.findall(rf".{{1,{WIDTH - 3}}}(?:\||$)|[^|]+\|?", note)).splitlines()
    return fold(note, WIDTH, "  ")
