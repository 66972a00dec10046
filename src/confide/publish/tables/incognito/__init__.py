"""Incognito: the best generalisation of whole domains. In dependency order:

measures     what a generalisation costs, and bounds of it
lattice      all generalisations, by level; which are hopeless, and what they cost at least
looks        what was found at the nodes looked at, and work that looks share
dive         a good one, from the top: for lattices of any width
search       the best of them, without looking at most
drawing      all of them, as a diagram
exploration  all of them, looked at
rounds       several generalisations, each for the rows it suits
publisher    `Incognito`, as users call it
"""
