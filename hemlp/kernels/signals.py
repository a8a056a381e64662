"""Ctrl-C within a loop that has released the interpreter's lock."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from hemlp.kernels import uncompiled as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.cpython.exc import PyErr_CheckSignals
else:

    def PyErr_CheckSignals() -> int:
        """Python looks by itself."""
        return 0


def look_for_signals() -> int:
    """Have Python act on signals that came: KeyboardInterrupt is raised here."""
    with cython.gil:
        return PyErr_CheckSignals()
