"""Requirements of tables (and, through `trees`, of published decision trees). In dependency order:

telling         figures and headline, as far as they follow from the table
tallied_rows    a table in parts: its different rows, and how often each is there
form            roles that fit the columns; identifiers gone, or pseudonyms
look            a table seen through the roles of its columns: groups, persons, counts of sensitive values
parted          the same of a table with more different rows than there is memory for
groups          k-anonymity and (alpha, k)-anonymity
diversity       simple, distinct, entropy and recursive diversity
closeness       t-closeness, beta-likeness and delta-disclosure
fitting         who of a population fits each group
counted_people  k-map and delta-presence: people of a population, counted or estimated
combination     several at once, and with other sensitive values known
strength        without a passport: the largest k and l, the smallest t and so on that a table keeps
"""
