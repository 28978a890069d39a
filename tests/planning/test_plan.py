import inspect
import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats

from stanoff import InputError, Scenario, compare, compare_counts, plan, power
from stanoff.cli import main
from stanoff.planning.plan import additional_samples
from stanoff.planning.search import find_crossing
from stanoff.planning.simulate import Study
from stanoff.text.render import FORMATS

QUICK = {"n_simulations": 300, "draws": 1000, "seed": 1}
OPEN = compare_counts([110, 25, 15, 43], [40, 30, 25, 212], engine="exact", seed=1)
SETTLED = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)


@pytest.fixture(scope="module")
def for_a():
    return plan("a", assurance=[0.9, 0.8], **QUICK)


@pytest.fixture(scope="module")
def for_2000():
    return plan("b", 2000, assurance=0.8, **QUICK)


@pytest.fixture(scope="module")
def more():
    return OPEN.plan(n_simulations=300, draws=1000)


def test_a_crossing_is_found_through_the_noise():
    rng = np.random.default_rng(1)
    x = np.geomspace(100, 1600, 9)
    truth = stats.norm.cdf(np.log(x / 400))
    at = 400 * np.exp(stats.norm.ppf(0.8))
    found = [find_crossing(x, rng.binomial(500, truth), [500] * 9, 0.8) for _ in range(100)]
    assert np.median([f.value for f in found]) == pytest.approx(at, rel=0.05)
    covered = np.mean([f.low <= at <= (f.high or np.inf) for f in found])
    assert covered >= 0.88


def test_a_level_that_is_not_reached_is_not_made_up():
    found = find_crossing([10, 100], [10, 300], [1000, 1000], 0.8)
    assert (found.value, found.high) == (None, None)
    first = find_crossing([10, 100], [990, 1000], [1000, 1000], 0.8)
    assert first.value == 10


def test_one_lucky_place_does_not_decide():
    lucky = find_crossing([100, 200, 300, 400, 500], [50, 85, 60, 75, 95], [100] * 5, 0.8)
    assert lucky.value > 400


def test_that_many_documents_have_that_power(for_a):
    n = [answer.value for answer in for_a.answers]
    assert n[0] < n[1]
    checked = power("a", n, model="paired", draws=1000, seed=9)
    np.testing.assert_allclose(checked.power, [0.8, 0.9], atol=0.05)
    for answer in for_a.answers:
        assert answer.low <= answer.value <= answer.high
        assert isinstance(answer.value, int)


def test_a_plan_is_told_in_words(for_a):
    (n, low, high), (more, *ends) = ((a.value, a.low, a.high) for a in for_a.answers)
    assert str(for_a) == (
        f"About {n:,} documents give the paired model an 80 % chance of deciding A ≫ B (between "
        f"{low:,} and {high:,}); about {more:,} documents, a 90 % chance (between {ends[0]:,} and "
        f"{ends[1]:,}), if scenario a is true, with a difference in F1 of +0.1 (ROPE ±0.05, "
        "95% HDI)."
    )
    assert for_a.summary()["assurance"].tolist() == [0.8, 0.9]
    assert " ".join(repr(for_a).split()).startswith(str(for_a))


def test_accuracy_takes_as_many_documents_as_the_normal_approximation_says():
    scenario = Scenario.from_rates(0.4, rho_pos=(0.9, 0.8), rho_neg=(0.1, 0.2), correlation=0.3)
    disagree = scenario.probabilities[[1, 2, 5, 6]].sum()
    d, rope = scenario.delta("accuracy"), 0.05
    z = stats.norm.ppf([0.975, 0.8]).sum()
    n = (z / (d - rope)) ** 2 * (disagree - d**2)
    found = plan(scenario, measure="accuracy", rope=rope, assurance=0.8, **QUICK).answer
    assert found.value == pytest.approx(n, rel=0.12)
    error = plan(scenario, measure="error", rope=rope, assurance=0.8, **QUICK)
    assert error.goal == ">>"
    assert error.answer.value == pytest.approx(n, rel=0.12)


def test_what_is_not_reached_is_more_than_the_most():
    scarce = plan("a", assurance=[0.2, 0.8], max_n=400, **QUICK)
    assert scarce.answers[0].value < 400
    assert scarce.answers[1].value is None
    assert "; 400 documents are too few for a chance of 80 %, if scenario a is true" in str(scarce)
    assert scarce.summary()["value"].isna().tolist() == [False, True]
    assert scarce.curve["n"].max() == 400


def test_the_same_seed_makes_the_same_plan(for_a):
    again = plan("a", assurance=[0.8, 0.9], jobs=1, **QUICK)
    assert again.answers == for_a.answers
    pd.testing.assert_frame_equal(again.curve, for_a.curve)


def test_a_plan_that_is_stopped_tells_what_it_knows(for_a, monkeypatch):
    looks = []

    run = Study.run

    def impatient(*given, **options):
        looks.append(options["n_simulations"])
        if len(looks) > 3:
            raise KeyboardInterrupt
        return run(*given, **options)

    monkeypatch.setattr(Study, "run", impatient)
    stopped = plan("a", assurance=0.8, **QUICK)
    assert len(looks) == 4
    assert stopped.answer.value == pytest.approx(for_a.answer.value, rel=0.5)
    assert stopped.answer.high - stopped.answer.low > for_a.answer.high - for_a.answer.low
    assert str(stopped).endswith("Interrupted: the last and closest look at the answer is missing.")
    with pytest.raises(KeyboardInterrupt):
        plan("a", **QUICK)


def test_that_difference_can_be_settled(for_2000):
    d = for_2000.answer.value
    assert 0.05 < for_2000.answer.low <= d <= for_2000.answer.high < 0.2
    base = Scenario.named("b")
    shifts = np.linspace(0, 2, 2001)
    at = shifts[np.argmin([abs(base.shift_a(s).delta() - d) for s in shifts])]
    checked = power(base.shift_a(at), 2000, goal=">>", model="paired", draws=1000, seed=9)
    assert checked.power[0] == pytest.approx(0.8, abs=0.05)
    assert str(for_2000).startswith(
        f"With 2,000 documents a difference of about {d:+.3f} (between "
    )
    assert "has an 80 % chance of leading the paired model to A ≫ B in F1 (" in str(for_2000)
    assert str(for_2000).endswith("B scores 0.5.")


def test_a_difference_to_the_other_side_mirrors_it(for_2000):
    worse = plan("b", 2000, goal="<<", assurance=0.8, **QUICK)
    assert worse.answer.value < -0.05
    assert worse.curve["difference"].max() < -0.05
    error = plan("b", 2000, measure="error", assurance=0.8, **QUICK)
    assert error.answer.value < -0.05
    accuracy = plan("b", 2000, measure="accuracy", assurance=0.8, **QUICK)
    assert accuracy.answer.value == pytest.approx(-error.answer.value, abs=0.005)


def test_more_documents_settle_an_open_comparison(more):
    assert str(OPEN.decision) == ">"
    answer = more.answer
    assert 3000 < answer.value < 30_000
    assert sum(answer.rates.values()) == pytest.approx(1)
    # Most likely toward equivalence: that is where most of the posterior lies.
    assert max(answer.rates, key=answer.rates.get) == "="
    told = str(more)
    assert told.startswith(
        "A > B in F1 (500 documents) now, but this is not settled. "
        f"About {answer.value:,} more documents give the paired model an 80 % chance of a settled "
        "verdict (between "
    )
    assert "; the verdicts then are ≈ 7" in told


def test_with_very_many_more_documents_verdicts_are_as_probable_as_the_posterior_says():
    far = OPEN.plan(goal=["=", ">>", "<<"], max_n=100_000_000, assurance=0.999, **QUICK)
    last = far.curve.iloc[-1]
    said = OPEN.evidence()
    assert last["more"] == 100_000_000
    assert last["="] == pytest.approx(said.p_rope, abs=0.08)
    assert last[">>"] == pytest.approx(said.p_above, abs=0.08)


def test_what_is_probably_not_true_is_never_reached():
    never = OPEN.plan(goal=">>", assurance=[0.5, 0.9], max_n=10_000, **QUICK)
    assert [answer.value for answer in never.answers] == [None, None]
    assert "No number of documents gives a chance of 50 % or 90 % of A ≫ B" in str(never)
    assert "the chance that the truth is such is 16 %" in str(never)


def test_a_settled_comparison_needs_no_more_documents():
    done = SETTLED.plan()
    assert done.answer.value == 0
    assert str(done) == (
        "A ≈ B in F1 (7,532 documents) is the goal already: no more documents are needed."
    )
    done.plot()
    plt.close("all")
    stricter = SETTLED.judge(rope=0.025).plan(max_n=20_000, **QUICK)
    assert stricter.answer.value != 0
    assert stricter.analysis.question.rope == (-0.025, 0.025)


@pytest.mark.parametrize("paired", [True, False])
def test_more_documents_of_an_unpaired_comparison(paired):
    cells = {"a": [135, 70, 58, 237], "b": [125, 65, 68, 242]}
    pairs = {"c_pos": [110, 25, 15, 43], "c_neg": [40, 30, 25, 212]}
    result = compare_counts(
        **(pairs if paired else cells), model="unpaired", engine="exact", seed=1
    )
    answer = result.plan(assurance=0.5, n_simulations=200, draws=500).answer
    assert 500 < answer.value < 20_000


def test_models_that_cannot_be_planned_say_what_can():
    pos, neg = [[30, 5, 4, 10], [3, 15, 4, 1]], [[3, 5, 4, 100]] * 2
    labels = [0, 1, 2] * 20
    joint = compare(labels, labels, labels[::-1], average="macro", seed=1, draws=100)
    with pytest.raises(InputError, match=r"no plan for the model 'joint'.* model='paired'"):
        joint.plan("1")
    both = compare_counts(pos, neg, engine="exact", seed=1, draws=500)
    with pytest.raises(InputError, match=r"no plan for several categories at once.* one of 0, 1"):
        both.plan()
    for name, value in (("measure", "recall"), ("rope", 0.01), ("hdi_prob", 0.9)):
        with pytest.raises(InputError, match=f"The '{name}' of a plan is that of the comparison"):
            OPEN.plan(**{name: value})


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"goal": "="}, r"\+0\.1 in this scenario, beyond the ROPE, so no .* ask for '>>'"),
        ({"scenario": "b", "goal": ">>"}, "inside the ROPE, so no number of documents"),
        ({"goal": ">"}, "'goal' parameter must be made of '<<', '=' and '>>'"),
        ({"scenario": "b", "rope": 0}, "an edge of the ROPE: no number of documents settles"),
        ({"n": 0}, "'n'"),
        ({"n": 500, "goal": "="}, "'goal' parameter must be '>>' or '<<' where n= is given"),
        ({"n": 500, "rope": 0.6}, r"at most half as wide"),
        ({"assurance": 80}, "'assurance'"),
        ({"assurance": []}, "'assurance'"),
        ({"max_n": 3}, "'max_n'"),
        ({"max_n": 10**12}, "'max_n'"),
        ({"model": ["paired", "unpaired"]}, "'model' parameter must be one model in a plan"),
    ],
)
def test_questions_without_an_answer_are_refused(change, told):
    with pytest.raises(InputError, match=told):
        plan(**{"scenario": "a", **QUICK} | change)


def test_figures_mark_the_answers(for_a, for_2000, more):
    for made, label in (
        (for_a, "documents in the test set"),
        (for_2000, "true difference in F1, A − B"),
        (more, "more documents"),
    ):
        ax = made.plot()
        assert ax.get_xlabel() == label
        value = made.answer.value
        marks = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "D"]
        assert value in marks
        assert ax.get_xlim()[0] < value < ax.get_xlim()[1]
    _, given = plt.subplots()
    assert for_a.plot(ax=given) is given
    plt.close("all")


def test_a_plan_on_the_command_line(for_a, tmp_path):
    figure = tmp_path / "plan.png"
    asked = (
        "plan --scenario a --simulations 300 --draws 1000 --seed 1 --assurance 0.8 --assurance 0.9"
    )
    done = CliRunner().invoke(main, [*asked.split(), "--figure", str(figure)])
    assert done.exit_code == 0, done.output
    assert done.stdout.strip() == repr(for_a)
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_a_plan_for_a_file_of_predictions(tmp_path):
    truth = [1] * 40 + [0] * 60
    a = [1] * 30 + [0] * 10 + [0] * 55 + [1] * 5
    b = [1] * 27 + [0] * 13 + [0] * 53 + [1] * 7
    frame = pd.DataFrame({"y": truth, "svm": a, "nb": b})
    frame.to_csv(tmp_path / "said.csv", index=False)
    asked = f"plan {tmp_path / 'said.csv'} --truth y --a svm --b nb --seed 1 --assurance 0.3"
    asked += " --simulations 100 --draws 300 --format json"
    done = CliRunner().invoke(main, asked.split())
    assert done.exit_code == 0, done.output
    written = json.loads(done.stdout)
    [told], settings = written["results"], written["settings"]
    assert (settings["question"], settings["goal"]) == ("more documents", "settled")
    assert (told["assurance"], written["data"]["systems"]) == (0.3, ["svm", "nb"])
    said = {"truth": "y", "a": "svm", "b": "nb", "engine": "exact", "seed": 1}
    same = compare(tmp_path / "said.csv", **said).plan(assurance=0.3, n_simulations=100, draws=300)
    assert told["value"] == same.answer.value
    for wrong, told in ((" --scenario a", "either FILE or"), (" --n 5", "either FILE or")):
        refused = CliRunner().invoke(main, (asked + wrong).split())
        assert refused.exit_code == 1
        assert told in refused.stderr
    refused = CliRunner().invoke(main, asked.replace("--b nb", "").split())
    assert "is 'b': pass --b. It has y, svm, nb." in refused.stderr


def test_a_difference_on_the_edge_of_the_rope_is_told_whatever_the_rounding():
    alike = {"rho_pos": (0.85, 0.8), "rho_neg": (0.1, 0.1)}  # a recall of .85 - .8 is not .05
    assert Scenario.from_rates(0.3, **alike).delta("recall") != 0.05
    with pytest.raises(InputError, match="an edge of the ROPE"):
        plan(Scenario.from_rates(0.3, **alike), measure="recall", **QUICK)
    with pytest.raises(InputError, match="an edge of the ROPE"):
        plan("a", rope=0.1, **QUICK)


def test_a_few_documents_can_be_enough():
    opposite = Scenario.from_rates(0.5, rho_pos=(0.99, 0.01), rho_neg=(0.01, 0.99))
    assert plan(opposite, assurance=0.8, **QUICK).answer.value < 16


def test_two_test_sets_take_documents_of_each_system():
    named = plan("a", assurance=0.8, same_documents=False, model="unpaired", **QUICK)
    assert f"About {named.answer.value:,} documents of each system give" in str(named)
    implied = plan("a", assurance=0.8, same_documents=False, **QUICK)
    assert implied.analysis.model.name == "unpaired"
    assert implied.answers == named.answers
    asked = "plan --scenario a --two-test-sets --simulations 300 --draws 1000 --seed 1"
    done = CliRunner().invoke(main, asked.split())
    assert done.stdout.strip() == repr(implied)


def test_there_is_one_default_of_assurance():
    for function in (plan, additional_samples):
        assert inspect.signature(function).parameters["assurance"].default == 0.8
    assert [answer.assurance for answer in SETTLED.plan().answers] == [0.8]
    made = plan("a", **QUICK)
    assert [answer.assurance for answer in made.answers] == [0.8]
    asked = "plan --scenario a --simulations 300 --draws 1000 --seed 1"
    assert CliRunner().invoke(main, asked.split()).stdout.strip() == repr(made)
    told = CliRunner().invoke(main, ["plan", "--help"]).stdout
    assert "--assurance FLOAT May be repeated. [default: 0.8]" in " ".join(told.split())


def test_planned_numbers_are_rounded_to_three_digits(for_a, more):
    for made in (for_a, more):
        for answer in made.answers:
            for number in (answer.value, answer.low, answer.high):
                assert isinstance(number, int)
                assert float(f"{number:.3g}") == number


@pytest.mark.parametrize("style", FORMATS)
def test_a_plan_is_written_in_every_format(style, for_a):
    asked = (
        "plan --scenario a --simulations 300 --draws 1000 --seed 1 --assurance 0.8 --assurance 0.9"
    )
    done = CliRunner().invoke(main, [*asked.split(), "--format", style])
    assert done.exit_code == 0, done.output
    n = for_a.answer.value
    assert (f"{n:,}" if style == "table" else str(n)) in done.stdout
    assert f"{n}.0" not in done.stdout  # documents are whole


def test_rates_that_cannot_be_moved_are_named():
    perfect = Scenario.from_rates(0.3, rho_pos=(1, 0.8), rho_neg=(0, 0.02))
    with pytest.raises(InputError, match="rates of 0 and 1 cannot be moved"):
        plan(perfect, n=500, **QUICK)


def test_differences_to_the_left_have_their_ends_in_order():
    answer = plan("a", n=500, goal="<<", assurance=0.8, **QUICK).answer
    assert answer.low < answer.value < answer.high < 0


def test_a_sentence_without_an_answer_can_be_read():
    narrow = Scenario.from_rates(0.3, rho_pos=(0.85, 0.8), rho_neg=(0.1, 0.1))
    told = str(plan(narrow, n=20, rope=0.02, measure="recall", assurance=0.9, **QUICK))
    assert told.startswith("With 20 documents no difference up to +0.")
    assert "has a 90 % chance of leading the paired model to A ≫ B in recall (ROPE ±0.02" in told


def test_names_from_right_to_left_are_isolated():
    result = compare_counts(
        [40, 9, 5, 10], [4, 3, 2, 91], engine="exact", seed=1, names=("svm", "שלום")
    )
    assert "\u2068שלום\u2069" in str(result.plan(max_n=2000, **QUICK))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("plan --scenario a --mu 0.3 --rho-pos 0.8 0.7 --rho-neg 0.1 0.1", "Pass either"),
        ("plan --scenario a --correlation 0.4", "--correlation goes with --mu"),
        ("power 500 --scenario a --correlation 0.4", "--correlation goes with --mu"),
        ("plan x.csv --truth y --a a --b b --two-test-sets", "Pass either FILE or a scenario"),
        ("power 500 --scenario a --figure x.gif", "not 'x.gif'"),
        ("plan --scenario a --pos-label 8", "--pos-label goes with FILE"),
        ("plan --scenario a --positive 8", "--pos-label goes with FILE"),
        ("plan --scenario a --assurance 80", "--assurance must be a number between 0 and 1"),
        ("plan --scenario a --n 500 --goal =", "--goal must be '>>' or '<<' where --n is given"),
    ],
)
def test_options_that_would_be_ignored_are_refused(asked, told):
    refused = CliRunner().invoke(main, asked.split())
    assert refused.exit_code == 1
    assert told in refused.stderr
