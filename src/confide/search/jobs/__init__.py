"""The jobs of `search`. In dependency order:

requests      what a person can ask for: profiles and indexes
searching     what a person can ask for: query, order, serve, evaluate, wrapper
passphrases   opening a profile that may be encrypted
profiles      build, show, expose and edit a profile
querying      query, and order what another program found
engines       index, serve, evaluate and wrapper
"""
