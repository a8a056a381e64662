"""Labels of classes: valid values, their order, and near matches of an unknown label."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from unicodedata import normalize

import numpy as np

from hemlp.errors import InvalidHierarchy, InvalidLabel, InvalidOption

Label = str | int
JOINT = " > "
"""What joins the names of a path."""


class Top:
    """The type of ``TOP`` (⊤), the node above all roots, which is not a class."""

    def __repr__(self) -> str:
        return "⊤"

    def __reduce__(self) -> str:
        return "TOP"  # pickles and copies are TOP itself


TOP = Top()


def as_label(value: object) -> Label:
    """``value`` as a Python ``str`` or ``int``, also from numpy's scalars; anything else is rejected."""
    kind = type(value)
    if (kind is str and value) or kind is int:
        return value  # type: ignore[return-value]
    if isinstance(value, str):
        if not value:
            raise InvalidLabel("'' is not a label: an empty string is no name (leave missing values and padding out)")
        return str(value)
    if isinstance(value, np.integer) or (isinstance(value, int) and kind is not bool):
        return int(value)
    hints: tuple[tuple[bool, str], ...] = (
        (is_missing(value), " (leave missing values out)"),
        (isinstance(value, float | np.floating), " (a column of integers with gaps becomes floats: convert it back)"),
        (isinstance(value, bytes), " (decode it first)"),
        (isinstance(value, list | set | tuple), " (one label of one system is expected here, not several)"),
    )
    hint = next((text for holds, text in hints if holds), "")
    raise InvalidLabel(f"{value!r} is not a label: labels are strings or integers, not {kind.__name__}{hint}")


def is_missing(value: object) -> bool:
    """Whether a value is missing: None, nan or pandas' NA."""
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or bool(isinstance(value, float | np.floating) and np.isnan(value))
    )


def label_list(option: str, values: Iterable[object]) -> list[Label]:
    """A list of labels from any iterable but a string, which would be split into letters."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InvalidOption(f"{option}={values!r} is not a list of labels: write [{values!r}]")
    return list(map(as_label, values))


def label_order(label: Label) -> tuple[bool, Label]:
    """Sort key of labels: integers by value, then strings by code point."""
    return isinstance(label, str), label


def near_matches(label: Label, known: Iterable[Label]) -> list[Label]:
    """At most three known labels similar to ``label``, best first. Slow: for messages only."""
    import difflib

    by_text: dict[str, Label] = {}
    folded: dict[str, Label] = {}
    for other in known:
        by_text.setdefault(str(other), other)
        folded.setdefault(_fold(str(other)), other)
    text = str(label)
    if _fold(text) in folded:
        return [folded[_fold(text)]]
    if _CODE.fullmatch(text):  # a number that differs in a digit is another class, not a slip
        other = text.replace("_", ":") if "_" in text else text.replace(":", "_")
        return [folded[_fold(other)]] if _fold(other) in folded else []
    room = 1 + len(text) // 3
    similar = [t for t in by_text if abs(len(t) - len(text)) <= room and set(text[:2]) & set(t[:2])]
    return [by_text[t] for t in difflib.get_close_matches(text, similar, 3, cutoff=0.6)]


def _fold(text: str) -> str:
    """A text without case, and with letters and their accents as one sign."""
    return text.casefold() if text.isascii() else normalize("NFC", text.casefold())


def unknown_label_message(label: Label, known: Collection[Label]) -> tuple[str, list[Label]]:
    """The message about a label that is not ``known``, and similar labels."""
    other = other_type_label(label)
    if other is not None and other in known:
        kinds = ("an integer", "a string") if isinstance(label, int) else ("a string", "an integer")
        return (
            f"label {label!r} ({kinds[0]}) is not in the hierarchy, but {other!r} ({kinds[1]}) is: "
            f"convert one side (labels read from files are strings)",
            [other],
        )
    near = near_matches(label, known)
    if not near and (lasts := {text.rpartition(JOINT)[2] for text in map(str, known) if JOINT in text}):
        ends = tuple(f"{JOINT}{last}" for last in (label, *near_matches(label, lasts)))
        near = [path for path in known if str(path).endswith(ends)][:3]
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
    if near and normalize("NFC", str(label)) == normalize("NFC", str(near[0])):
        hint = f", but {near[0]!r} is, which encodes its accents in another way: normalize both sides to NFC"
    return f"label {label!r} is not in the hierarchy{_composite(label, known) or hint}", near


def scored_class(label: Label, known: Collection[Label]) -> str | None:
    """The known class in a label like ``class:0.99``, None for any other and for several classes, as in ``112,121``."""
    match = _SCORED.fullmatch(label) if isinstance(label, str) else None
    return match[1] if match and match[1] in known and not several_classes(label, known) else None


def _composite(label: Label, known: Collection[Label]) -> str:
    """The end of a message about a missing value, a scored label or several labels in one string."""
    if not isinstance(label, str):
        return ""
    if label.casefold() in ("nan", "none", "null", "na", "<na>", "nat"):
        return ": it looks like a missing value that was turned into a string"
    if (scored := scored_class(label, known)) is not None:
        return f": it looks like {scored!r} with a score; label sets have no scores, apply a threshold first"
    several = several_classes(label, known)
    return f": it looks like {several}" if several else ""


def several_classes(label: Label, known: Collection[Label]) -> str:
    """A description of a label that consists of several known ones; empty for any other."""
    for several, description in _SEVERAL if isinstance(label, str) else ():
        parts = [part.strip() for part in several.split(str(label))]
        if len(parts) > 1 and all(part in known for part in parts):
            return description
    return ""


_CODE = re.compile(r"[A-Za-z]+[:_]\d{4,}")
_SCORED = re.compile(r"(.+?)[\s:=|,;(]+[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\)?", re.IGNORECASE)
_SEVERAL = (
    (re.compile(r"[,;|\s]+"), "several labels in one string: split it into a list"),
    (
        re.compile(r"->|>|→|/|\\|::|\."),
        "a path of classes in one string, but not from a root: give the whole path, or its last class alone",
    ),
)


def other_type_label(label: Label) -> Label | None:
    """The string of an integer, the integer of its string, else None."""
    if isinstance(label, int):
        return str(label)
    try:
        number = int(label)
    except ValueError:
        return None
    return number if str(number) == label else None


def check_blanks(labels: Collection[Label]) -> None:
    """Reject two classes that differ only in the blanks around their labels."""
    for label in labels:
        if isinstance(label, str) and label[:1].isspace() | label[-1:].isspace() and label.strip() in labels:
            raise InvalidHierarchy(f"{label!r} and {label.strip()!r} differ only in the spaces around them: strip both")


def check_aliases(aliases: Mapping[Label, Label], labels: Sequence[Label]) -> None:
    """Reject an alias that is a class itself, or that stands for none."""
    known = set(labels) if aliases else set()
    for alias, label in aliases.items():
        if alias in known:
            raise InvalidHierarchy(f"{alias!r} cannot be an alias of {label!r}: it is a class itself")
        if label not in known:
            raise InvalidHierarchy(f"{alias!r} is an alias of {label!r}, which is not a class")
