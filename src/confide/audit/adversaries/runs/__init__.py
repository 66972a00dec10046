"""Adversaries of a whole run, who know every rule of it. In dependency order:

noise_model     what the first line of a run says of its noise, as covariances
smoothing       all releases of an itemset, averaged as well as can be
codebook        one value for each support, learnt by Baum-Welch
shifts          shifts that grow with the support, undone
cleaning        every block's noisy count, cleaned by Bayes' rule
arrival_counts  how often a set comes, by the changes between releases
handed_blocks   whoever is handed every block's noisy count
rare_patterns   the rare patterns of a run, and how wrong guesses are about them
same_records    sets that the same records hold, averaged
projection      least squares under what is known of nested sets
run_errors      all of these beside a single reading and a constant guess
"""
