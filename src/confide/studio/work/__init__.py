"""Jobs of the studio. In dependency order:

job_folder     what is known of a job from its folder alone
running_jobs   jobs as processes of their own: start, cancel, list
comparisons    many runs that differ in a method and a few numbers, a job each
answers        what a job wrote to standard output, for a page
fronts         what was explored: loss against risk
verdicts       verdicts on the releases of the folder
"""
