"""Decision trees. In dependency order:

table             any frame or array as columns of numbers and codes
coding            classes and numbers as codes
arrays            the table of nodes that growing makes, and the published tree it becomes
impurity_kernels  integer scores of splits
_tree_kernels     growing a tree
splits            choosing a split from class counts
pruning           pessimistic pruning
_walk_kernels     sending records down a tree
walker            a tree as flat arrays, to send records down
sklearn           trees learned by scikit-learn
estimator         what learners of trees have in common
learner           DecisionTree
"""
