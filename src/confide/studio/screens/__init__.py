"""The screens of the studio, each independent of the others but for the pages of a run:

registry       every screen by its path, in the order of the menu
guide          questions that lead to a stage, its numbers and its form
column_list    what each column of a table is, and its rows
group_editor   groups of values as a tree, and changes of them
start          what lies in the folder
exploration    what every setting would cost
publish        which data, by which job
comparing      utility and risk: a release beside what it was made from
verdict_list   verdicts and attacks
stages         pages of collect, join, stream and search
tools          every job
run_form       the form of a run
work           jobs, and one with what came of it
file           one file; reports in a frame
"""
