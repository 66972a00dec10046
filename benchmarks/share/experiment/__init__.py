"""Section 7 of the paper, redone for any table: how good are models learned from published trees? In dependency order:

methods         how owners publish, and what is learned from what they publish
runs            folds, owners and passes
study           what came out, as tables and charts
table_methods   OPTI and LDD, which publish tables instead of trees
"""
