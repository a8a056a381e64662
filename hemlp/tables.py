"""A table of text cells, for terminals, Markdown, LaTeX and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape


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
            first = row[0].ljust(widths[0])
            lines.append("  ".join([first, *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]).rstrip())
        return "\n".join([*lines, *([""] if self.notes else []), *self.notes])

    def to_markdown(self) -> str:
        """As a Markdown table, the notes as a list."""
        lines = [self.columns, ["---"] + ["---:"] * (len(self.columns) - 1), *self.rows]
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
        head = "".join(f"<th>{escape(cell)}</th>" for cell in self.columns)
        body = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in self.rows)
        notes = "<br>".join(map(escape, self.notes))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p><small>{notes}</small></p>"


_LATEX = str.maketrans(
    {"\\": r"\textbackslash{}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}",
     "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "−": "$-$",
     "τ": r"$\tau$"}
)  # fmt: skip


def _latex(cell: str) -> str:
    return cell.translate(_LATEX)
