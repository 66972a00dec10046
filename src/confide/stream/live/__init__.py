"""Live pages of a run. In dependency order:

meters      what a monitor asks of a run
hub         releases for whoever listens, without waiting for anybody
live_pages  the page for everybody, and the owner's
"""
