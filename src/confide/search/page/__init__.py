"""The page of `confide search serve`: search, see what is exposed, move sliders, judge. In dependency order:

judgment_file    which results the person found relevant, kept in a file if wanted
exposure_worth   what each exposed branch gains, and what it costs
shown_tree       the profile as the page draws it
interest_list    every interest, by a filter
session          one person at the page: profile, engine, results so far
application      the page and its answers over HTTP
"""
