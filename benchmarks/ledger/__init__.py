"""Several releases about the same people.

releases     what they say together, and what it takes to find out
after        the same built on one another, and what that loses
baskets      releases of the same baskets by different settings
chances      the exact chance of a value where places of a cell were refilled
"""
