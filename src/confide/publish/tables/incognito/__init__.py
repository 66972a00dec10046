"""Incognito: the best generalisation of whole domains. In dependency order:

measures     what a generalisation costs, and bounds of it
lattice      all generalisations, by level; which are hopeless, and what they cost at least
search       the best of them, without looking at most
exploration  all of them, looked at
drawing      all of them, as a picture
rounds       several generalisations, each for the rows it suits
publisher    `Incognito`, as users call it
"""
