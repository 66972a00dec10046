"""Files that cost a reader far more than their own size, and what `verify` takes to read them.

measuring   the peak memory of `verify` in a process of its own, above that of an empty run
bombs       small files that stand for great amounts of data, one for each reader
"""
