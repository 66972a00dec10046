"""The coordinator of a run. In dependency order:

site_graph    which site joins which
run_record    the tree so far, written down after every level
inquiry       several sites asked at once
disclosure    who learnt what, in plain words
secure_tree   the tree that everybody may see
coordinator   Coordinator
prediction    classes for records whose parts lie at several sites
simulation    all sites in one process
"""
