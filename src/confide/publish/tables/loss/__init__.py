"""What a release of a table gave up.

measures   general loss, discernibility, classification metric, average class size, non-uniform entropy
figures    the same as figures for everybody and for the owner, with a sentence and charts
"""
