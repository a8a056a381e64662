"""Plots of an evaluation, and a page that shows it all."""
