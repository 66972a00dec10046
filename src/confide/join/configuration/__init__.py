"""site.toml and join.toml. In dependency order:

config_files  the two files, checked
parties       the sites and coordinators they describe
graph         the join graph they describe
"""
