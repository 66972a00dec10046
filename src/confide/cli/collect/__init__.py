"""`confide collect ...`. In dependency order:

serve   a collector over HTTP
send    your own record, perturbed here
group   the commands: these, and those derived from jobs
"""
