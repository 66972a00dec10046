"""Verifiers of what a stream publishes. In dependency order:

noise_claims     the law of the noise: enough, not too much, and what a published value says of the count behind it
block_claims     the same of noise by blocks
block_watch      the owner's own auditor of a run by blocks: with the key, noise drawn again
watch            the owner's own auditor: every release, against the true counts, before it leaves
run_passport     whether a passport is of this run
output_privacy   a whole published run, from its file and passport alone
"""
