"""A table of text cells, for terminals, Markdown, LaTeX and notebooks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table as RichTable

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_FIGURE = re.compile(r"[-+−.\d]|undefined$|n/a$")


@dataclass(frozen=True)
class Table:
    """Column names, rows of cells, and notes that belong below."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = field(default=())

    def __str__(self) -> str:
        widths = [max(len(row[k]) for row in (self.columns, *self.rows)) for k in range(len(self.columns))]
        lines = []
        for row in (self.columns, *self.rows):
            cells = zip(row, widths, self.numeric, strict=True)
            lines.append("  ".join(c.rjust(w) if right else c.ljust(w) for c, w, right in cells).rstrip())
        return "\n".join([*lines, *([""] if self.notes else []), *self.notes])

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold figures, and stand to the right."""
        cells = ([row[k] for row in self.rows if row[k]] for k in range(len(self.columns)))
        return [k > 0 and all(_FIGURE.match(cell) for cell in column) for k, column in enumerate(cells)]

    def to_rich(self) -> RichTable:
        """For a terminal."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as RichTable
        from rich.text import Text

        made = RichTable(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for name, right in zip(self.columns, self.numeric, strict=True):
            made.add_column(Text(name), justify="right" if right else "left", overflow="fold")
        for row in self.rows:
            made.add_row(*map(Text, row))
        return made

    def to_markdown(self) -> str:
        """As a Markdown table, the notes as a list."""
        lines = [self.columns, ["---:" if right else "---" for right in self.numeric], *self.rows]
        body = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in lines]
        return "\n".join([*body, *([""] if self.notes else []), *(f"- {note}" for note in self.notes)]) + "\n"

    def to_latex(self) -> str:
        """As a LaTeX tabular, the notes as comments."""
        lines = [f"% {note}" for note in self.notes]
        lines.append(rf"\begin{{tabular}}{{l{'r' * (len(self.columns) - 1)}}}")
        lines += [" & ".join(map(_latex, row)) + r" \\" for row in (self.columns, *self.rows)]
        lines.insert(len(self.notes) + 2, r"\hline")
        return "\n".join([*lines, r"\end{tabular}", ""])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{markup(cell)}</th>" for cell in self.columns)
        body = "".join("<tr>" + "".join(f"<td>{markup(c)}</td>" for c in row) + "</tr>" for row in self.rows)
        notes = "<br>".join(map(markup, self.notes))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p><small>{notes}</small></p>"


_LATEX = str.maketrans(
    {"\\": r"\textbackslash{}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}",
     "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "−": "$-$",
     "τ": r"$\tau$"}
)  # fmt: skip


def _latex(cell: str) -> str:
    return cell.translate(_LATEX)


def figure(value: float) -> str:
    """Four decimals, or three digits of what is too small for them."""
    return f"{value:.4f}" if value == 0 or abs(value) >= 0.01 else f"{value:.2e}"


def markup(text: str) -> str:
    """A text for HTML, SVG and XML: what has a meaning there is escaped, what cannot stand there becomes �."""
    return escape(printable(text))


def printable(text: str) -> str:
    """A text without characters that no page and no drawing can show."""
    return _UNPRINTABLE.sub("\ufffd", text)
