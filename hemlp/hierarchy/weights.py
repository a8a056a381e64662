"""Weights of classes as an array, from a mapping that people give."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from hemlp.arrays import FloatArray, plain_sum
from hemlp.errors import InvalidOption
from hemlp.hierarchy.labels import Label
from hemlp.hierarchy.structure import Structure
from hemlp.options import plain_number


def class_weights(h: Structure, weights: Mapping[Label, float]) -> FloatArray:
    """The weight of each class: a number of at least 0, and not so much that all together are infinite."""
    values = np.empty(len(h))
    for k, label in enumerate(h.labels):
        if label not in weights:
            raise InvalidOption(f"weights has no value for the class {label!r}")
        weight = weights[label]
        if type(weight) is not float or not 0 <= weight < math.inf:
            weight = plain_number(f"the weight of {label!r}", weight, 0)
            if weight is None:
                raise InvalidOption(f"the weight of {label!r} is None: leave no class without a number")
        values[k] = weight
    if math.isinf(plain_sum(values.tolist())):
        raise InvalidOption("the weights of all classes together are infinite: scale them down")
    return values
