"""Schemes whose answers support a set of values, and designs that ask each person only some of the fields:

answer_intake        answers in any form a miner has them, counted
field_blocks         a subset of the fields with the law of its answers
design_estimates     supports of itemsets from all blocks that know something of them
joint_shares         shares of all combinations of values, none negative: EM and simplex
design_forecasts     standard errors before anybody has answered
block_scheme         what all schemes made of blocks share
record_design        UnaryEncoding, LocalHashing, SubsetSelection: one block of all fields
sampled_design       SampledDesign: each person answers one block, drawn on the device
collection_plan      a design from what people want to know: plan_collection
randomized_response  k-ary randomised response, field by field, gamma shared among the fields
"""
