"""Publishing transactions under (h, k, p)-coherence. In dependency order:

declaration         which items are private, and whether anything can be published
moles               minimal moles, the worst case that is left
families            all moles and nuggets as diagrams, borders, or visited
suppression         which items go: for items, for itemsets, baselines
suppression_choice  what to save and how, and the items that go because of it
loss                what a release gave up, in numbers and in a sentence
explanation         the owner's part: why each item went
tried_settings      what would work where nothing can be published
stored_suppression  the same of transactions that stay in their files
suppress            suppress: the policy of the stage
generalisation      broader names instead: trees, peeling, loss
generalise          generalise: the same promise under broader names
long_records        a warning where a release rests on a few very long records
publication         a request in, a release and notes out
basket_exploration  what each k, h and p would cost
"""
