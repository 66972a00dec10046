"""Answers that support a set of values:

answer_law       what every law says: chances of support, variances
answer_laws      k-ary, unary, hashing and subset-selection answers over numbered values
answer_files     many answers at once: in memory, as a table, as counts of support
_answer_kernels  counting hashed answers
"""
