"""Scored predictions: reading, thresholds, curves, tuning, ranked measures. Imports statistics and measures."""
