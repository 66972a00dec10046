"""The folder that the studio works in. In dependency order:

project_folder   names in the folder, and nothing beside it
file_kinds       each file by what it is, with rows and columns
versions         every text that was ever saved: undo and redo
run_files        run files: read, checked, named
spellings        a run as a command, a script, a notebook
"""
