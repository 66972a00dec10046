"""What a release of a table gave up.

loss_measures  general loss, discernibility, classification metric, average class size, non-uniform entropy
loss_figures   the same as figures for everybody and for the owner, with a sentence and charts
spread         the leaves a released label can mean
queries        the error of random count queries
classifiers    classifiers trained on a release and tested on rows held out
meanings       what the labels of a release stand for, from two files alone
utility        an original beside its release: distributions, correlations, regression, classifiers, queries
"""
