"""The weights model: its spread by formula, what few and odd documents do to it."""

import numpy as np
import pytest

from stanoff import Prior, compare, contest
from stanoff.data.scores import build_scores
from stanoff.measures import get
from stanoff.models import bootstrap
from stanoff.models.bootstrap import BOOTSTRAP


def normal(n_pos, n_neg, seed=1, grades=None):
    rng = np.random.default_rng(seed)
    truth = np.repeat([1, 0], [n_pos, n_neg])
    shared = rng.normal(size=n_pos + n_neg)
    scores = [m * truth + 0.7 * shared + 0.7 * rng.normal(size=len(truth)) for m in (1.2, 0.9)]
    if grades:
        scores = [np.digitize(x, np.linspace(-1, 2, grades - 1)) * 1.0 for x in scores]
    return truth, *scores


def drawn(truth, a, b, measure="auc", draws=4000, seed=1, prior=None, cluster=None):
    more = {} if cluster is None else {"cluster": cluster}
    data = build_scores({"y": truth, "a": a, "b": b}, **more)
    block = BOOTSTRAP.stan_data(data, prior or Prior(), get(measure))
    found = BOOTSTRAP.sample_exact(block, draws, np.random.default_rng(seed))
    return found | {"psi": found[get(measure).variable][..., 0]}


def placements(truth, score):
    """How much of the other class each document beats, by comparing all pairs."""
    pos, neg = score[truth == 1], score[truth == 0]
    beats = (pos[:, None] > neg).astype(float) + (pos[:, None] == neg) / 2
    return beats.mean(axis=1), beats.mean(axis=0)


@pytest.mark.parametrize("grades", [None, 5])
@pytest.mark.parametrize(("n_pos", "n_neg"), [(100, 100), (100, 900)])
def test_the_spread_is_that_of_delong(n_pos, n_neg, grades):
    truth, a, b = normal(n_pos, n_neg, grades=grades)
    psi = drawn(truth, a, b, draws=8000)["psi"]
    (pos_a, neg_a), (pos_b, neg_b) = placements(truth, a), placements(truth, b)
    expected = np.sqrt(
        np.var(pos_a - pos_b, ddof=1) / n_pos + np.var(neg_a - neg_b, ddof=1) / n_neg
    )
    delta = psi[:, 0] - psi[:, 1]
    assert delta.std() == pytest.approx(expected, rel=0.03)
    pull = 2 / n_pos + 2 / n_neg  # by the two prior documents, of which half are beaten
    assert delta.mean() == pytest.approx(pos_a.mean() - pos_b.mean(), abs=pull * 0.1 + 0.002)


def test_the_share_of_positives_is_that_of_the_paired_model():
    truth, a, b = normal(30, 10)
    mu = drawn(truth, a, b, prior=Prior(beta=(2, 5)), draws=50_000)["mu"][:, 0]
    total = 32 + 15
    assert mu.mean() == pytest.approx(32 / total, abs=0.001)
    assert mu.var() == pytest.approx(32 * 15 / total**2 / (total + 1), rel=0.03)


def test_losses_are_means_with_the_spread_of_means():
    truth, a, b = normal(40, 60)
    pa, pb = (1 / (1 + np.exp(-x)) for x in (a, b))
    psi = drawn(truth, pa, pb, "brier", draws=20_000)["psi"]
    loss = (pa - truth) ** 2 - (pb - truth) ** 2
    assert (psi[:, 0] - psi[:, 1]).mean() == pytest.approx(loss.mean(), abs=0.002)
    assert (psi[:, 0] - psi[:, 1]).std() == pytest.approx(loss.std(ddof=1) / 10, rel=0.05)


def test_perfect_separation_has_a_width():
    truth = np.repeat([1, 0], [20, 20])
    apart = np.where(truth == 1, 2.0, 0.0) + np.linspace(0, 1, 40)
    psi = drawn(truth, apart, normal(20, 20)[1])["psi"][:, 0]
    # A class has 20 x (1 - 2/20) documents and a prior one, which beats 3/4 of the others: of any
    # two documents, one from each class, it takes the place of one with probability 1/19.
    assert psi.mean() == pytest.approx(1 - 0.5 / 19, abs=4 * psi.std() / 4000**0.5)
    assert psi.std() > 0.02
    assert psi.max() <= 1 + 1e-12
    alone = drawn(truth, apart, apart, prior=Prior(alpha_pos=1e-6, alpha_neg=1e-6))["psi"]
    assert alone.min() > 0.999


def test_constant_scores_know_nothing():
    truth, a, _ = normal(20, 30)
    psi = drawn(truth, np.ones(50), a)["psi"]
    np.testing.assert_allclose(psi[:, 0], 0.5)
    same = compare(truth, np.ones(50), np.ones(50), measure="auc", seed=1, draws=500)
    assert (same.evidence().mean, str(same.decision)) == (0, "=")
    assert "on all of which A and B agree" in str(same)


def test_one_document_of_a_class_is_warned_of():
    truth, a, b = normal(1, 30)
    result = compare(truth, a, b, measure="auc", seed=1, draws=500)
    assert "There is only 1 positive document" in result.warnings[0]
    assert np.isfinite(result.scores.delta).all()


def test_draws_do_not_depend_on_the_number_of_threads(monkeypatch):
    truth, a, b = normal(40, 50)
    alone = drawn(truth, a, b, draws=500)
    monkeypatch.setattr(bootstrap, "NUMBERS_AT_ONCE", 90 * 60)
    monkeypatch.setattr(bootstrap, "NUMBERS_WORTH_THREADS", 0)
    blocks = []
    for threads in (1, 3):
        monkeypatch.setattr(bootstrap, "cores", lambda threads=threads: threads)
        blocks.append(drawn(truth, a, b, draws=500)["psi"])
    np.testing.assert_array_equal(*blocks)
    assert blocks[0].mean() == pytest.approx(alone["psi"].mean(), abs=0.01)


def test_clusters_widen_what_documents_alone_would_say():
    """Ten copies of every document are worth as much as one, if they are told to be copies."""
    truth, a, b = normal(15, 15)
    once = drawn(truth, a, b, draws=20_000)["psi"]
    ten = [np.tile(x, 10) for x in (truth, a, b)]
    copies = drawn(*ten, draws=20_000, cluster=np.tile(np.arange(30), 10))["psi"]
    naive = drawn(*ten, draws=4000)["psi"]
    spread = [(x[:, 0] - x[:, 1]).std() for x in (once, copies, naive)]
    assert spread[1] == pytest.approx(spread[0], rel=0.15)
    assert spread[2] < spread[0] / 2


def test_a_contest_says_of_a_pair_what_a_comparison_says():
    truth, a, b = normal(40, 60)
    third = a + b
    many = contest(truth, {"a": a, "c": third, "b": b}, measure="auc", seed=4, draws=5000)
    for pair in (("a", "b"), ("b", "a")):
        one = compare(
            truth, *({"a": a, "b": b}[x] for x in pair), measure="auc", seed=4, draws=5000
        )
        np.testing.assert_array_equal(many.between(*pair).scores.delta, one.scores.delta)
    other = many.judge(measure="average_precision")
    alone = compare(truth, a, third, measure="average_precision", seed=4, draws=5000)
    np.testing.assert_array_equal(other.between("a", "c").scores.delta, alone.scores.delta)


def test_categories_share_their_documents():
    """The macro-average of two complementary categories is as uncertain as either."""
    truth, a, b = normal(60, 60)
    both = [np.column_stack([x, -x]) for x in (a, b)]
    indicator = np.column_stack([truth, 1 - truth])
    result = compare(indicator, *both, measure="auc", average="macro", seed=1, draws=4000)
    table = result.summary().set_index("category")
    assert table.loc["macro", "std"] == pytest.approx(table.loc["0", "std"], rel=0.06)
    assert table.loc["macro", "mean"] == pytest.approx(table.loc["0", "mean"], abs=0.005)
    np.testing.assert_allclose(table.loc["weighted", "mean"], table.loc["macro", "mean"], atol=0.01)
