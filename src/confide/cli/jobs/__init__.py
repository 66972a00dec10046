"""Jobs that bring together what may not import each other, or that belong to no stage. In dependency order:

sample          invented data to try things on
attacks         what an attacker could do with a file
passports       keys, signing, showing
pages           the page of a release, from its passport
demo            every stage on invented data, with reports
compiling       all kernels compiled now
search          search profile verify
stream          stream attack
stream_attack   what stream attack works out
"""
