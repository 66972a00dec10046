"""The closed frequent itemsets of a sliding window. In dependency order:

_layout           the arrays behind a window, column by column
_record_kernels   records that arrive and leave, and their items
_search_kernels   steps of the search among a record's items
_set_kernels      where the closed itemsets are kept
_window_kernels   the closed itemsets, kept up to date record by record
_state            the arrays behind a window
_files            the file a window is kept in
sliding           SlidingWindow
timed             a window by time stamps
"""
