"""DeLong's test against all pairs of documents, and against what it must do."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from stanoff import InputError, count, significance
from stanoff.significance import delong_test


def scores(n_pos=30, n_neg=45, grades=None, seed=1):
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
    shared = rng.normal(truth, 1)
    a, b = shared + 0.5 * rng.normal(size=len(truth)), shared + rng.normal(size=len(truth))
    return (truth, np.round(a * grades), np.round(b * grades)) if grades else (truth, a, b)


def by_all_pairs(truth, a, b):
    """Return the difference and its error from the kernel of every pair, as in the paper."""
    kernels = []
    for score in (a, b):
        x, y = score[truth == 1][:, None], score[truth == 0]
        kernels.append((x > y) + 0.5 * (x == y))
    v10, v01 = (np.array([k.mean(axis=axis) for k in kernels]) for axis in (1, 0))
    s = np.cov(v10) / v10.shape[1] + np.cov(v01) / v01.shape[1]
    return v10[0].mean() - v10[1].mean(), np.sqrt(s[0, 0] + s[1, 1] - 2 * s[0, 1])


@pytest.mark.parametrize("grades", [None, 2])
@pytest.mark.parametrize("sizes", [(30, 45), (2, 60), (200, 3)])
def test_it_is_what_all_pairs_say(sizes, grades):
    truth, a, b = scores(*sizes, grades=grades)
    outcome = delong_test(count(truth, a, b, kind="scores"), level=0.9)
    difference, error = by_all_pairs(truth, a, b)
    assert outcome.auc == pytest.approx((roc_auc_score(truth, a), roc_auc_score(truth, b)))
    assert (outcome.difference, outcome.error) == pytest.approx((difference, error), rel=1e-9)
    assert outcome.statistic == pytest.approx(difference / error, rel=1e-9)
    assert outcome.p_value == pytest.approx(2 * norm.sf(abs(difference / error)), rel=1e-7)
    reach = norm.ppf(0.95) * error
    assert outcome.interval == pytest.approx((difference - reach, difference + reach))


def test_sides_and_direction():
    truth, a, b = scores()
    data = count(truth, a, b, kind="scores")
    two, greater, less = (
        delong_test(data, alternative=x) for x in ("two-sided", "greater", "less")
    )
    assert greater.p_value + less.p_value == pytest.approx(1)
    assert two.p_value == pytest.approx(2 * min(greater.p_value, less.p_value))
    assert two.leans_to == "A"
    assert significance.all_tests(data) == [two]
    turned = delong_test(count(truth, b, a, kind="scores"))
    assert turned.statistic == pytest.approx(-two.statistic)


def test_what_cannot_be_tested_is_said():
    truth, a, b = scores()
    same = delong_test(count(truth, a, a, kind="scores"))
    assert np.isnan(same.p_value)
    assert same.note == "no difference"
    with pytest.raises(InputError, match="two positive and two negative documents"):
        delong_test(count([1, 0, 0], [0.1, 0.2, 0.3], [0.3, 0.2, 0.1], kind="scores"))
    with pytest.raises(InputError, match="compares the scores of two systems"):
        delong_test(count(truth, truth, truth))
    with pytest.raises(InputError, match="'kind' parameter must be one of labels, "):
        count(truth, a, b, kind="score")
    clustered = count(truth, a, b, kind="scores", cluster=np.arange(75) % 5)
    with pytest.raises(InputError, match="takes documents as independent"):
        delong_test(clustered)
    both = np.column_stack([truth, 1 - truth])
    two = count(both, *(np.column_stack([x, -x]) for x in (a, b)), kind="scores", average="macro")
    with pytest.raises(InputError, match="Say which category: one of 0, 1"):
        delong_test(two)
    assert delong_test(two, category="1").p_value == pytest.approx(
        delong_test(two, category="0").p_value
    )


def test_the_command_line_does_it(tmp_path, capsys):
    from stanoff.cli import main

    truth, a, b = scores()
    pd.DataFrame({"y": truth, "a": a, "b": b}).to_csv(tmp_path / "s.csv", index=False)
    words = ["significance", str(tmp_path / "s.csv"), "--truth", "y", "--a", "a", "--b", "b"]
    with pytest.raises(SystemExit) as ended:
        main([*words, "--measure", "auc", "--format", "csv"])
    assert not ended.value.code
    told = capsys.readouterr().out
    p = delong_test(count(truth, a, b, kind="scores")).p_value
    assert told.splitlines()[1].startswith("DeLong,AUC,")
    assert f"{p:.10g}"[:8] in told
