"""A person's profile and the part of it that may leave the machine. In dependency order:

interests          the tree of interests, with weights in whole units
documents          documents as sets of terms, out of what people have
_split_kernels     one split of a set of documents
growth             Split and BuildUP
branches           branches by name
edits              what the owner changed
exposing           the exposed part, and how much it says
relations          which interests have to do with a query
exposure_release   the exposed part as a release
profile_file       the profile as a file, encrypted if wanted
profile            the profile itself
rows               the owner's view of it
"""
