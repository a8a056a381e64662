"""True and predicted label sets, scored predictions, and both sides as class numbers of one hierarchy (``Batch``).

Data that could be read in two ways is refused here. Imports hierarchies and ``hemlp.io``.
"""
