"""Graphs and hierarchies: orders, reachability, distances, common ancestors."""
