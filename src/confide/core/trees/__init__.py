"""A decision tree, or a set of rules, as it is published. In dependency order:

nodes           attributes with their domains, edges, nodes, paths
tree_drawing    a tree as text, as rules and as SVG
published       PublishedTree: nodes, edges, class counts
covering        edges that together cover the domain
caveats         what a passport must say of a tree, and when
soundness       what makes a tree sound, and reading one from plain data
rules           RuleSet: disjoint rules, each with its class counts
rule_soundness  what makes rules sound and disjoint, and reading them from plain data
rule_trees      rules as a tree, where they are one
"""
