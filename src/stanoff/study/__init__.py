"""Studies: many comparisons out of one small file."""
