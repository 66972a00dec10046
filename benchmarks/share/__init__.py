"""The stage `share`: accuracy of shared trees and of global models, and speed.

datasets     Adult, Nursery, Car, CMC and mushroom with declared domains
trials       what the benchmarks of accuracy share: folds, and lines of means
publishing   ATP, LDM and ours under requirements, one owner (Figures 14 and 15)
learning     PGEN, BASEGEN, BAGGING and ours, several owners (Figures 10a, 12 and 13)
models       naive Bayes and conjunctive rules; ten owners under a promise, tables too (Figures 10b, 11 and 16)
estimates    how often the estimate passes where the truth fails
speed        pruning, pseudo-data, learning
experiment   the same for a table of one's own: python -m benchmarks.share.experiment IN --domains FILE
"""
