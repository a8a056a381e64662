"""Explanations of instances of an evaluation, by row number or id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hemlp.analysis.explain.explain import explain as explain_instance
from hemlp.analysis.explain.explanation import Explanation
from hemlp.errors import InvalidOption
from hemlp.hierarchy.labels import Label, near_matches
from hemlp.options import check_known, row_number
from hemlp.results.results import Results, require_inputs


def explain(
    ev: Results, system: str, row: int | None = None, measures: Sequence[str] | None = None, *, id: Label | None = None
) -> Explanation:
    """Explain the scores of a system on one instance.

    Parameters
    ----------
    system
        The name of a system.
    row
        The number of an instance from 0; negative ones count from the end.
    measures
        One or several measures of the evaluation; None for all.
    id
        The id of the instance, instead of its number.

    Raises
    ------
    InvalidOption
        If the evaluation was read from a file, which does not hold the data, or the instance does not exist.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> evaluate(h, ["sheep"], ["cow"], ["GIE"]).explain("system", 0).parts[0].pairs[0].path
    ('cow', 'animal', 'sheep')
    """
    require_inputs(ev)
    check_known("system", system, ev.systems)
    chosen = [measures] if isinstance(measures, str) else measures
    for name in chosen or ():
        check_known("measure", name, ev.measures)
    return explanations(ev, system, [row_of(ev, row, id)], chosen)[0]


def row_of(ev: Results, row: int | None, id: Label | None) -> int:
    """The number of an instance, from its number (negative ones count from the end) or its id."""
    if row is not None and id is not None:
        raise InvalidOption("row and id= both say which instance: give one of them")
    if id is None:
        return row_number(row, int(ev.facts[ev.systems[0]]["instances"]))
    if ev.ids is None:
        raise InvalidOption(f"id={id!r}: these instances have no ids: give the number of one")
    if id not in ev.ids:
        near = near_matches(id, ev.ids)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise InvalidOption(f"there is no instance with the id {id!r}{hint}")
    return list(ev.ids).index(id)


def explanations(
    ev: Results, system: str, rows: Sequence[int], measures: Sequence[str] | None = None
) -> list[Explanation]:
    """``explain`` of several instances, whose data is read once."""
    inputs = require_inputs(ev)
    batch = inputs.take(system, rows)
    chosen = {name: inputs.measures[name] for name in measures or ev.measures}
    explained = (explain_instance(batch, chosen, k, system=system, names=inputs.names) for k in range(len(rows)))
    return [replace(each, row=row) for each, row in zip(explained, rows, strict=True)]
