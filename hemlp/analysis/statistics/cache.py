"""A cache of results per evaluation, kept as long as the evaluation lives."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from hemlp.results.evaluation import Evaluation

Options = TypeVarTuple("Options")
Result = TypeVar("Result")


def cache_per_evaluation(
    function: Callable[[Evaluation, *Options], Result],
) -> Callable[[Evaluation, *Options], Result]:
    """Cache a function of an evaluation and hashable options.

    The evaluation itself is not changed. All callers share the returned object and must not modify it.
    """
    cache: WeakKeyDictionary[Evaluation, dict[Hashable, Result]] = WeakKeyDictionary()

    @wraps(function)
    def wrapper(ev: Evaluation, *options: *Options) -> Result:
        results = cache.setdefault(ev, {})
        if options not in results:
            results[options] = function(ev, *options)
        return results[options]

    return wrapper
