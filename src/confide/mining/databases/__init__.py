"""Records as databases of itemset search: in memory or in files, as words or as lists. In dependency order:

task                 what is searched for
database             a database as the search takes it; what it asks of records
_row_kernels         records as rows, in two forms
_pair_kernels        the graph of frequent pairs
in_memory            records in memory, and the choice among the forms
_item_word_kernels   equal words counted in a hash table
item_words           each item's records in files as words, equal ones merged
_row_list_kernels    records of some items as lists
row_lists            the records in files of some items, as lists
in_files             records in files, in few passes
"""
