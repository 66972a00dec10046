"""Benchmarks of streams: one file per claim."""
