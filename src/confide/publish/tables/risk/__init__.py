"""The risk of being found in a table, before and after. In dependency order:

groups               from the sizes of groups: prosecutor, journalist and marketer risk
column_risk          which columns, and which pairs of them, give people away
_unique_row_kernels  the row that each minimal combination belongs to
special_uniques      the fewest values that single a row out, and SUDA scores of who is most at risk
before_and_after     the three attackers and the columns, of a table and of what was released of it
population           who is unique in the sample may have doubles in the population: Pitman's estimate
"""
