"""Files: one reader a format, and files that are written whole or not at all.

Imports hierarchies and instances, and ``hemlp.processes`` for what has to be removed when a process ends early.
"""
