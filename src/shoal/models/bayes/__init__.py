"""k-anonymous naive Bayes: columns with their labels, how labels are chosen, the estimator."""
