"""Publishing transactions under (h, k, p)-coherence. Modules in dependency order:

suppression            what a suppressing algorithm answers: items in order, with their scores
"""
