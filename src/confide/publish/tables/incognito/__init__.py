"""Incognito: the best generalisation of whole domains. In dependency order:

lattice_costs        what a generalisation costs, and bounds of it
lattice              all generalisations, by level; which are hopeless, and what they cost at least
looks                what was found at the nodes looked at, and work that looks share
dive                 a good one, from the top: for lattices of any width
lattice_search       the best of them, without looking at most
lattice_drawing      all of them, as a diagram
lattice_exploration  all of them, looked at
lattice_rounds       several generalisations, each for the rows it suits
incognito            `Incognito`, as users call it
"""
