"""What every stage may import. Modules in dependency order:

errors              every error a caller may meet
extras              optional packages, imported when needed
labels              the order items are coded in
support             one rule for support thresholds
jit                 the one door to numba
transactions        records that are sets of items
itemsets            itemsets with their supports, columnar
"""
