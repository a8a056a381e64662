"""Tables of texts, numbers and intervals, for terminals, Markdown, LaTeX, notebooks and frames; numbers as texts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

from hemlp.errors import MissingDependency
from hemlp.escaping import markdown, markdown_line, markup, printable
from hemlp.options import check_known
from hemlp.text.cells import keep_labels, latex_table, mark, split_interval, two_lines
from hemlp.text.p_values import PValue, format_p

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from hemlp.arrays import FloatArray


WIDTH, NARROWEST = 100, 40
"""Characters of a line of text, and of a text in the last column; with less room it stands below its row."""
OPTIMISTIC = "optimistic: chosen on the data that it is measured on"


def plural(number: float, thing: str, things: str | None = None) -> str:
    """'1 instance', '2,000 instances'.

    >>> plural(1, "class", "classes"), plural(2000, "class", "classes"), plural(0, "instance")
    ('1 class', '2,000 classes', '0 instances')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def join_words(words: Iterable[str]) -> str:
    """Words in a sentence.

    >>> join_words(["F_H"]), join_words(["F_H", "F", "GIE"])
    ('F_H', 'F_H, F and GIE')
    """
    *others, last = words
    return " and ".join(filter(None, [", ".join(others), last]))


CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """From ``low`` to ``high``, also as the pair ``low, high``; both are nan where there is none.

    Examples
    --------
    >>> low, high = Interval(0.25, 0.5)
    >>> low, high, str(Interval(0.25, 0.5))
    (0.25, 0.5, '0.2500 to 0.5000 (95%)')
    """

    low: float
    high: float
    level: float = CONFIDENCE

    @classmethod
    def of(cls, drawn: FloatArray, level: float = CONFIDENCE) -> Interval:
        """The quantiles (1 ∓ level) / 2 of resampled values; none if one is infinite, or all are nan."""
        import numpy as np

        known = drawn[~np.isnan(drawn)]
        if not known.size or not np.isfinite(known).all():
            return cls(math.nan, math.nan, level)
        ordered = np.sort(known)
        low, high = (float(quantiles(ordered, q)) for q in ((1 - level) / 2, (1 + level) / 2))
        return cls(low, high, level)

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def bracket(self, digits: int | None = None) -> str:
        """The interval in brackets, to follow a value; empty if there is none."""
        if math.isnan(self.low):
            return ""
        digits = DECIMALS if digits is None else digits
        return f" [{format_number(self.low, digits)}, {format_number(self.high, digits)}]"

    def __str__(self) -> str:
        shown = "undefined" if math.isnan(self.low) else f"{format_number(self.low)} to {format_number(self.high)}"
        return f"{shown} ({100 * self.level:.6g}%)"


def quantiles(ordered: FloatArray, q: float) -> FloatArray:
    """``np.quantile`` of sorted rows: with v = q (n − 1), a line from the value at ⌊v⌋ to the next one.

    That function loads NumPy's masked arrays, which takes longer than all else that a small table needs.
    """
    place = q * (ordered.shape[-1] - 1)
    below = math.floor(place)
    low, high = ordered[..., below], ordered[..., min(below + 1, ordered.shape[-1] - 1)]
    part = place - below
    values: FloatArray = high - (high - low) * (1 - part) if part >= 0.5 else low + (high - low) * part
    return values


Emphasis = Literal["best", "equal"]
DECIMALS = 4
"""Of numbers, where nothing else is said."""
_FIGURE = re.compile(r"([-+−.\d](?!.*→)(?![\w.]*, )|<\.|undefined$|n/a$|inf$)")
"""A number at the beginning, but no path or list of labels that are numbers."""
MOST_ROWS = 60
"""Of a table that shows itself at a prompt or in a notebook."""


@dataclass(frozen=True, repr=False)
class Table:
    """Column names, rows of texts, numbers and other values, notes below the table, and a lead above it.

    As text, an interval of the column "X 95%" stands in brackets behind the value of the column "X", and without rows a
    lead stands for the table. ``emphasis``: the "best" cells (row, column) of their columns, and those "equal": not
    distinguished from them.

    Examples
    --------
    >>> table = Table(["class", "true", "F"], [["sheep", 2, 0.5], ["cow", 1, 2 / 3]])
    >>> print(table)
    class  true       F
    sheep     2  0.5000
    cow       1  0.6667
    >>> table.rows[1][2], table.head(1).notes
    (0.6666666666666666, ['the first of 2 rows'])
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    notes: Sequence[str] = field(default=())
    emphasis: Mapping[tuple[int, int], Emphasis] = field(default_factory=dict)
    digits: int = DECIMALS
    lead: Sequence[str] = field(default=())

    @cached_property
    def cells(self) -> list[list[str]]:
        """The rows as texts; the numbers of a column have equally many decimals."""
        if all(isinstance(value, str) for row in self.rows for value in row):
            return [list(row) for row in self.rows]
        columns = (format_column(column, self.digits) for column in zip(*self.rows, strict=True))
        return [list(row) for row in zip(*columns, strict=True)]

    def fold_intervals(self) -> Table:
        """All cells as texts, and intervals behind their values.

        >>> print(Table(["system", "F", "F 95%"], [["A", 0.5, Interval(0.25, 0.75)]]))
        system                        F
        A       0.5000 [0.2500, 0.7500]
        """
        places = {name: k for k, name in enumerate(self.columns)}
        of = {
            k: places[name.removesuffix(" 95%")]
            for name, k in places.items()
            if name.removesuffix(" 95%") in places and any(isinstance(row[k], Interval) for row in self.rows)
        }
        if not of:
            return self
        cells = [list(row) for row in self.cells]
        for row in cells:
            for k, value in of.items():
                row[value] += "" if row[k] == "undefined" else f" [{row[k].replace(' to ', ', ')}]"
        keep = [k for k in range(len(self.columns)) if k not in of]
        return replace(self, rows=cells)._part(keep, last=True)

    def _shown(self) -> Table:
        """With intervals behind their values, and without columns that no row has anything in."""
        table = self.fold_intervals()
        keep = [k for k, column in enumerate(zip(*table.cells, strict=True)) if k == 0 or any(column)]
        return table._part(keep, last=True) if 0 < len(keep) < len(table.columns) else table

    def head(self, most: int) -> Table:
        """The first rows, ``most`` at most, and a note of how many there are."""
        if len(self.rows) <= most:
            return self
        marks = {cell: how for cell, how in self.emphasis.items() if cell[0] < most}
        notes = [*self.notes, f"the first{f' {most:,}' * (most > 1)} of {len(self.rows):,} rows"]
        return replace(self, rows=self.rows[:most], notes=notes, emphasis=marks)

    def to_frame(self, library: str = "pandas") -> Any:
        """As a frame of "pandas" or "polars"; an interval becomes two columns, low and high."""
        columns: dict[str, list[Any]] = {}
        for k, name in enumerate(self.columns):
            values = [row[k] for row in self.rows]
            if values and all(isinstance(value, Interval) for value in values):
                columns[f"{name} low"], columns[f"{name} high"] = map(list, zip(*values, strict=True))
            else:
                columns[name] = values
        return as_frame(columns, library)

    def __str__(self) -> str:
        table = self._shown()
        rows, numeric = [table.columns, *table.cells], table.numeric
        lines = align(rows, numeric) if self.rows or not self.lead else []
        sized = max(1, len(numeric) - (not numeric[-1]))  # a text in the last column may be as long as it is
        if lines and max(map(len, align([row[:sized] for row in rows], numeric[:sized]))) > WIDTH:
            parts = (part._narrow_lines() for part in table.split_to_width(WIDTH, gap=2))
            lines = [line for k, part in enumerate(parts) for line in ([""] * (k > 0) + part)]
        lead = [line for each in self.lead for line in fold(printable(each))]
        notes = [line for each in map(printable, self.notes) for line in fold(each, WIDTH, "  ")]
        return "\n\n".join("\n".join(block) for block in (lead, lines, notes) if block)

    def _narrow_lines(self) -> list[str]:
        """The rows; where a line would be longer than WIDTH, intervals stand below their values."""
        lines = align([self.columns, *self.cells], self.numeric)
        if max(map(len, lines)) <= WIDTH:
            return lines
        cells = (zip_longest(*map(split_interval, row), fillvalue="") for row in self.cells)
        return align([self.columns, *(list(line) for row in cells for line in row)], self.numeric)

    def __repr__(self) -> str:
        return str(self.head(MOST_ROWS // 3))  # a row can take three lines

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers, and are right-aligned."""
        columns = zip(*self.cells, strict=True) if self.rows else [()] * len(self.columns)
        return [k > 0 and all(map(_FIGURE.match, filter(None, cells))) for k, cells in enumerate(columns)]

    def to_rich(self) -> RichTable:
        """For a terminal; an interval in brackets stands below its value."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as RichTable
        from rich.text import Text

        made, table = RichTable(box=SIMPLE_HEAD, pad_edge=False, header_style="bold"), self._shown()
        for name, right in zip(table.columns, table.numeric, strict=True):
            made.add_column(Text(printable(name)), justify="right" if right else "left", overflow="fold")
        for i, row in enumerate(table.cells):
            styles = ("bold" if table.emphasis.get((i, j)) == "best" else "" for j in range(len(row)))
            made.add_row(*(two_lines(cell, style) for cell, style in zip(row, styles, strict=True)))
        return made

    def split_to_width(self, width: int, gap: int = 3) -> Iterator[Table]:
        """This table, or if it is wider than ``width`` several, each with the first columns; the notes come last.

        Those are the columns that say what a row is, up to half of the width. ``gap``: characters between columns.

        >>> wide = Table(["system", "P", "R"], [["A", 0.5, 0.25]], ["a note"])
        >>> [part.columns for part in wide.split_to_width(16)]
        [['system', 'P'], ['system', 'R']]
        """
        table = self.fold_intervals()
        columns = zip(table.columns, *table.cells, strict=True)
        pieces = ([piece for cell in column for piece in split_interval(printable(cell))] for column in columns)
        widths = [max(map(len, each)) + gap for each in pieces]
        keys = next((k for k, right in enumerate(table.numeric) if right), 1)
        while keys > 1 and sum(widths[:keys]) > width // 2:
            keys -= 1
        start = keys
        while start < len(widths):
            stop = start + 1
            while stop < len(widths) and sum(widths[:keys]) + sum(widths[start : stop + 1]) <= width + gap:
                stop += 1
            yield table._part([*range(keys), *range(start, stop)], stop == len(widths), keys * (start > keys))
            start = stop
        if len(widths) <= keys:
            yield table

    def _part(self, keep: list[int], last: bool, keys: int = 0) -> Table:
        """Some columns, and the notes below the last ones; without rows that are empty beside their keys."""
        marks = {(i, keep.index(j)): how for (i, j), how in self.emphasis.items() if j in keep}
        full = (row for row in self.rows if marks or any(row[j] not in ("", None) for j in keep[keys:]))
        rows = [[row[j] for j in keep] for row in full]
        columns, notes = [self.columns[j] for j in keep], self.notes if last else ()
        return replace(self, columns=columns, rows=rows, emphasis=marks, notes=notes)

    def _marked(
        self, write: Sequence[Callable[[str], str]], before: str, after: str, equal: str = ""
    ) -> list[list[str]]:
        """The cells, by a function for each column, with marks around the best and after what is equal to it."""
        cells = [[by(cell) for by, cell in zip(write, row, strict=True)] for row in self.cells]
        for (i, j), how in self.emphasis.items():
            cells[i][j] = mark(cells[i][j], *((before, after) if how == "best" else ("", equal)))
        return cells

    def to_markdown(self) -> str:
        """As a Markdown table, the notes as a list; the best of a column is bold."""
        table = self._shown()
        rule = ["---:" if right else "---" for right in table.numeric]
        body = [list(map(markdown, table.columns)), rule, *table._marked([markdown] * len(rule), "**", "**")]
        lines = [*(f"{markdown_line(each)}\n" for each in self.lead), *(f"| {' | '.join(row)} |" for row in body)]
        return "\n".join([*lines, *([""] if self.notes else []), *(f"- {markdown_line(n)}" for n in self.notes)]) + "\n"

    def to_latex(self) -> str:
        """As a LaTeX tabular for the package booktabs, the notes as comments.

        The best of a column is bold, and what is not distinguished from it has a dagger.
        """
        return latex_table(self._shown())

    def _repr_html_(self) -> str:
        return self._shown().head(MOST_ROWS)._html()

    def _html(self) -> str:
        head = "".join(f"<th>{markup(cell)}</th>" for cell in self.columns)
        cells = self._marked([markup] * len(self.columns), "<b>", "</b>")
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells)
        notes = "<br>".join(map(markup, self.notes))
        below = f"<p><small>{notes}</small></p>" if notes else ""
        above = "".join(f"<p>{markup(each)}</p>" for each in self.lead)
        return f"{above}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def align(rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> list[str]:
    """Lines of cells in columns, numbers right-aligned; a long text in the last column goes on below itself."""
    aligned = []
    for column, right in zip(zip(*rows, strict=True), numeric, strict=True):
        cells = list(map(printable, column))
        aligned.append([f"{cell:{'>' if right else '<'}{max(map(len, cells))}}" for cell in cells])
    before = ["".join(f"{cell}  " for cell in row) for row in zip(*aligned[:-1], strict=True)] or [""] * len(rows)
    room, lines = WIDTH - len(before[0]), list[str]()
    for start, text in zip(before, map(str.rstrip, aligned[-1]), strict=True):
        whole, beside = numeric[-1] or len(text) <= room, room >= NARROWEST
        kept = text if whole else keep_labels(text, room if beside else WIDTH - 4)
        first, *more = [text] if whole else fold(kept, room, "  ") if beside else ["", *fold(kept, WIDTH - 4)]
        lines += [f"{start}{first}".rstrip(), *(" " * (len(start) if beside else 4) + line for line in more)]
    return lines


def fold(text: str, width: int = WIDTH, indent: str = "") -> list[str]:
    """A text as lines, with each p-value in one of them; a signature breaks behind | alone.

    >>> fold("significant except by F (p = .066)", 32)
    ['significant except by F', '(p = .066)']
    """
    if len(text) <= width:
        return [text]
    if "|hemlp:" in text:
        return f"\n{indent}".join(re.findall(rf".{{1,{width - len(indent) - 1}}}(?:\||$)|[^|]+\|?", text)).splitlines()
    kept = re.sub(r"\bp ([=<]) ", "p\0\\1\0", text)
    lines = wrap(kept, width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)
    return "\n".join(lines).replace("\0", " ").split("\n")


def format_column(column: Sequence[Any], digits: int = DECIMALS) -> list[str]:
    """The values of a column as texts: numbers by ``format_number``, but large ones with as many decimals as they need.

    Beside what is not small, a small number has the decimals of the others, as long as they show something of it.

    >>> format_column([0.5, 0.001]), format_column([0.5, 1e-9]), format_column([0.003, 0.001])
    (['0.5000', '0.0010'], ['0.5000', '1.00e-09'], ['3.00e-03', '1.00e-03'])
    >>> format_column([310.5, 6.0]), format_column([12.0, 3.0]), format_column([2, None, "x"])
    (['310.5', '6.0'], ['12', '3'], ['2', '', 'x'])
    >>> format_column([0.5, 0.001], 2), format_column([0.003, 0.001], 3), format_column([310.25, 6.0], 1)
    (['0.50', '1.00e-03'], ['0.003', '0.001'], ['310.2', '6.0'])
    >>> format_column([Interval(0.25, 0.5), Interval(math.nan, math.nan)])
    ['0.2500 to 0.5000', 'undefined']
    """
    ends = [end for value in column for end in (value if isinstance(value, Interval) else (value,))]
    numbers = [value for value in ends if isinstance(value, float) and math.isfinite(value)]
    greatest = max(map(abs, numbers), default=0)
    decimals = digits
    if greatest >= 10:
        decimals = next(k for k in range(digits + 1) if k == digits or all(round(n, k) == n for n in numbers))

    def text(value: Any) -> str:
        if isinstance(value, Interval) and not math.isnan(value.low):
            return " to ".join(map(text, value))
        if isinstance(value, Interval):
            return "undefined"
        if isinstance(value, PValue):
            return format_p(value)
        if not isinstance(value, float):
            return "" if value is None else str(value)
        if math.isnan(value):
            return "undefined"
        small = (greatest < 0.01 and digits == DECIMALS) or 0 < abs(value) < 0.5 * 10**-decimals
        return format_number(value, digits) if small else f"{value:.{decimals}f}"

    return list(map(text, column))


def format_number(value: float, digits: int = DECIMALS) -> str:
    """Four decimals, or three digits of what is too small for them; or as many decimals as show something of it."""
    small = 0.01 if digits == DECIMALS else 0.5 * 10**-digits
    return f"{value:.{digits}f}" if value == 0 or abs(value) >= small else f"{value:.2e}"


def format_signed(value: float) -> str:
    """A number with its sign."""
    return f"{'-' if value < 0 else '+'}{format_number(abs(value))}"


def as_frame(columns: Mapping[str, Sequence[Any]], library: str) -> Any:
    """Columns as a frame of pandas or polars."""
    from importlib import import_module

    check_known("library", library, ["pandas", "polars"])
    try:
        return import_module(library).DataFrame(dict(columns))
    except ImportError:
        raise MissingDependency(f"a frame needs {library}: pip install {library}") from None
