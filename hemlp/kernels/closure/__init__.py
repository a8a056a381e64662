"""Closures of label sets: their sizes, members and errors."""
