"""What readers make of published values: every answer with the bounds that the noise leaves. In dependency order:

longer_windows  several windows, one after another, as one
support_bounds  the supports a published value can stand for
top_sets        the largest sets, and which of them surely are
rules           association rules with bounds on their confidence
"""
