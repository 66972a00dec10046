"""`confide publish ...`. In dependency order:

transactions   make transactions coherent, or explore what that would cost
table          make a table keep a requirement, or compare what every method would cost
schema         propose roles and hierarchies for a table
group          the commands
"""
