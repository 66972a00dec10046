"""Publishing items under broader names, instead of leaving them out. In dependency order:

tree               a taxonomy as arrays
name_cost          what a broader name costs
merging            a tree merged from the data, where nobody has a taxonomy
_peeling_kernels   sets of one name or two, counted; the first look at a try
peeling            which subtrees come out of their group, and whether that breaks anything
descents           how many items to publish exactly first, by what it costs
group_names        what each group is called
name_choice        which names are published, from what was declared and wished
name_loss          what was given up
beside_hiding      what hiding items would have kept instead
name_prices        what each setting costs, beside hiding
taxonomy_proposal  a taxonomy to begin with, as the job `publish taxonomy`
"""
