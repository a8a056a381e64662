"""What a solver is, and whether the package of somebody else that it needs can be used."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Solver(Protocol):
    """Takes a model and returns its solution, with a status for each instance."""

    name: str

    def available(self) -> str | None:
        """None if it can be used here, else what to install. Asked only where it is going to be used."""

    def accepts(self, model: Any) -> bool:
        """Whether it can solve this model."""

    def solve(self, model: Any, time_limit: float | None) -> Any:
        """The solution; ``time_limit`` in seconds for each instance."""


def importable(module: str, package: str) -> str | None:
    """None if ``module`` can be imported, else what to do. It is imported, so ask for what you are going to use."""
    if not find_spec(module.partition(".")[0]):
        return f"pip install {package}"
    try:
        import_module(module)
    except Exception as error:  # a package that is there and cannot be loaded may raise anything
        return f"{module} cannot be imported ({error}); {_remedy(package)}"
    return None


def _remedy(package: str) -> str:
    if package == "ortools" and "highspy" in sys.modules:
        return (
            "highspy is loaded already, perhaps by PuLP, and both bring a HiGHS: import ortools before pulp "
            "and highspy, or uninstall highspy, or use another solver"
        )
    return f"reinstall {package}, or use another solver"
