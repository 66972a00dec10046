"""When does a profile help? Judged queries, asked again with every setting. In dependency order:

judgments   which links somebody found relevant, in a file
precision   average precision of an order
trials      queries, profiles, alpha and minDetail, each with each
study       what came out, as rows and as a page with charts
"""
