"""What parties may say to each other. In dependency order:

party_names        what parties may be called
verbs              the table of messages
messages           a message: a verb, fields, arrays
policy             what a site's owner allows to be said
ledger             what was said
budget             how often a coordinator has asked
summary_messages   summaries as messages
certain_watch      what neighbours could tell for certain, counted before summaries leave
certain_lines      the same as a released tree lists it
key_encoding       join values as bytes: one value, one encoding
"""
