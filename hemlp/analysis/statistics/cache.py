"""What is computed once for an evaluation, and kept as long as that lives."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from hemlp.results.evaluation import Evaluation

Options = TypeVarTuple("Options")
Found = TypeVar("Found")


def once(function: Callable[[Evaluation, *Options], Found]) -> Callable[[Evaluation, *Options], Found]:
    """``function``, computed once for each evaluation and its hashable options.

    The evaluation itself stays as it is. What the function returns is shared by all who ask: nobody may change it.
    """
    kept: WeakKeyDictionary[Evaluation, dict[Hashable, Found]] = WeakKeyDictionary()

    @wraps(function)
    def found(ev: Evaluation, *options: *Options) -> Found:
        results = kept.setdefault(ev, {})
        if options not in results:
            results[options] = function(ev, *options)
        return results[options]

    return found
