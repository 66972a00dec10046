"""The coordinator of a run. In dependency order:

site_graph   which site joins which
run_record   the tree so far, written down after every level
inquiry      several sites asked at once
run_state    one run: whom to ask, what was asked for, how far it has come
run_opening  a run up to the root of its tree
levels       the tree, level by level
disclosure   who learned what, in plain words
secure_tree  the tree that everybody may see
ending       pruning, final numbers, ledgers
coordinator  Coordinator
prediction   classes for records whose parts lie at several sites
simulation   all sites in one process
"""
