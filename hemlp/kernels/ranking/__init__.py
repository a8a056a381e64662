"""Scores: ranked classes, and closures that grow along a ranking."""
