"""Publishing items under broader names, instead of leaving them out. In dependency order:

tree         a taxonomy as arrays, given or merged from the data
peeling      which subtrees come out of their group, and whether that breaks anything
descents     how many items to publish exactly first, by what it costs
group_names  what each group is called
name_loss    what was given up
"""
