"""The jobs of publishing: requests alone, which need neither numba nor pyarrow.

loss_names          the names of losses
transactions        publish transactions
population_promise  what is asked about the population that people of a table are from
tables              publish table, publish schema
"""
