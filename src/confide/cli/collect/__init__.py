"""`confide collect ...`. In dependency order:

declared   columns, bins and values as options write them
plan       parameters for a promise, or which scheme fits a file
perturb    a file of true records, perturbed and released
mine       itemsets and rules out of perturbed records
privacy    how much a scheme protects
serve      a collector over HTTP
send       your own record, perturbed here
group      the commands
"""
