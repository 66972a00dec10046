"""Forms of the studio. In dependency order:

posted        forms as browsers send them
field_texts   texts of a form, and the request that they ask for
drawn_forms   a form as a page draws it, from the description of a job
suggestions   what a new form begins with
"""
