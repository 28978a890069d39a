"""ArviZ plots a tree as it is, and scales its prior and likelihood."""

import arviz_plots as az
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from arviz_stats import psense_summary

from stanoff import Prior, compare_counts

POS, NEG = [[30, 4, 1, 5], [9, 3, 0, 2]], [[1, 2, 1, 90], [0, 1, 3, 60]]
OPTIONS = {"backend": "matplotlib"}


@pytest.fixture(scope="module")
def tree():
    result = compare_counts(
        *(POS, NEG),
        categories=["grain", "trade"],
        prior=Prior(beta=2, alpha_pos=2),
        average="macro",
        engine="exact",
        seed=1,
        draws=2000,
    )
    return result.tree


@pytest.fixture(autouse=True)
def without_windows():
    mpl.use("Agg")
    yield
    plt.close("all")


def test_draws_are_plotted(tree):
    drawn = az.plot_dist(tree, var_names=["delta"], **OPTIONS)
    titles = [axes.get_title() for axes in drawn.viz["figure"].item().axes]
    assert all(any(name in title for title in titles) for name in ("grain", "trade"))


def test_categories_are_named_in_a_forest(tree):
    drawn = az.plot_forest(tree, var_names=["delta"], **OPTIONS)
    texts = [text.get_text() for axes in drawn.viz["figure"].item().axes for text in axes.texts]
    assert {"grain", "trade"} <= set(texts)


@pytest.mark.parametrize(
    ("plot", "options"), [(az.plot_ppc_dist, {"kind": "ecdf"}), (az.plot_ppc_tstat, {})]
)
def test_new_documents_are_plotted(tree, plot, options):
    drawn = plot(tree, var_names=["c_pos"], **options, **OPTIONS)
    assert any(axes.lines for axes in drawn.viz["figure"].item().axes)


def test_prior_and_likelihood_are_scaled(tree):
    table = psense_summary(tree, var_names=["delta"])
    rows = ["grain", "trade", "macro", "micro", "weighted"]
    assert list(table.index) == [f"delta[{row}]" for row in rows]
    sensitivity = table[["prior", "likelihood"]].astype(float)
    assert (sensitivity > 0).all(axis=None)
    # The fewer documents, the more the prior matters: trade has 14 positive documents of 79.
    assert np.diff(sensitivity["prior"])[0] > 0
