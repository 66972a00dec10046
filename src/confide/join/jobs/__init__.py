"""What a command, a notebook or a page asks of this stage. In dependency order:

requests           what each command asks for, with its options
table_files        tables in files that one person may see: a look beforehand, and their tree
training           train, simulate and evaluate a tree over several sites
predicted_classes  classes of records whose parts lie at several sites
owners             what a site's owner does: serve, look, ask a neighbour, make certificates
"""
