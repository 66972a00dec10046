"""Benchmarks of personal search: one file per claim."""
