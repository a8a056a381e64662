"""Files and tables of any content: text, cells, frames and figures; files are written whole or not at all.

Imports errors, and ``hemlp.processes`` for what has to be removed when a process ends early.
"""
