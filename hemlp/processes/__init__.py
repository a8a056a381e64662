"""Processes: interrupts, what is sent from one process to another, and executors. Imports errors only."""
