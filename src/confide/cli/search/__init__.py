"""The commands of `confide search`. In dependency order:

passphrases   the passphrase of an encrypted profile, asked for or read from a file
sources       the options that name a person's own files
build         profile build
show          profile show
expose        profile expose
edit          profile edit
verify        profile verify
index         index
engines       the options that name an engine and what it may see
query         query
wrapper       wrapper
group         the groups themselves
"""
