"""The closed frequent itemsets of a sliding window. In dependency order:

_window_kernels   the closed itemsets, kept up to date record by record
_state            the arrays behind a window
_files            the file a window is kept in
sliding           SlidingWindow
"""
