"""The options of the command line do what the arguments of the same name do in Python."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from stanoff import Prior, compare, load
from stanoff.cli import main

PREDICTIONS = Path(__file__).parents[2] / "reports/zhang2016/predictions.csv"
COLUMNS = {"truth": "truth", "a": "nb_mult", "b": "svm_l2"}
QUICK = {"engine": "exact", "seed": 1, "draws": 400}


def typed(options):
    """Write options as they are typed, one list of words each."""
    return [word for name, value in options.items() for word in (f"--{name}", str(value))]


def told(*options, file=PREDICTIONS, columns=COLUMNS):
    asked = ["compare", str(file), *typed(columns), *typed(QUICK), *options, "--format", "json"]
    ran = CliRunner().invoke(main, asked, catch_exceptions=False)
    assert ran.exit_code == 0, ran.output
    return json.loads(ran.stdout)


def same(said, **options):
    """Assert that Python says the same of the same options."""
    result = compare(PREDICTIONS, **COLUMNS, **QUICK, **options)
    assert said == json.loads(result.to_json())
    return result


@pytest.mark.parametrize("option", ["--pos-label", "--positive"])
def test_the_positive_label_has_two_names(option):
    said = told(option, "8")
    assert [row["category"] for row in said["results"]] == ["8"]
    same(said, pos_label=8)


def test_labels_are_what_is_averaged_over():
    said = told("--average", "macro", "--labels", "8", "--labels", "3")
    assert [row["category"] for row in said["results"][:2]] == ["8", "3"]
    same(said, average="macro", labels=[8, 3])
    every = told("--average", "macro")
    assert len(every["results"]) == 20 + 3
    assert said["settings"]["model"] == every["settings"]["model"] == "joint"


def test_labels_may_be_text(tmp_path):
    file = tmp_path / "said.csv"
    rows = ["y,p,q", *["cat,cat,dog", "dog,dog,dog", "cow,cat,cow", "cat,cat,cat"] * 5]
    file.write_text("\n".join(rows) + "\n")
    columns = {"truth": "y", "a": "p", "b": "q"}
    asked = ("--average", "micro", "--labels", "cat", "--labels", "dog")
    said = told(*asked, file=file, columns=columns)
    assert [row["category"] for row in said["results"][:2]] == ["cat", "dog"]


@pytest.mark.parametrize(("word", "value"), [("0", 0.0), ("1", 1.0)])
def test_zero_division_is_what_0_by_0_is(word, value, tmp_path):
    # A never says yes, and hardly any weight of the prior says that it might.
    file = tmp_path / "said.csv"
    file.write_text("y,p,q\n" + "1,0,1\n0,0,1\n" * 30)
    columns = {"truth": "y", "a": "p", "b": "q"}
    asked = ["--measure", "precision", "--prior", "mass=0.0001", "--zero-division", word]
    said = told(*asked, file=file, columns=columns)
    options = {"measure": "precision", "prior": Prior(mass=0.0001), "zero_division": value}
    result = compare(file, **columns, **QUICK, **options)
    assert said == json.loads(result.to_json())
    assert result.measure.zero_division == value
    assert said["results"][0]["psi_A"] == pytest.approx(value, abs=0.1)


@pytest.mark.parametrize(
    ("words", "prior"),
    [
        (["jeffreys"], Prior.jeffreys()),
        (["perks"], Prior.perks()),
        (["uniform"], Prior.uniform()),
        (["beta=2,alpha_pos=0.5"], Prior(beta=2, alpha_pos=0.5)),
        (["beta=2:5, alpha_neg=1:2:3:4"], Prior(beta=(2, 5), alpha_neg=(1, 2, 3, 4))),
        (["mass=2"], Prior(mass=2)),
        (["kappa=2:1"], Prior(kappa=(2, 1))),
        (["kappa=2:1,kappa_neg=4:1"], Prior(kappa=(2, 1), kappa_neg=(4, 1))),
    ],
)
def test_a_prior_is_a_name_or_weights(words, prior):
    said = told("--pos-label", "8", *[part for word in words for part in ("--prior", word)])
    assert same(said, pos_label=8, prior=prior).prior == prior


def test_an_unpaired_model_takes_a_prior_of_a_and_one_of_b():
    priors = (Prior.jeffreys(), Prior(beta=2, alpha_pos=(5, 1)))
    asked = ["--pos-label", "8", "--model", "unpaired", "--prior", "jeffreys"]
    said = told(*asked, "--prior", "beta=2,alpha_pos=5:1")
    assert same(said, pos_label=8, model="unpaired", prior=priors).prior == priors
    turned = told(*asked[:4], "--prior", "beta=2,alpha_pos=5:1", "--prior", "jeffreys")
    assert turned["results"] != said["results"]


def test_systems_have_the_names_of_their_columns_or_others():
    assert told("--pos-label", "8")["data"]["systems"] == ["nb_mult", "svm_l2"]
    said = told("--pos-label", "8", "--names", "naive Bayes", "SVM")
    assert said["data"]["systems"] == ["naive Bayes", "SVM"]
    assert said["results"][0]["sentence"].startswith("naive Bayes is ")
    same(said, pos_label=8, names=("naive Bayes", "SVM"))


@pytest.mark.parametrize(
    ("words", "rope"),
    [
        (["--rope", "0.02"], 0.02),
        (["--rope", "-0.01,0.03"], (-0.01, 0.03)),
        (["--rope=-0.03,-0.01"], (-0.03, -0.01)),
        (["--rope", "0"], 0),
    ],
)
def test_a_rope_is_a_half_width_or_two_ends(words, rope):
    same(told("--pos-label", "8", *words), pos_label=8, rope=rope)


def test_what_is_not_given_is_left_to_the_api():
    said = told("--pos-label", "8")
    settings = said["settings"]
    expected = ("F1", [-0.05, 0.05], 0.95)
    assert (settings["measure"], settings["rope"], settings["hdi_prob"]) == expected
    assert (settings["model"], settings["average"]) == ("paired", None)
    same(said, pos_label=8)


def test_a_saved_result_is_asked_another_question(tmp_path):
    file = str(tmp_path / "result.nc")
    told("--average", "macro", "--save", file)
    asked = ["show", file, "--measure", "precision", "--zero-division", "1", "--average", "micro"]
    ran = CliRunner().invoke(main, [*asked, "--rope", "-0.01,0.03", "--hdi-prob", "0.9"])
    assert ran.exit_code == 0, ran.output
    said = json.loads(
        CliRunner()
        .invoke(main, [*asked, "--rope", "-0.01,0.03", "--hdi-prob", "0.9", "--format", "json"])
        .stdout
    )
    other = {"measure": "precision", "zero_division": 1, "average": "micro"}
    judged = load(file).judge(**other, rope=(-0.01, 0.03), hdi_prob=0.9)
    assert said == json.loads(judged.to_json())
    settings = said["settings"]
    assert (settings["average"], settings["rope"], settings["hdi_prob"]) == (
        "micro",
        [-0.01, 0.03],
        0.9,
    )
