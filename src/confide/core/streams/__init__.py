"""What a run of a stream publishes: releases of itemsets, one after another, chained by hashes. In dependency order:

header     the first line: what was promised, and how the run works
releases   one line for each release
run        a whole file of them
"""
