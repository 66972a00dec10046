"""What every stage may import. Modules in dependency order:

errors              every error a caller may meet
lazy, extras        names and packages that are imported when needed
labels              the order items are coded in
support             one rule for support thresholds
jit                 the one door to numba
files               files that are whole or absent
parquet             Parquet files, checked
progress            progress of long work
randomness          bits and exact draws, from the system or a seed
frames, tables      any frame in, an Arrow table inside, the caller's own type out
transactions        records that are sets of items
text_tokens         rows of labels out of plain text (with _text_kernels)
_row_kernels        compressed rows as compressed columns
transaction_files   transactions from and to files
transaction_frames  transactions from and to frames and sparse matrices
itemsets            itemsets with their supports, columnar
itemset_files       itemsets from and to files
tree, tree_checks   a decision tree as plain, checked data
hierarchy           what values become when they are made coarser
schema              what each column of a table is
rounding            bounds as text, rounded to the safe side
requirements        what must hold of a release
checks, registry    what a verifier answers, and who verifies what
artefacts           everything that can be released, by type
passport            what a release claims
charts              charts as data
release             data that keeps a promise, checked before it leaves
samples             invented data
"""
