"""Five classifiers, cross-validated on the data that scikit-learn brings along."""
