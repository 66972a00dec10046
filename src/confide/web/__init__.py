"""What every service shares: a stage that serves pages or messages imports these. In dependency order:

addresses    addresses of the web, as others write them
tls          a certificate and its key, checked before anybody connects
headers      the headers every answer carries
clients      who counts as one client, also behind a proxy
connections  how much of a server one client may hold
bodies       what a request may send: kind, size, time
guard        only the person who started a page may use it: a key in front of every path
serving      an address to listen on, an application until a signal ends it
"""
