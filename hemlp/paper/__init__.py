"""The paper: its case tables beside ours, and its errata. Imports measures and statistics."""
