"""Benchmarks of publish: one file per claim."""
