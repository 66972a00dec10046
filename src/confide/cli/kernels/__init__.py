"""`confide compile`, and commands that do not wait for it. In dependency order:

readiness      which groups were compiled
groups         every kernel called once on a little data
interpreting   small jobs begin at once, their kernels interpreted
"""
