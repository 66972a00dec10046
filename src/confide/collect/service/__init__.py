"""A collector over HTTP, and its clients. In dependency order:

store           where a collector keeps records; what it gives back
store_duckdb    an embedded store
store_postgres  a store on a database server
export          what a store holds as a release
group_commit    many submissions in one transaction
personal_links  personal links, struck off once they are used
notice          the pages of those who answer: what leaves the device, the form, and that a survey has ended
desk            takes answers while a survey is open, by personal links where there are any
team            the page of those who ask: how many answered, results, pausing and closing
server          the collector
kept_draws      one draw per person, kept and sent again
client          draws here, keeps, sends
"""
