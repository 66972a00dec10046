"""Tables that identify nobody. In dependency order:

coding   a frame and its schema as integers: leaves, levels and what they are called
"""
