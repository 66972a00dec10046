"""Benchmarks of join: one file per claim."""
