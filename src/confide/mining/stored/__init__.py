"""Mining transactions that stay in their files (`StoredTransactions`), exactly, in few passes. In dependency order:

_triangle_kernels   pairs counted in a triangle
lanes               one large state that several threads fill
pairs               counts of all pairs of some items
_mask_kernels       equal words counted in a hash table
masks               each item's records as words, equal ones merged
_list_kernels       records of some items as lists
lists               the records of some items, as lists
_triple_kernels     triples counted in one cell each
triples             counts of all triples of some items
_set_kernels        candidates counted record by record
sets                counts of given candidates
_beside_kernels     given pairs counted with each of some anchors
beside              counts of given pairs with each of some other items
_occurring_kernels  triples that occur, counted in a hash table
occurring           triples that occur, all of whose pairs are given
_distinct_kernels   different rows, and how often each stands there
distinct            the different records, as far as some items go
counts              the engine of a level-wise search (`ItemsetCounts`)
records             stored records as `frequent_itemsets` searches them
"""
