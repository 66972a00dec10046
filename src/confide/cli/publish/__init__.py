"""`confide publish ...`. In dependency order:

transactions   make transactions coherent, or explore what that would cost
group          the commands
"""
