"""Schemes and answers of `collect`, as an auditor reads them:

scheme_parts      numbers, fields and items of a scheme
answered_blocks   schemes whose devices answer one block of fields, and their answers
"""
