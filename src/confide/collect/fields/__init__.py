"""The fields of categorical records. In dependency order:

field          one field: its name, values, edges, and the code of a value
field_coding   arrays and frames of records as codes
fields         all fields of a record, in order
"""
