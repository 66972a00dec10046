"""Benchmarks of collect: one file per claim."""
