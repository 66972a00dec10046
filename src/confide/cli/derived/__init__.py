"""Commands derived from jobs. In dependency order:

delivery      where the outcome of a job goes: files, pages, standard output
commands      from a job to its click command
progress_log  how far a job is and how it ended, as JSON lines
repeated_run  confide run FILE: a saved request again
"""
