"""Tables that identify nobody. In dependency order:

coding             a frame and its schema as integers: leaves, levels and what they are called
group_tests        the maker's own test of a requirement on groups of rows that look alike
mapping            a global recoding by itself, for rows that come later
recoding           what an algorithm decides: what every value becomes, and which rows are left out
loss               what that gives up
risk               the risk of being found, from the sizes of groups, by column, and in the population
keyed              identifiers as keyed pseudonyms, dates shifted by person
cautions           what an owner should look at before the release goes out
table_explanation  the owner's part: exact losses, risk before and after, why a cell changed
table_release      a recoding becomes a release
memberships        of whom a released table speaks, for the owner's ledger
refusals           what would work where a request is refused
averaging          numbers that stay numbers: the mean, the median or the midpoint of each group
publisher          what every algorithm shares
top_groups         the groups that the highest levels of a schema keep apart
cells              a table by its distinct combinations of values, for global recodings
incognito          the best generalisation of whole domains
k_optimize         the best ranges of all columns at once
specialization     from the top, where it teaches most
mondrian           local recoding by cutting the table into regions
blanking           values stay, or are blank: cell suppression
one_dimensional    local recoding by neighbours on a line
series             tables that are built on earlier releases about the same people
stored             tables that stay in their files, recoded globally
regrouping         groups of other methods, regrouped while that loses less
methods            the algorithms by name, and a choice among them
table_publication  publishing a table as a request
table_exploration  what every method would cost under several requirements
proposal           a schema proposed for a table, to be edited
"""
