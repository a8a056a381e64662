"""Threads and processes that share work, interrupts, and executors. Imports errors only."""
