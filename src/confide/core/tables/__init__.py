"""Tables, and what their columns are. In dependency order:

framed      results that can leave as any frame
csv_text    CSV as we read and write it
parquet_pages   how many values a Parquet file holds, by its pages
parquet     Parquet files, checked
arrow_messages  what Arrow's messages say of themselves
reading     how the files of one call are read
workbook    the cells of an .xlsx workbook as text
frames      any frame in, an Arrow table inside, the caller's own type out
csv_types   what the columns of a CSV file are: declared, or as their cells read
hierarchy   what values become when they are made coarser
schema      what each column of a table is
persons     numbers of persons in a released table
sources     one table out of CSV, Parquet, .xlsx, DuckDB or PostgreSQL
"""
