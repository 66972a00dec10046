"""A collector over HTTP, and its clients. In dependency order:

store              where a collector keeps records; what it gives back
store_duckdb       an embedded store
store_postgres     a store on a database server
export             what a store holds as a release
group_commit       many submissions in one transaction
form_texts         what the owner says on the form, and in which language
notice             what leaves your device, in plain words
server             the collector
kept_draws         one draw per person, kept and sent again
client             draws here, keeps, sends
"""
