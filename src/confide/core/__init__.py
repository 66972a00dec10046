"""What every stage may import. In dependency order:

errors          every error a caller may meet
carried         kernels that came compiled with the wheel
runtime         lazy imports, numba, progress
files           files that are whole or absent; TOML that people write
file_groups     several files that appear together, or not at all
json_text       JSON between parties: canonical, strictly read
randomness      bits and exact draws, from the system or a seed
transactions    records that are sets of items, and their files
itemsets        itemsets with their supports, and their files
tables          frames, table files, schema and hierarchies
datasets        data sets that need not be in memory, and engines that compute on them
trees           a decision tree as plain, checked data
figures         numbers, tables and charts as data, with declared units
bounds          bounds as text, rounded to the safe side
numbers         NumPy numbers as Python's own
requirements    what must hold of a release
streams         what a run of a stream publishes
checks          what a verifier answers
stages          every stage, one entry each: promises, verifiers, limits, command, demo, docs
artefacts       everything that can be released, by type
passport        what a release claims
release         data that keeps a promise, checked before it leaves
jobs            a user's request as one object; commands, files and forms are derived from it
series          several releases about the same people
samples         invented data
"""
