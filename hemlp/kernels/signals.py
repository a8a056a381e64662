"""Ctrl-C within a loop that has released the interpreter's lock."""

from __future__ import annotations

import cython

if not cython.compiled:

    def PyErr_CheckSignals() -> int:
        """Python looks by itself."""
        return 0


def look_for_signals() -> int:
    """Have Python act on signals that came: KeyboardInterrupt is raised here."""
    with cython.gil:
        return PyErr_CheckSignals()
