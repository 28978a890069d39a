"""The waist: data without labels pass through everything that comes after the scores."""

import itertools
import json
from dataclasses import dataclass, replace
from typing import ClassVar

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from stanoff import Comparison, InputError, StanoffError, load
from stanoff.data.types import Data
from stanoff.engines.draws import Draws
from stanoff.fit import Fit, fit
from stanoff.measures import Measure
from stanoff.models import MODELS, Model
from stanoff.models.priors import Prior
from stanoff.plots import plot_prior, plot_rope
from stanoff.plots.gallery import GALLERY
from stanoff.question import Question, Sampling

SYSTEMS = ("bm25", "dense", "both")
PAIRS = list(itertools.permutations(SYSTEMS, 2))
TOPICS, CHAINS, DRAWS = 40, 2, 500


@dataclass(frozen=True, eq=False)
class Values(Data):
    """One value per system and item, such as nDCG: no labels, no counts."""

    values: NDArray[np.float64]

    def n_documents(self, category=None):
        """Count the items."""
        return (self.values.shape[-1],)


class Means(Model):
    """The mean of every system in every category, or what it lacks to 1."""

    name = "means"
    observed = ("values",)
    dims: ClassVar = {"values": ("system", "category", "item")}
    accepts = Values

    def stan_data(self, data, prior, measure=None):
        """Return the values."""
        return {"values": data.values}

    def prior_density_infinite_at_zero(self, measure, prior, data):
        """Return False: it is uniform."""
        return False

    def sample_exact(self, stan_data, draws, rng):
        """Draw the means: normal around those observed, or uniform."""
        means = stan_data["values"].mean(axis=-1)
        if stan_data["prior_only"]:
            return {"psi": rng.uniform(0, 1, (draws, *means.shape))}
        return {"psi": rng.normal(means, 0.02, (draws, *means.shape))}

    def scores(self, draws, measure, average):
        """Return the means as they were drawn; all kinds of average are the same."""
        psi = draws["psi"] if measure.higher_is_better else 1 - draws["psi"]
        more = [psi.mean(axis=-1, keepdims=True)] * 3 if average else []
        return np.concatenate([psi, *more], axis=-1)


MODEL = Means()
MEAN = Measure("mean", lambda cells: 1 / 0, "the mean of the values")
LOSS = Measure("loss", lambda cells: 1 / 0, "1 - mean", higher_is_better=False)


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(MODELS, "means", MODEL)
    yield
    plt.close("all")


def observed(categories=("web", "news"), systems=SYSTEMS):
    rng = np.random.default_rng(3)
    middle = np.array([0.4, 0.42, 0.6])[: len(systems), None, None]
    values = np.clip(rng.normal(middle, 0.1, (len(systems), len(categories), TOPICS)), 0, 1)
    return Values(categories, values, systems=systems)


def question(**changes):
    return replace(Question(MEAN, None, (-0.05, 0.05), 0.95), **changes)


def fitted(categories=("web", "news"), systems=SYSTEMS):
    rng = np.random.default_rng(1)
    data = observed(categories, systems)
    block = {"values": data.values}
    groups = [
        {
            name: values.reshape(CHAINS, DRAWS, *values.shape[1:])
            for name, values in MODEL.sample_exact(
                block | {"prior_only": only}, CHAINS * DRAWS, rng
            ).items()
        }
        for only in (0, 1)
    ]
    return Fit(data, MODEL, Prior.uniform(), "exact", 1, Draws(*groups, {}))


def told(result):
    """Everything that a result says in words and numbers."""
    return [
        str(result),
        *(result.sentence(category) for category in result.categories),
        result.to_json(),
        result.to_csv(),
        result.to_markdown(),
        result.to_latex(),
        result.table().to_csv(),
        result._repr_html_(),
        *result.warnings,
    ]


@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
@pytest.mark.parametrize("categories", [("web", "news"), ("1",)], ids=["two", "one"])
def test_every_pair_is_told(pair, categories, tmp_path):
    made = fitted(categories)
    result = Comparison.from_fit(made, *pair, question())
    a, b = (SYSTEMS.index(name) for name in pair)
    psi = made.draws.posterior["psi"]
    for row, category in enumerate(categories):
        said = result.evidence(category)
        delta = psi[:, :, a, row] - psi[:, :, b, row]
        assert said.mean == pytest.approx(delta.mean())
        assert said.psi_A == pytest.approx(psi[:, :, a, row].mean())
        assert said.p_greater == np.mean(delta > 0)
        assert 0 < said.bf_sd < np.inf or said.decision in (">>", "<<")
        assert said.bf_sd_defined
        sentence = result.sentence(category)
        where = "mean" if categories == ("1",) else f"mean on category {category}"
        words = said.decision.words
        if not said.decision.conclusive:
            direction = "better" if said.p_greater > said.p_less else "worse"
            how_sure = "probably" if max(said.p_greater, said.p_less) >= 0.9 else "perhaps"
            words = f"{how_sure} {direction} than"
        assert sentence.startswith(f"{pair[0]} is {words} {pair[1]} in {where} (40 ")
        assert "under the means model" in sentence
    table = result.summary()
    assert table["category"].tolist() == list(categories)
    assert np.isnan(table[["sign_test", "t_test"]].to_numpy()).all()
    assert result.table()["sign-test"].tolist() == ["–"] * len(categories)
    script = json.loads(result.to_json())
    assert script["data"]["systems"] == list(pair)
    assert script["data"]["documents"] == dict.fromkeys(pair, TOPICS)
    assert [row["mean"] for row in script["results"]] == table["mean"].tolist()
    numbers = pd.read_csv(result.to_csv(tmp_path / "x.csv") and tmp_path / "x.csv", dtype=str)
    assert numbers["category"].tolist() == list(categories)
    assert f"| {categories[0]} |" in result.to_markdown()
    assert f"{pair[0]} (A) against {pair[1]} (B)" in result.to_latex()
    assert all(part for part in told(result))
    assert result.warnings == ()


@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_a_swapped_pair_is_the_mirror(pair):
    made = fitted()
    one, other = (
        Comparison.from_fit(made, *pair, question()),
        Comparison.from_fit(made, *pair[::-1], question()),
    )
    np.testing.assert_array_equal(one.scores.delta, -other.scores.delta)
    np.testing.assert_array_equal(one.scores.psi, other.scores.psi[:, :, ::-1])
    for category in one.categories:
        assert one.evidence(category).p_above == other.evidence(category).p_below


def test_what_applies_is_drawn():
    result = Comparison.from_fit(fitted(), "both", "bm25", question())
    assert {name for name, plot in GALLERY.items() if plot.applies(result, "web")} == {
        "forest",
        "posterior",
        "factor",
        "joint",
    }
    for plot in GALLERY.values():
        if plot.applies(result, "web"):
            ax = plot.draw(result, "web")
            ax.figure.canvas.draw()
            assert ax.has_data()
    single = Comparison.from_fit(fitted(("1",)), "both", "bm25", question())
    assert not GALLERY["forest"].applies(single, "1")
    for ax in (
        plot_rope(result, "web"),
        plot_prior(result, "web"),
    ):
        ax.figure.canvas.draw()
    with pytest.raises(InputError, match="A mosaic needs outcome pairs"):
        result.plot_mosaic("web")


def test_pages_show_it(tmp_path, open_page):
    result = Comparison.from_fit(fitted(), "dense", "both", question())
    tab = open_page(result.to_html(tmp_path / "page.html").read_text("utf-8"))
    said = result.sentence("web")
    assert said.startswith(tab.inner_text("#verdict"))
    assert tab.locator("figure svg").count() == 4
    tab.fill("#half", "0.5")
    assert said != tab.inner_text("#verdict")
    assert (
        replace(result, question=replace(result.question, rope=0.5))
        .sentence("web")
        .startswith(tab.inner_text("#verdict"))
    )
    shown = result._repr_html_()
    assert "dense is " in shown
    assert shown.count("<tr>") == 3


def same(again, result):
    """Hold a loaded result against the one that was saved."""
    assert told(again) == told(result)
    assert (again.names, again.rope, again.hdi_prob) == (result.names, result.rope, result.hdi_prob)
    assert isinstance(again.data, Values)
    np.testing.assert_array_equal(again.data.values, result.data.values)
    for group in ("posterior", "prior"):
        np.testing.assert_array_equal(
            getattr(again.fit.draws, group)["psi"], getattr(result.fit.draws, group)["psi"]
        )
    for pair in itertools.permutations(result.data.systems, 2):  # all systems are kept
        for asked in (question(), question(average="macro"), question(measure=LOSS)):
            one, other = (Comparison.from_fit(x.fit, *pair, asked) for x in (again, result))
            assert str(one) == str(other)
            pd.testing.assert_frame_equal(one.summary(), other.summary())


@pytest.mark.parametrize("systems", [SYSTEMS, SYSTEMS[:2]], ids=["three", "two"])
@pytest.mark.parametrize("average", [None, "macro"])
def test_what_was_saved_says_the_same(systems, average, tmp_path):
    made = fitted(systems=systems)
    for pair in list(itertools.permutations(systems, 2))[::-3]:  # some turned round
        asked = question(rope=(-0.01, 0.03), hdi_prob=0.9, average=average)
        result = Comparison.from_fit(made, *pair, asked)
        path = result.save(tmp_path / "result.nc")
        again = load(path)
        same(again, result)
        assert again.save(tmp_path / "again.nc").read_bytes() == path.read_bytes()


def test_a_model_may_draw_what_it_likes(tmp_path, monkeypatch):
    class Logits(Means):
        def scores(self, draws, measure, average):
            return super().scores({"psi": 1 / (1 + np.exp(-draws["logit"]))}, measure, average)

    model = Logits()
    monkeypatch.setitem(MODELS, "means", model)
    psi = np.random.default_rng(1).beta(9, 4, (CHAINS, DRAWS, 3, 2))
    draws = Draws({"logit": np.log(psi / (1 - psi))}, {}, {})
    made = Fit(observed(), model, Prior.uniform(), "exact", 1, draws)
    for pair in PAIRS:
        result = Comparison.from_fit(made, *pair, question())
        again = load(result.save(tmp_path / "result.nc"))
        assert (
            again.save(tmp_path / "again.nc").read_bytes() == (tmp_path / "result.nc").read_bytes()
        )
        assert told(again) == told(result)
        assert set(again.fit.draws.posterior) == {"logit"}
        assert np.isnan(again.evidence("web").bf_sd)


def test_averages_and_other_measures_are_asked_of_the_model():
    result = Comparison.from_fit(fitted(), "both", "bm25", question())
    macro = result.judge(average="macro")
    assert macro.categories == ("web", "news", "macro", "micro", "weighted")
    assert macro.evidence().mean == pytest.approx(result.summary()["mean"].mean())
    assert "both is significantly better than bm25 in macro-averaged mean" in str(macro)
    assert macro.warnings == ()  # none of them is about labels
    loss = result.judge(measure=LOSS)
    assert loss.evidence("web").mean == pytest.approx(-result.evidence("web").mean)
    assert loss.evidence("web").decision == result.evidence("web").decision == ">>"
    assert "Lower is better" in loss.sentence("web")


def test_a_kind_of_data_or_a_model_that_is_not_known_is_told(tmp_path, monkeypatch):
    path = Comparison.from_fit(fitted(), "bm25", "both", question()).save(tmp_path / "result.nc")
    with monkeypatch.context() as patch:
        patch.delitem(Data.kinds, "Values")
        with pytest.raises(StanoffError, match="its kind of data 'Values' is not known here"):
            load(path)
    with monkeypatch.context() as patch:
        patch.delitem(MODELS, "means")
        with pytest.raises(StanoffError, match="its model 'means' is not known here"):
            load(path)


def test_it_is_fitted_by_the_engine_and_asked_again():
    sampling = Sampling.read(engine="exact", draws=DRAWS, chains=CHAINS, seed=1)
    made = fit(observed(), question(), sampling)
    result = Comparison.from_fit(made, "both", "dense", question())
    assert result.evidence("web").decision == ">>"
    assert (
        replace(result, question=replace(result.question, rope=0.5)).evidence("web").decision == "="
    )
    found = result.sensitivity("web")
    assert set(found.priors["decision"]) == {">>"}
    with pytest.raises(InputError, match="'a' parameter must be one of bm25, dense, both"):
        Comparison.from_fit(made, "tfidf", "both", question())
    with pytest.raises(InputError, match="A scenario needs labels"):
        result.scenario("web")
    with pytest.raises(InputError, match="There is no plan for the model 'means'"):
        result.plan("web")


def test_what_differs_by_system_is_counted_by_system():
    """Three systems, each on items of its own."""

    @dataclass(frozen=True, eq=False)
    class Apart(Values):
        def n_documents(self, category=None):
            return (10, 20, 1)

    data = observed()
    apart = replace(fitted(), data=Apart(data.categories, data.values, systems=SYSTEMS))
    result = Comparison.from_fit(apart, "both", "dense", question())
    assert "(1 document of both and 20 of dense)" in result.sentence("web")
    assert json.loads(result.to_json())["data"]["documents"] == {"both": 1, "dense": 20}
    assert "Based on 1 document of both and 20 of dense" in result.to_markdown()
