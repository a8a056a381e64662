"""Measures: a model plus a score made from its optimum.

``base`` says what every measure has, ``pairs`` and ``sets`` are the two kinds, ``augmentations`` and costs what they
are made of, ``registry`` is the table of all named measures, ``scoring`` scores batches. Imports models, no solvers.
"""

from hemlp.measures import registry  # noqa: F401 (whoever has a measure has the names of all, which signatures need)
