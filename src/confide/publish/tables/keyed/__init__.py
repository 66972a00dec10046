"""What a secret key makes of values that say who somebody is. In dependency order:

pseudonyms   identifiers replaced by keyed pseudonyms
date_shifts  dates moved by as many days as the key says for each person
"""
