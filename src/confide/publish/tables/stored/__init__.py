"""Tables that stay in their files, for global recodings. In dependency order:

distinct        a table's distinct rows, with the number of rows each stands for
rewriting       a recoding applied to the rows of the files, batch by batch
stored_release  a table in files becomes a release in parts
"""
