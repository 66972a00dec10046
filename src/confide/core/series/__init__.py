"""Several releases about the same people: what a stage tells a ledger, and what a ledger tells a stage.

membership        of whom one release speaks: the group and the sensitive values of each person
places            what one release is built on: places that keep a value, in cells that are shown whole
release_history   the same of several releases, over all people: what attackers on a series are asked about
placed_history    the same with places and cells
shown_items       which items of the same baskets releases show
"""
