"""Benchmarks of mining: one file per claim."""
