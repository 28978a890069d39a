"""Zhang et al. (2016): Bayesian performance comparison of text classifiers."""
