from dataclasses import replace
from itertools import pairwise

import pytest

from stanoff import InputError, Prior, compare_counts
from stanoff.inference.decision import Decision

POS, NEG = [30, 9, 3, 8], [4, 3, 2, 141]


@pytest.fixture(scope="module")
def result():
    return compare_counts(POS, NEG, engine="exact", seed=1, draws=20_000)


def judged(result, half_width):
    """Judge by a ROPE of any width; the option refuses very wide ones."""
    return replace(result, question=replace(result.question, rope=(-half_width, half_width)))


def test_other_priors(result):
    table = result.sensitivity().priors.set_index("prior")
    assert list(table.index) == ["uniform", "jeffreys", "perks"]
    assert table.loc["uniform", "mean"] == pytest.approx(result.evidence().mean, abs=1e-12)
    for name, prior in (("jeffreys", Prior.jeffreys()), ("perks", Prior.perks())):
        e = compare_counts(POS, NEG, engine="exact", seed=1, draws=20_000, prior=prior).evidence()
        assert table.loc[name, "hdi_low"] == e.hdi[0]
        assert table.loc[name, "decision"] == e.decision
    own = result.sensitivity(priors={"heavy": Prior(9, 9, 9)}).priors
    assert own["mean"][0] < table.loc["uniform", "mean"]


def test_other_ropes(result):
    table = result.sensitivity(ropes=[0.0, 0.01, 0.1, 0.5]).ropes
    for row in table.itertuples():
        e = judged(result, row.half_width).evidence()
        assert (row.p_below, row.p_rope) == (e.p_below, e.p_rope)
        assert row.p_above == pytest.approx(e.p_above)
        assert row.decision == e.decision
    assert table["decision"].tolist()[-1] == "="


@pytest.mark.parametrize("pos", [[30, 9, 3, 8], [30, 40, 0, 8], [30, 0, 40, 8], [300, 1, 1, 80]])
@pytest.mark.parametrize("measure", ["f1", "error"])
def test_the_decision_flips_where_it_is_said_to(pos, measure):
    result = compare_counts(pos, NEG, engine="exact", seed=1, draws=4000, measure=measure)
    flips = result.sensitivity().flips
    assert 1 <= len(flips) <= 2
    for width, before, after in flips:
        assert judged(result, width * 0.999).evidence().decision == before
        assert judged(result, width * 1.001).evidence().decision == after
    assert flips[-1][2] is Decision.EQUIVALENT
    widths = [0.0, *(width for width, *_ in flips), 2.0]
    for low, high in pairwise(widths):  # nothing flips in between
        inside = {judged(result, low + (high - low) * x).decision for x in (0.01, 0.5, 0.99)}
        assert len(inside) == 1


def test_it_can_be_read(result):
    said = str(result.sensitivity())
    assert "jeffreys" in said
    assert "The decision turns from" in said


def test_averages_have_a_sensitivity_too():
    result = compare_counts(
        [POS, POS], [NEG, NEG], engine="exact", seed=1, draws=1000, average="macro"
    )
    assert result.sensitivity().category == "macro"
    assert result.sensitivity("1").category == "1"


def test_a_score_under_another_name_is_found_again(result):
    measure = replace(result.measure, name="the score of mine")
    named = replace(result, question=replace(result.question, measure=measure))
    assert named.sensitivity().priors.equals(result.sensitivity().priors)


def test_bad_priors(result):
    with pytest.raises(InputError, match=r"'prior' parameter must be a stanoff\.Prior"):
        result.sensitivity(priors={"x": 1})
    with pytest.raises(InputError, match="'priors' parameter must be a mapping of names"):
        result.sensitivity(priors=[Prior()])
    for bad in (5, [(-0.1, 0.3)], [-1]):
        with pytest.raises(InputError, match=r"'ropes?' parameter must be a"):
            result.sensitivity(ropes=bad)
