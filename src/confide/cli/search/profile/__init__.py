"""The commands of `confide search profile`:

build    a profile from a person's own files
show     the owner's view of it
expose   what a search service would get
edit     hide, rename, delete, forget
verify   an exposed profile against the profile
"""
