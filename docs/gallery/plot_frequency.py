"""
Rare and common categories
==========================

Scores against the number of training documents of a category, as in Yang & Liu (1999).
"""

from stanoff import compare_counts

result = compare_counts(
    [[310, 25, 20, 43], [90, 12, 30, 20], [200, 9, 8, 31], [60, 22, 6, 25]],
    [[40, 30, 25, 7039], [12, 9, 20, 7000], [15, 20, 22, 7080], [30, 9, 12, 7010]],
    categories=["art", "law", "sport", "war"],
    names=("svm", "nb"),
    average="macro",
    engine="exact",
    seed=1,
)
result.plot_frequency({"art": 120, "law": 60, "sport": 900, "war": 300})
