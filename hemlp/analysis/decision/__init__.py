"""The answer that is best in expectation, with a risk that is kept, and what knowing nothing scores.

Imports measures, ``hemlp.results`` and what stands below them.
"""
