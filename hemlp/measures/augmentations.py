"""Augmentations: how the two sets of an instance are enlarged before they are compared, each with its own model.

An augmentation of your own is one class: a frozen dataclass with a ``name`` and a ``model``. Its fields are parameters
of the measures that use it, in their text form and in TOML, too.

    >>> from hemlp import Hierarchy, SetMeasure
    >>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
    >>> SetMeasure("near", Ancestors(horizon=2)).score(h, ["sheep"], ["cow"])
    0.6666666666666666
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hemlp.arrays import FloatArray, pointers
from hemlp.errors import InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.measures.catalogue_entry import LCA_METHODS
from hemlp.optimize.model import Model
from hemlp.options import check_choice, plain_horizon, plain_number, register_by_name

if TYPE_CHECKING:
    from hemlp.problems.closure.model import ClosureModel, Direction
    from hemlp.problems.closure.variants import TolerantModel
    from hemlp.problems.lca.model import GraphModel


AUGMENTATIONS: dict[str, type[Augmentation]] = {}
"""Augmentations by name; a class joins them when it is defined."""
CLOSURE = frozenset({"names", "monotone", "mirror", "symmetric"})
"""What closures of both sides promise."""


@dataclass(frozen=True)
class Augmentation(ABC):
    """How a set is enlarged. Children are frozen dataclasses whose fields are plain values."""

    name: ClassVar[str]
    weighable: ClassVar[bool] = False
    """Whether weights of classes can replace counts."""
    chosen_by_f: ClassVar[bool] = False
    """Whether the augmented sets are those of the best F, so that no other F can be made of them."""
    scores: ClassVar[Mapping[str, str]] = {}
    """Scores that every measure of this augmentation shows as columns: column → score."""
    further: ClassVar[tuple[str, ...]] = ()
    """Further columns, from the solution."""
    kept: ClassVar[frozenset[str]] = frozenset()
    """What it promises without a horizon."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" in cls.__dict__:
            register_by_name(AUGMENTATIONS, "an augmentation", cls)

    @property
    def options(self) -> dict[str, Any]:
        """The fields and their values."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def promises(self) -> frozenset[str]:
        """What is known of measures by this augmentation: "names" do not matter, scores mirror ("mirror") or are
        symmetric ("symmetric") when the sides change places, "monotone", and different sets stay different
        ("distinct"). Near a root a horizon shows less, and what is shared weighs more: then it is not monotone."""
        return self.kept - ({"monotone"} if getattr(self, "horizon", None) is not None else set())

    @property
    def exact(self) -> bool:
        """Whether the model is solved to optimality, so that what is not proved so is a fallback."""
        return True

    def table_bytes(self, batch: Batch) -> FloatArray:
        """How many bytes each instance takes beside its lists."""
        return np.zeros(len(batch))

    def mean_closure_size(self, h: Hierarchy) -> float:
        """How many entries the list of what a class reaches has on average."""
        return h.upward.mean_length

    @abstractmethod
    def model(self, title: str, batch: Batch, weights: FloatArray) -> Model[Any]:
        """The explicit model of a batch. ``weights`` of all classes and, last, of ⊤.

        Its solutions have, for each instance, ``statuses``, ``sums`` (weights of the predicted, the true and the common
        nodes), ``equal`` (whether the two sets are) and ``columns`` (what else is worth knowing); and for the only
        instance ``sets``, both augmented sets, for explanations.
        """


def augmentation(what: str | Augmentation, options: Mapping[str, Any]) -> Augmentation:
    """An augmentation as it is, or by its name and options."""
    if isinstance(what, Augmentation):
        if options:
            raise InvalidOption(f"{what} has its options already: {', '.join(options)} cannot be given beside it")
        return what
    if what == "lca" and "method" in options:
        check_choice("method", options["method"], tuple(LCA_METHODS))
        meant = dict(LCA_METHODS[options["method"]])
        what = str(meant.pop("augment"))
        options = {key: value for key, value in options.items() if key != "method"} | meant
    check_choice("augment", what, tuple(AUGMENTATIONS))
    kind = AUGMENTATIONS[what]
    known = [field.name for field in fields(kind)]
    asked = {key: value for key, value in options.items() if key in known or value not in (None, False)}
    for key in asked.keys() - set(known):
        raise InvalidOption(f"augment={what!r} has no option {key!r} (it has: {', '.join(known) or 'none'})")
    return kind(**asked)


@dataclass(frozen=True)
class Implied(Augmentation):
    """A set and all that each of its classes implies: an augmentation of your own is a child that says what that is.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Children(Implied):
    ...     name = "children"
    ...
    ...     def implied(self, hierarchy, label):
    ...         return hierarchy.children(label)
    >>> from hemlp import SetMeasure
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> SetMeasure("F_children", Children()).score(h, ["animal"], ["sheep", "cow"])
    0.8
    """

    weighable = True
    kept = frozenset({"mirror", "symmetric"})  # names matter where ``implied`` says so

    @abstractmethod
    def implied(self, hierarchy: Hierarchy, label: Label) -> Iterable[Label]:
        """The classes that a class implies; itself need not be among them."""

    def model(self, title: str, batch: Batch, weights: FloatArray) -> ClosureModel:
        from hemlp.problems.closure.variants import ImpliedModel

        h = batch.hierarchy
        rows: list[list[int]] = [[] for _ in range(len(h))]
        for c in {int(c) for side in batch.sides for c in side.classes}:
            rows[c] = sorted({h.id(label) for label in self.implied(h, h.labels[c])} - {c})
        arrows = pointers([len(row) for row in rows]), np.array([a for row in rows for a in row], np.int32)
        return ImpliedModel(title, batch, "none", weights, implied=arrows)


@dataclass(frozen=True)
class Flat(Augmentation):
    """The sets as they are."""

    name = "none"
    weighable = True
    kept = CLOSURE | {"distinct"}
    direction: ClassVar[Direction] = "none"

    def mean_closure_size(self, h: Hierarchy) -> float:
        return 1.0

    def model(self, title: str, batch: Batch, weights: FloatArray) -> ClosureModel:
        from hemlp.problems.closure.model import ClosureModel

        return ClosureModel(title, batch, self.direction, weights)


@dataclass(frozen=True)
class Ancestors(Augmentation):
    """A set and its ancestors (Kiritchenko 05, Struyf 05, Cai 07).

    ``top`` adds one node above all roots. ``horizon`` h lets a class see what is fewer than h levels up, and that node.
    """

    top: bool = False
    horizon: int | None = None

    name = "ancestors"
    weighable = True
    kept = CLOSURE

    def __post_init__(self) -> None:
        object.__setattr__(self, "horizon", plain_horizon(self.horizon))
        if not isinstance(self.top, bool):
            raise InvalidOption(f"top={self.top!r} is not True or False")

    def mean_closure_size(self, h: Hierarchy) -> float:
        if self.horizon is None:
            return h.upward.mean_length
        return h.upward.mean_length_within(min(self.horizon - 1, len(h)))

    def model(self, title: str, batch: Batch, weights: FloatArray) -> ClosureModel:
        from hemlp.problems.closure.model import ClosureModel

        if self.horizon is not None and batch.hierarchy.weighted:
            raise InvalidOption("horizon counts edges; this hierarchy has edge weights")
        return ClosureModel(title, batch, "up", weights, self.top, self.horizon)


@dataclass(frozen=True)
class Descendants(Flat):
    """A set and its descendants (Ipeirotis 01)."""

    name = "descendants"
    kept = CLOSURE
    direction: ClassVar[Direction] = "down"

    def mean_closure_size(self, h: Hierarchy) -> float:
        return h.downward.mean_length


@dataclass(frozen=True)
class Tolerant(Augmentation):
    """Ancestors, without what is not on the other side and has no parent there (Cesa-Bianchi 06)."""

    name = "tolerant"
    kept = CLOSURE

    def model(self, title: str, batch: Batch, weights: FloatArray) -> TolerantModel:
        from hemlp.problems.closure.variants import TolerantModel

        return TolerantModel(title, batch, "up", weights)


class LcaGraph(Augmentation):
    """Graphs of LCAs. How far every true class is below every node that is above one of them is a table."""

    scores: ClassVar[Mapping[str, str]] = {"P_LCA": "P", "R_LCA": "R", "F_LCA": "F"}
    further = ("lcas", "bound", "step")

    def table_bytes(self, batch: Batch) -> FloatArray:
        predicted, true = (np.diff(side.ptr).astype(np.float64) for side in batch.sides)
        above = np.minimum(len(batch.hierarchy), true * self.mean_closure_size(batch.hierarchy))
        return 6.0 * above * true + 12.0 * predicted * true


@dataclass(frozen=True)
class MinimalLca(LcaGraph):
    """The minimal LCA graphs of Problem 2.

    ``horizon`` h: a class sees what is fewer than h levels up. ``solver``: who finds the graphs unless another solver
    is asked for: None for the optimum, "greedy" for Algorithm 1; ``time_limit``: in seconds per instance.
    """

    horizon: int | None = None
    solver: str | None = None
    time_limit: float | None = None

    name = "lca"
    chosen_by_f = True
    kept = frozenset({"names", "symmetric", "monotone"})

    def __post_init__(self) -> None:
        object.__setattr__(self, "horizon", plain_horizon(self.horizon))
        object.__setattr__(self, "time_limit", plain_number("time_limit", self.time_limit, 0))

    @property
    def promises(self) -> frozenset[str]:
        """P and R mirror each other but for the rare instance with two mirror solutions; greedy goes by names."""
        return super().promises if self.exact else super().promises - {"names", "symmetric"}

    @property
    def exact(self) -> bool:
        return self.solver != "greedy"

    def model(self, title: str, batch: Batch, weights: FloatArray) -> GraphModel:
        if self.solver == "greedy":
            from hemlp.solvers.greedy import GreedyModel

            return GreedyModel(title, batch, self.horizon)
        from hemlp.problems.lca.model import LcaModel

        return LcaModel(title, batch, self.horizon)


@dataclass(frozen=True)
class ExtendedLca(LcaGraph):
    """The extended LCA graphs G_ex: all shortest paths of all eligible pairs. ``horizon`` as of the minimal ones."""

    horizon: int | None = None

    name = "extended_lca"
    kept = frozenset({"symmetric", "monotone"})

    def __post_init__(self) -> None:
        object.__setattr__(self, "horizon", plain_horizon(self.horizon))

    def model(self, title: str, batch: Batch, weights: FloatArray) -> GraphModel:
        from hemlp.problems.lca.model import ExtendedModel

        return ExtendedModel(title, batch, self.horizon)
