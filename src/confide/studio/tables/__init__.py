"""Tables of the studio: read once, by a process of its own, and shown from a copy. In dependency order:

table_copy     a table as Arrow, and what can be seen of its columns
copies         the copies of a folder: made when first asked for, until the table changes
utf8_copies    a copy of a text file in UTF-8
column_roles   the roles of columns, read from a schema and changed in it
"""
