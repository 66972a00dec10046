"""The jobs of publishing: requests alone, which need neither numba nor pyarrow.

transactions   publish transactions
tables         publish table, publish schema
"""
