"""Measures: a model plus a score made from its optimum.

``base`` says what every measure has, ``pairs`` and ``sets`` are the two kinds, ``augmentations`` and costs what they
are made of, ``named`` lists all named measures, ``registry`` makes measures from texts, ``scoring`` scores batches.
Imports models, no solvers.
"""
