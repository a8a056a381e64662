"""Ranks of the systems of an evaluation, on the instances on which all of them are defined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hemlp.options import check_choice, check_known
from hemlp.statistics.comparable import comparable, comparable_means
from hemlp.statistics.once import once
from hemlp.statistics.tests import LEVEL, Sided, ranks, sign_test

if TYPE_CHECKING:
    from hemlp.evaluation.result import Evaluation


def ranked(ev: Evaluation, measure: str, sided: Sided) -> dict[str, int | None]:
    """Ranks of the systems by their means; the one above has to be better by the sign test, too, or they share one."""
    check_known("measure", measure, ev.measures)
    check_choice("sided", sided, ("two", "one"))
    return dict(zip(ev.systems, _ranks(ev, measure, sided), strict=True))


@once
def _ranks(ev: Evaluation, measure: str, sided: Sided) -> tuple[int | None, ...]:
    better, values = ev.greater_is_better[measure], comparable(ev, measure)

    def separated(above: int, below: int) -> bool:
        test = sign_test(values[above], values[below], better, sided=sided)
        return test.p < LEVEL and 2 * test.k > test.n

    return tuple(ranks(comparable_means(ev, measure), separated, better))
