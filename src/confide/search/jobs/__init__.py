"""The jobs of `search`. In dependency order:

requests      what a person can ask for
passphrases   opening a profile that may be encrypted
profiles      build, show, expose and edit a profile
engines       index, query, serve, evaluate and wrapper
"""
