"""Programs to begin with keep the contract."""

import numpy as np
import pytest
from agreement import same_law

from stanoff import InputError, compare_counts, load
from stanoff.models.counts import PAIRED
from stanoff.models.custom import inspect_program
from stanoff.workbench import new_program
from stanoff.workbench.programs import TEMPLATES


@pytest.mark.stan
@pytest.mark.parametrize("base", TEMPLATES)
def test_a_new_program_leaves_nothing_to_be_desired(base, tmp_path):
    text = new_program(tmp_path / "mine.stan", base)
    program = inspect_program(tmp_path / "mine.stan")
    assert (program.problems, program.limits, program.user_data) == ((), (), ())
    assert max(map(len, text.splitlines())) <= 80
    assert (tmp_path / "mine.stan").read_text() == text


@pytest.mark.stan
def test_a_new_program_is_the_model_that_it_begins_as(tmp_path):
    new_program(tmp_path / "mine.stan", "paired")
    counts = [30, 4, 1, 5], [1, 2, 1, 90]
    how = {"seed": 3, "engine": "stan", "draws": 1000}
    mine = compare_counts(*counts, model=tmp_path / "mine.stan", **how)
    exact = compare_counts(*counts, engine="exact", seed=1)
    same_law(mine.scores.delta[..., 0], exact.scores.delta[..., 0], about="delta")
    block = {"c_pos": [counts[0]], "c_neg": [counts[1]]}
    block = {name: np.array(counts) for name, counts in block.items()}
    ours = PAIRED.log_likelihood(mine.fit.draws.posterior, mine.data, block)  # of Stan's parameters
    theirs = mine.tree["log_likelihood"]["log_lik"].to_numpy()
    totals = ours.values * ours.counts
    np.testing.assert_allclose(totals, theirs.reshape(totals.shape), rtol=1e-9)  # all eight occur
    assert "log_lik" not in mine.tree["posterior"]
    for group in ("posterior_predictive", "prior_predictive"):
        new = mine.tree[group]
        documents = new["c_pos"].sum("outcome") + new["c_neg"].sum("outcome")
        assert (documents == 134).all()
    assert mine.check().passed
    again = load(mine.save(tmp_path / "kept.nc")).tree
    assert again["log_likelihood"].equals(mine.tree["log_likelihood"])


def test_what_a_new_program_must_not_be(tmp_path):
    with pytest.raises(InputError, match=r"'base' parameter must be one of paired.*Got 'joint'"):
        new_program(tmp_path / "mine.stan", "joint")
    with pytest.raises(InputError, match=r"a new \.stan file"):
        new_program(tmp_path / "mine.txt")
    (tmp_path / "mine.stan").write_text("dear")
    with pytest.raises(InputError, match="where no file is yet"):
        new_program(tmp_path / "mine.stan")
    assert (tmp_path / "mine.stan").read_text() == "dear"
