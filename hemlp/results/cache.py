"""What is computed once for results, and kept as long as they live."""

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
    """``function``, computed once for each ``Results`` and its hashable options.

    What the function returns is shared by all who ask: nobody may change it.
    """
    kept: WeakKeyDictionary[Results, dict[Hashable, Value]] = WeakKeyDictionary()

    @wraps(function)
    def wrapper(results: Results, *options: *Options) -> Value:
        computed = kept.setdefault(results, {})
        if options not in computed:
            computed[options] = function(results, *options)
        return computed[options]

    return wrapper
