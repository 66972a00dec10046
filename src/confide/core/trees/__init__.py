"""A decision tree as it is published. In dependency order:

drawing     a tree as text and as SVG
published   PublishedTree: nodes, edges, class counts
soundness   what makes one sound, and reading one from plain data
"""
