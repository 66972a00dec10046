"""How messages travel. In dependency order:

state_folder   what a party keeps, for its owner only
links          policy, ledger, wire: within a process
patience       connections that outlast a cut
transport      Arrow Flight over mutual TLS
certificates   an authority and certificates for a trial
"""
