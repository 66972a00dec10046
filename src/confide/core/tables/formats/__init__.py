"""The files a table comes in. In dependency order:

csv_text         CSV as we read and write it
csv_types        what the columns of a CSV file are: declared, or as their cells read
written          dates and numbers in texts, as people write them
parquet_pages    how many values a Parquet file holds, by its pages
_page_kernels    codes and texts in the bytes of a page
parquet_dictionaries  whether dictionaries list only what rows hold
parquet          Parquet files, checked
arrow_messages   what Arrow's messages say of themselves
workbook         the cells of an .xlsx workbook as text
new_workbook     a table as an .xlsx workbook, and the way back that takes nothing else
"""
