"""How models are solved unless somebody says otherwise: in which phases, with how much work, judged by whom.

Models know nothing of this; the table has what differs from the usual, by the kind of a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Policy:
    """How models of one kind are solved."""

    phases: tuple[str, str] | None = None
    """Who solves what is easy and leaves the rest unsolved, and who solves that; None where everything is easy."""
    work_limit: float | None = None
    """The work on one instance where no time limit is given, in a solver's own deterministic unit."""
    side_by_side: bool = True
    """Whether a plan can be about several instances, side by side in one program."""


POLICIES = {
    "hemlp.problems.lca.model:LcaModel": Policy(
        ("search(programs='never')", "search(programs='at once')"), work_limit=30.0, side_by_side=False
    ),
    "hemlp.problems.lca.model:ExtendedModel": Policy(side_by_side=False),
    "hemlp.optimize.side_constraints:ChangedModel": Policy(side_by_side=False),
}
"""By module:class; 30 units of work are CP-SAT's deterministic seconds, for all programs of an instance together."""
_USUAL = Policy()


def policy_of(model: Any) -> Policy:
    """How a model is solved: as its class, or the nearest class above it that the table has."""
    names = (f"{kind.__module__}:{kind.__qualname__}" for kind in type(model).__mro__)
    return next((POLICIES[name] for name in names if name in POLICIES), _USUAL)
