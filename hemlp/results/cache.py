"""A cache of what is computed from results, kept as long as the results live."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from hemlp.results.results import Results

Options = TypeVarTuple("Options")
Value = TypeVar("Value")


def cache_per_evaluation(function: Callable[[Results, *Options], Value]) -> Callable[[Results, *Options], Value]:
    """Cache a function of results and hashable options.

    All callers share the returned object and must not modify it.
    """
    cache: WeakKeyDictionary[Results, dict[Hashable, Value]] = WeakKeyDictionary()

    @wraps(function)
    def wrapper(results: Results, *options: *Options) -> Value:
        computed = cache.setdefault(results, {})
        if options not in computed:
            computed[options] = function(results, *options)
        return computed[options]

    return wrapper
