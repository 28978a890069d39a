"""Studies of values per item: means, runs, clusters and populations."""

import numpy as np
import pandas as pd
import pytest

from stanoff import InputError, compare
from stanoff.study.config import read_study
from stanoff.study.run import build_study

SYSTEMS = ("small", "large", "huge")


@pytest.fixture(scope="module")
def answers():
    """Three runs of three models on 40 questions of 10 texts, in long format."""
    rng = np.random.default_rng(4)
    items = np.arange(40)
    easy = rng.normal(0, 1, 40)
    rows = [
        {"question": f"q{i:02}", "text": f"t{i % 10}", "model": name, "right": float(right)}
        for k, name in enumerate(SYSTEMS)
        for i in items
        for right in rng.random(3) < 1 / (1 + np.exp(-easy[i] - 0.4 * k))
    ]
    return pd.DataFrame(rows)


def built(folder, text, data, frame):
    frame.to_csv(folder / "answers.csv", index=False)
    study = f'measure = "mean"\nseed = 3\nfigures = ["posterior"]\n{text}\n[data]\n{data}'
    (folder / "study.toml").write_text(f'{study}\nfile = "answers.csv"\n', "utf-8")
    return build_study(read_study(folder / "study.toml"), folder / "out", quiet=True)


LONG = 'item = "question"\nsystem = "model"\nvalue = "right"'
ASKED = {"item": "question", "system": "model", "value": "right", "measure": "mean", "seed": 3}


@pytest.mark.parametrize("population", ["items", "runs"])
def test_a_study_of_runs_says_what_compare_says(population, answers, tmp_path):
    text = f'rope = "5%"\npopulation = "{population}"\nclassifiers = ["small", "large"]'
    [outcome] = built(tmp_path, text, LONG, answers)
    assert outcome.error == ""
    asked = {**ASKED, "a": "small", "b": "large", "rope": "5%", "population": population}
    same = compare(answers, **asked)
    [row] = pd.read_csv(tmp_path / "out" / "table.csv").to_dict("records")
    said = same.evidence()
    assert row["decision"] == str(said.decision)
    assert row["mean"] == pytest.approx(said.mean, abs=1e-12)
    assert (row["hdi_low"], row["hdi_high"]) == pytest.approx(said.hdi, abs=1e-12)
    assert outcome.sentence == str(same)
    assert "The ROPE is 5% of the observed mean." in outcome.sentence


def test_a_study_of_three_systems_in_clusters(answers, tmp_path):
    text = 'rope = 0.02\nclassifiers = ["small", "large", "huge"]'
    contest, *pairs = built(tmp_path, text, f'{LONG}\ncluster = "text"', answers)
    assert len(pairs) == 3
    assert not any(one.error for one in (contest, *pairs))
    assert "new clusters of items (40 items in 10 clusters)" in contest.sentence


def test_a_wide_table_of_values(answers, tmp_path):
    wide = answers.groupby(["question", "model"])["right"].mean().unstack().reset_index()
    text = 'higher_is_better = false\nclassifiers = ["small", "large"]'
    [outcome] = built(tmp_path, text, 'item = "question"', wide)
    assert "Lower is better for this measure." in outcome.sentence


@pytest.mark.parametrize(
    ("text", "data", "words"),
    [
        ("", f'{LONG}\ntruth = "y"', "key 'data.truth' must be left out: values need no"),
        ("", f'{LONG}\ncluster = "chapter"', "chapter"),
        ("", 'system = "model"\nvalue = "right"', "data.item"),
        ('population = "documents"', LONG, "key 'population' must be one of"),
    ],
)
def test_what_does_not_fit_is_told_before_anything_is_fitted(text, data, words, answers, tmp_path):
    with pytest.raises(InputError, match=words):
        built(tmp_path, f'{text}\nclassifiers = ["small", "large"]', data, answers)


def test_a_population_is_for_values(tmp_path):
    (tmp_path / "study.toml").write_text(
        'classifiers = ["a", "b"]\npopulation = "runs"\n[data]\nfile = "x.csv"\ntruth = "y"\n'
    )
    with pytest.raises(InputError, match="only values per item have one"):
        read_study(tmp_path / "study.toml")
