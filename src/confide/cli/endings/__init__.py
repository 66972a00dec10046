"""How a command ends that does not end well. In dependency order:

wording      errors in the words of the command line
interrupts   Ctrl-C answered within a second, whatever runs
"""
