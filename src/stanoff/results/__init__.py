"""What users hold: a comparison of two systems, or a contest of many."""
