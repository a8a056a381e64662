"""Scored predictions: reading, thresholds, curves, tuning, ranked measures. Imports report and what is below."""
