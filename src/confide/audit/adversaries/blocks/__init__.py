"""Adversaries who have every block's noisy count. In dependency order:

recovered_blocks   whoever works these counts out from the releases themselves
nested_cleaning    whoever cleans the sets of a lattice together, knowing that they lie inside each other
"""
