"""Where a person's documents are, all of it local and read only; each source is switched on separately. In
dependency order:

skipping    what is passed over, a line each
own_words   a text without quotes, signatures and addresses
html_text   the text a reader sees of an HTML page
files       the text of one file: plain, Markdown, HTML, PDF
folder      folders of files
mail        mbox, Maildir and .eml
databases   a copy of a database that a browser may hold locked
history     what Firefox and Chromium remember of visits
bookmarks   bookmarks of Firefox and Chromium, and exported ones
together    several sources at once
"""
