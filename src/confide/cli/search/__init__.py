"""The commands of `confide search`. In dependency order:

passphrases   the passphrase of an encrypted profile, asked for or read from a file
sources       the options that name a person's own files
profile       profile build | show | expose | edit | verify
index         index
engines       the options that name an engine and what it may see
query         query
serve         serve
evaluate      evaluate
wrapper       wrapper
group         the groups themselves
"""
