"""One private table and its answers. In dependency order:

keys           a site's own join values
own_table      what a site knows of its own table
_side_kernels  which join values a split summary shows on one side
site_engine    its table engine
split_list     its own part of the tree
site_mail      what it sends to neighbours, and what waits from them
shared_values  the join values it shares with neighbours
steps          which step may be taken when, and at whose word
growing        one run from the root on, level by level
site_run       one run at one site, and whether another may begin
routing        records sent down a finished tree
site           Site
"""
