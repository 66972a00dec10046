"""What the screens of collect, join and stream show, read from files of the folder alone:

form_questions  what a scheme asks people, as they will see it
collectors      the collectors of the folder: where they listen, how many records they hold
site_graphs     the sites of a join, what joins them, what each allows
live_runs       the end of a published run, also while it is being written
"""
