"""Records that are sets of items. In dependency order:

labels         the order items are coded in
label_lists    labels in files, labels with a prefix: which items are private
support        one rule for support thresholds
row_kernels    compressed rows as compressed columns
container      Transactions: integer codes in compressed rows
_text_kernels  text taken apart: bytes in, counts and codes out
text_tokens    rows of labels out of plain text
guesses        tables that were taken for baskets
one_hot        tables with a column for each item
basket_files   transactions from and to files
frames         transactions from and to frames and sparse matrices
intake         whatever people have as transactions, and back
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.core.transactions.container import Transactions

__all__ = ["Transactions"]

__getattr__, __dir__ = exports(__name__, {"Transactions": "confide.core.transactions.container"})
