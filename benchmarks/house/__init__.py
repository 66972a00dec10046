"""Benchmarks of house: one file per claim."""
