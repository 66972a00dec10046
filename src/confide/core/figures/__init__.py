"""What a page shows, as data. In dependency order:

charts   charts: a stage says what to draw, the report draws it
"""
