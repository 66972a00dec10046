"""`confide collect ...`. In dependency order:

files      files of records
domains    what a plan is for: fields or items
studies    pages that `plan` writes
plan       parameters for a promise, or which scheme fits a file
perturb    a file of true records, perturbed and released
mine       itemsets and rules out of perturbed records
privacy    how much a scheme protects
serve      a collector over HTTP
send       one's own record, perturbed here
group      the commands
"""
