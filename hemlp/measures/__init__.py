"""Measures: a model plus a score made from its optimum.

``base`` says what every measure has, ``pair_measure`` and ``set_measure`` are the two kinds, ``augmentations`` and
costs what they are made of, ``catalogue`` is the table of named measures, ``factory`` makes measures from names and
texts, ``scoring`` scores batches. Imports models, no solvers.
"""
