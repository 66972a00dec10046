"""Tables, and what their columns are. In dependency order:

framed        results that can leave as any frame
reading       how the files of one call are read
row_places    in how many rows something stands, and where first
spelling      one spelling for each number, in every file
formats       CSV, Parquet, .xlsx and Arrow's messages
guest_types   frames in the caller's library, with the caller's column types
frames        any frame in, an Arrow table inside, the caller's own type out
hierarchy     what values become when they are made coarser
taxonomy      what is above each item, as rows of any length
label_meaning  which values a released label stands for
schema        what each column of a table is
persons       numbers of persons in a released table
sources       one table out of CSV, Parquet, .xlsx, DuckDB or PostgreSQL
"""
