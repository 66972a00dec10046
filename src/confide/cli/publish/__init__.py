"""`confide publish ...`. In dependency order:

transactions   make transactions coherent, or explore what that would cost
schema         propose roles and hierarchies for a table
group          the commands
"""
