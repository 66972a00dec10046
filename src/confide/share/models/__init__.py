"""What can be learned from pseudo-data besides a decision tree.

naive_bayes        NaiveBayes: categories by counts, numbers by normal densities
conjunctive_rule   ConjunctiveRule: one rule, "if all of these then this class, else that one"
encoded            Encoded: any scikit-learn classifier, with categories turned into columns of 0 and 1
"""
