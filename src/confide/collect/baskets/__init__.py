"""Baskets under one gamma, however long they are:

held_sets        which of some sets of items each basket holds
basket_question  BasketQuestion: one item (or itemset) of the basket, drawn after padding, or how many of some it holds
basket_search    BasketSearch: the most frequent items and itemsets, round by round (SVIM and SVSM)
"""
