"""Files and tables of any content (text, cells, frames, Parquet), read with limits and written whole or not at all.

Imports errors, and ``hemlp.processes`` for what has to be removed when a process ends early.
"""
