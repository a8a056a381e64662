"""Cells of tables: in one line or two, marked, or as mathematics; and tables in LaTeX."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hemlp.escaping import latex, printable

if TYPE_CHECKING:
    from rich.text import Text

    from hemlp.text.tables import Table

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


def keep_labels(text: str, room: int) -> str:
    """A list of labels, or a path, that is folded between these alone: spaces within them are NUL; others as it is.

    >>> keep_labels("Blood Pressure, Culture Media, Infant", 40).split(" ")
    ['Blood\\x00Pressure,', 'Culture\\x00Media,', 'Infant']
    """
    for separator, space, most in (
        (" → ", " (?!→)(?<!→ )", room - 4),
        ("; ", "(?<!;) ", room // 2),
        (", ", "(?<!,) ", room // 2),
    ):
        if separator in text:
            return re.sub(space, "\0", text) if max(map(len, text.split(separator))) <= most else text
    return text


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


def latex_table(table: Table) -> str:
    """A table as a LaTeX tabular."""
    written = [latex_measure if head in ("", "measure") else latex for head in table.columns]
    body = table._marked(written, r"\textbf{", "}", r"$^\dagger$")
    lines = [f"% {printable(note)}" for note in (*table.lead, *table.notes)]
    lines += [r"% bold: best; \dagger: not significantly different"] * ("equal" in table.emphasis.values())
    lines += [r"% \usepackage{booktabs}", rf"\begin{{tabular}}{{{''.join('lr'[right] for right in table.numeric)}}}"]
    lines += [r"\toprule", " & ".join(map(latex_measure, table.columns)) + r" \\", r"\midrule"]
    lines += [" & ".join(row) + r" \\" for row in body]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])
