"""
Tutorial
========

Ten minutes, from two columns of predictions to a verdict. Two classifiers have labelled the same
mails. Is the first really better?
"""

# %%
# The data
# --------
# What you need is a table with the true labels and what each system said. Here 600 mails are made
# up; the first classifier is right on 88 % of them, the second on 82 %.

import numpy as np
import pandas as pd

rng = np.random.default_rng(1)
y = rng.choice(["ham", "spam"], 600, p=[0.6, 0.4])
wrong = np.where(y == "ham", "spam", "ham")


def said(right):
    return np.where(rng.random(600) < right, y, wrong)


mails = pd.DataFrame({"y": y, "svm": said(0.88), "nb": said(0.82)})
mails.head(3)

# %%
# A verdict
# ---------
# ``compare`` fits a model of both classifiers and judges the difference of their F1. ``rope`` says
# which differences are too small to matter to you: here up to two points. Choose it before you
# look at the result. ``engine="exact"`` draws by conjugacy, which takes no compiler; by default
# Stan draws where it is there.

from stanoff import compare

result = compare(
    mails,
    truth="y",
    a="svm",
    b="nb",
    pos_label="spam",
    rope=0.02,
    engine="exact",
    seed=1,
)
print(result)

# %%
# The sentence can be pasted into a paper. It has the difference, the interval that holds it with
# 95 % probability, the probabilities below, inside and above the ROPE, and what another ROPE would
# have said. The figure shows the same:

result.plot_posterior()

# %%
# The five decisions are ``<<`` and ``>>`` (settled: worse, better), ``=`` (settled: practically
# equivalent), ``<`` and ``>`` (not settled, leaning). For a script there is
# ``result.decision``, and all numbers are in a table:

print(result.decision, result.decision.words)
result.summary().T

# %%
# Another question
# ----------------
# The draws can be asked again, by another measure or with another ROPE. Nothing is fitted anew.

print(result.judge(measure="accuracy", rope=0.05))

# %%
# What to be careful about
# ------------------------
# ``result.warnings`` says what to know before you trust the numbers. Here it is about one of the
# two Bayes factors, which is not defined under this prior.

print("\n".join(result.warnings) or "nothing")

# %%
# Does the verdict depend on the prior, or on the ROPE?

how = result.sensitivity()
how.priors

# %%
# More documents?
# ---------------
# A verdict that is not settled can be asked how many more documents it takes.

print(result.plan(n_simulations=100, draws=500, seed=1))

# %%
# More than two
# -------------
# With a third classifier it is a contest: who can still be the best?

from stanoff import contest

mails["knn"] = said(0.70)
options = {"pos_label": "spam", "rope": 0.02, "draws": 5000}
everyone = contest(mails, truth="y", **options, seed=1)
print(everyone)
everyone.plot_scores()

# %%
# To show it to others
# --------------------
# ``result.to_html("report.html")`` writes one page on which readers choose their own ROPE,
# ``result.to_latex()`` a table for a paper, ``result.save("result.nc")`` all draws. On the command
# line the same verdict is
#
# .. code-block:: sh
#
#    stanoff compare mails.csv --truth y --a svm --b nb --pos-label spam --rope 0.02
#
# From here: :doc:`the how-to pages </how_to>`, :doc:`all figures </gallery/index>`,
# :doc:`what every step does </steps>`.
