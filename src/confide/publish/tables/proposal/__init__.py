"""A schema proposed for a table, to be read and edited. In dependency order:

facts         what can be seen of a column without knowing what it means
roles         what a column probably is, by its name and its values, and why
coarsening    how its values could be made coarser
proposal      a schema with reasons, written as TOML and CSV
"""
