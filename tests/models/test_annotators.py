"""Several annotators, none of whom knows the truth."""

import numpy as np
import pandas as pd
import pytest
from agreement import same_law
from scipy import stats
from test_examples import COUNTS, NOISY, agree, weighted

from stanoff import InputError, StanoffError, compare, compare_counts
from stanoff.models import stan_folder
from stanoff.workbench import annotator_counts

PROGRAM = stan_folder() / "examples/annotators.stan"
OUTCOMES = range(1, 5)


def one_annotator(calibration):
    """Let one annotator have given the labels by which documents were counted."""
    rows = [(label, outcome) for label in (1, 0) for outcome in OUTCOMES]
    return {
        "R": 1,
        "M": 8,
        "labels": [[label] for label, _ in rows],
        "outcome": [outcome for _, outcome in rows],
        "n": [*COUNTS[0], *COUNTS[1]],
        "calibration": [calibration],
        "errors": [1, 1],
    }


@pytest.mark.stan
def test_one_annotator_is_a_judge():
    known = [45, 50, 47, 50]
    judge = {"calibration": known, "errors": [1, 1]}
    ours = compare_counts(*COUNTS, model=PROGRAM, data=one_annotator(known), seed=1)
    other = compare_counts(*COUNTS, model=NOISY, data=judge, seed=2)
    for name in ("psi_A", "psi_B", "delta"):
        one, same = (r.row_draws("posterior", name, "1") for r in (ours, other))
        same_law(one, same, about=name)
    one, same = (r.fit.draws.posterior["sensitivity"] for r in (ours, other))
    same_law(one[..., 0], same, about="sensitivity", at=0.9)


@pytest.mark.stan
def test_annotators_who_never_err_know_the_truth():
    ours = compare_counts(*COUNTS, model=PROGRAM, data=one_annotator([10**7] * 4), seed=1)
    exact = compare_counts(*COUNTS, engine="exact", seed=1)
    for name in ("psi_A", "psi_B", "delta"):
        one, other = (r.row_draws("posterior", name, "1") for r in (ours, exact))
        same_law(one, other, about=name)


FRAME = pd.DataFrame(
    [[1, 1, 1, 1, 1]] * 3
    + [[1, 0, 1, 1, 0], [1, 1, None, 1, 1], [0, 1, 0, 0, 1]]
    + [[0, 0, 0, 0, 0]] * 3
    + [[0, None, 1, 0, 0]],
    columns=["x", "y", "z", "a", "b"],
)


@pytest.mark.stan
def test_the_truth_is_summed_out_of_every_document():
    data = annotator_counts(FRAME, annotators=["x", "y", "z"], a="a", b="b", errors=(4, 1))
    rng = np.random.default_rng(4)
    size = 400_000
    mu = rng.random(size)
    theta = rng.dirichlet(np.ones(4), (size, 2))
    # A Beta(4, 1) above 1/2, by its inverse distribution function.
    right = stats.beta(4, 1).ppf(rng.uniform(0.5**4, 1, (size, 3, 2)))
    log_p = np.zeros(size)
    for x, y, z, a, b in FRAME.itertuples(index=False):  # document by document
        outcome = int(3 - 2 * a - b)
        pos, neg = mu * theta[:, 0, outcome], (1 - mu) * theta[:, 1, outcome]
        for r, label in enumerate((x, y, z)):
            if not np.isnan(label):
                pos = pos * (right[:, r, 0] if label else 1 - right[:, r, 0])
                neg = neg * (1 - right[:, r, 1] if label else right[:, r, 1])
        log_p += np.log(pos + neg)
    values = np.concatenate([mu[:, None], theta.reshape(size, 8), right.reshape(size, 6)], axis=1)
    columns = {"truth": "x", "a": "a", "b": "b"}
    result = compare(FRAME, **columns, model=PROGRAM, data=data, seed=1, draws=1500)
    drawn = result.fit.draws.posterior
    parts = [drawn[name] for name in ("mu", "theta_pos", "theta_neg")]
    parts += [np.stack([drawn["sensitivity"], drawn["specificity"]], axis=-1)]
    every = np.concatenate([part.reshape(*part.shape[:2], -1) for part in parts], axis=2)
    agree(every, *weighted(values, log_p))
    new = result.tree["posterior_predictive"]["n"]
    assert (new.sum(new.dims[2:]) <= len(FRAME)).all()  # others than these rows may come
    assert result.tree["observed_data"]["n"].sum() == len(FRAME)


def test_distinct_rows_are_counted():
    known = [[1, 2, 3, 4]] * 3
    data = annotator_counts(FRAME, annotators=["x", "y", "z"], a="a", b="b", calibration=known)
    said = zip(map(tuple, data["labels"]), data["outcome"], strict=True)
    rows = dict(zip(said, data["n"], strict=True))
    assert rows == {
        ((1, 1, 1), 1): 3,
        ((1, 0, 1), 2): 1,
        ((1, 1, -1), 1): 1,
        ((0, 1, 0), 3): 1,
        ((0, 0, 0), 4): 3,
        ((0, -1, 1), 4): 1,
    }
    assert (data["R"], data["M"], data["calibration"][2]) == (3, 6, [1, 2, 3, 4])
    for wrong, words in (
        ({"annotators": "x"}, "'annotators' parameter must be the names"),
        ({"annotators": ["w"]}, "a table with the column 'w'"),
        ({"pos_label": "spam"}, "'pos_label' parameter must be a label that occurs"),
        ({"a": "z"}, "z lacks 1 predictions"),
    ):
        with pytest.raises(InputError, match=words):
            annotator_counts(FRAME, **({"annotators": ["x", "y"], "a": "a", "b": "b"} | wrong))


@pytest.mark.stan
def test_rows_of_other_documents_are_refused():
    data = annotator_counts(FRAME[1:], annotators=["x", "y", "z"], a="a", b="b")
    with pytest.raises(StanoffError, match="n must add up to 10 documents, but adds up to 9"):
        compare(FRAME, truth="x", a="a", b="b", model=PROGRAM, data=data, seed=1)
