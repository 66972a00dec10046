"""When does a profile help? Judged queries, asked again with every setting. In dependency order:

queries     queries with what is relevant, and shorter cuts of them
trials      queries, profiles, alpha and minDetail, each with each
study       what came out, as rows and as a page with charts
"""
