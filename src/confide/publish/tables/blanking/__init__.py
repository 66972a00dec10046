"""Cell suppression: values stay as they are, or are blank.

patterns     which values a row may leave blank, and who else has the rest
cover        few blanks by which every row finds enough others
blank_cells  the algorithm, as `publish table --method blank`
wildcards    what it would take if a blank matched anything, and whom that would expose
"""
