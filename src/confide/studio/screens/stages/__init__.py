"""Screens of stages that more than one job makes up:

overview     the stages, each with what it is for
collecting   a form as people will see it, a collector on this machine with a live count, estimates with error bars
joining      the sites of a join, what each allows, and who learns what when all of it is tried here
streaming    a published run while it is being written
searching    personal search: what is done here, and what in a terminal
"""
