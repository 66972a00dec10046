"""What a command, a notebook or a page asks of this stage: a request in, a result with its notes out.

service_requests  what the commands about a collector ask for
requests          what each command asks for, with its options
record_files      true and perturbed records from files, with what to know of them
plan_study        a page about a plan: its lead, tables and charts
plan_domain       what a plan is for: fields or items of a sample, or declared ones; plans for so many people
describe          which scheme fits a file
plan              a scheme and its parameters for a promise
perturb           true records, perturbed and released
mine              itemsets and rules of the true records
privacy           how much a scheme protects
serve             a collector over HTTP, a release of what it stored, how its survey is going
send              one person's record, perturbed here, kept and sent

Notes are plain sentences for the person, those that begin with "warning:" first to be read.
"""
