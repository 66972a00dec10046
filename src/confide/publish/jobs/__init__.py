"""The jobs of publishing: requests alone, which need neither numba nor pyarrow.

tables         publish table, publish schema
"""
