"""Elements of the page: sections, tables that sort, notes, and places for charts that the page draws itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

from hemlp.arrays import record
from hemlp.escaping import markup
from hemlp.text.tables import DECIMALS, Interval, format_number

First = Literal["ascending", "descending"]


class Column(NamedTuple):
    """A column of a table: its heading, the order of the first click on it, and whether it holds words, not numbers."""

    name: str
    first: First = "descending"
    words: bool = False


class Cell(NamedTuple):
    """A cell of a table: its HTML, and the value to sort by (None: the text)."""

    shown: str
    value: float | str | None = None


@record
class Section:
    """A part of the page: its name in the address, its title, HTML, and what its charts show, by their names."""

    key: str
    title: str
    body: str
    charts: dict[str, Any]

    def html(self) -> str:
        """The section as HTML."""
        return (
            f"<section id='{self.key}' aria-labelledby='{self.key}-title'><h2 id='{self.key}-title'>"
            f"{markup(self.title)}</h2>{self.body}</section>"
        )


def table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]], caption: str = "") -> str:
    """A table that sorts by a click on a heading; on narrow screens each row becomes a list of headings and cells."""
    heads = "".join(map(_head, columns))
    body = "".join(
        f"<tr>{''.join(_cell(column, cell) for column, cell in zip(columns, row, strict=True))}</tr>" for row in rows
    )
    title = f"<caption>{markup(caption)}</caption>" if caption else ""
    inner = f"{title}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody>"
    return f"<div class='card'><table class='sorts'>{inner}</table></div>"


def _head(column: Column) -> str:
    """A heading that sorts, and may wrap after an underscore."""
    text = markup(column.name).replace("_", "_<wbr>")
    return f"<th scope='col' data-first='{column.first}'{_kind(column)}><button>{text}</button></th>"


def _kind(column: Column) -> str:
    return " class='words'" if column.words else ""


def _cell(column: Column, cell: Cell) -> str:
    value = "" if cell.value is None else f" data-value='{markup(str(cell.value))}'"
    return f"<td data-head='{markup(column.name)}'{_kind(column)}{value}>{cell.shown}</td>"


def bracket(interval: Interval, text: Callable[[float], str] = format_number) -> str:
    """The interval to show after a value, as HTML; "" if there is none."""
    low, high = interval
    small = 0.01 if low and high else 0.5 * 10**-DECIMALS
    if text is format_number and max(abs(low), abs(high)) >= small:  # both ends in one format
        return f" <small>[{low:.{DECIMALS}f}, {high:.{DECIMALS}f}]</small>"
    return "" if math.isnan(low) else f" <small>[{text(low)}, {text(high)}]</small>"


def notes(texts: Iterable[str]) -> str:
    """A list of notes; those on optimistic values are marked."""
    items = "".join(f"<li{' class=warning' if 'optimistic' in text else ''}>{markup(text)}</li>" for text in texts)
    return f"<ul class='notes'>{items}</ul>" if items else ""


def chart(name: str, words: str) -> str:
    """The place of a chart, with a description in words."""
    return (
        f"<figure><div class='chart' data-chart='{name}' role='img' aria-label='{markup(words)}'></div>"
        f"<figcaption>{markup(words)}</figcaption></figure>"
    )


def details(title: str, body: str, opened: bool = False) -> str:
    """A part that opens on demand."""
    return f"<details class='more'{' open' if opened else ''}><summary>{markup(title)}</summary>{body}</details>"


def select(key: str, label: str, options: Sequence[tuple[str, str]], chosen: str | None = None) -> str:
    """A labelled menu of (value, text) choices."""
    made = "".join(
        f"<option value='{markup(value)}'{' selected' if value == chosen else ''}>{markup(text)}</option>"
        for value, text in options
    )
    return f"<label>{markup(label)} <select id='{key}'>{made}</select></label>"
