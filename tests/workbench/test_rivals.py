"""Several models of the same data."""

import pytest
from click.testing import CliRunner

from stanoff import InputError, PairedCounts, compare_counts
from stanoff.cli import main
from stanoff.workbench import compare_models

COUNTS = PairedCounts(("x",), [[60, 22, 4, 14]], [[5, 5, 25, 265]], systems=("svm", "nb"))
EXACT = {"engine": "exact", "seed": 1}


def test_rivals_say_what_each_says_alone():
    rivals = compare_models(COUNTS, ["paired", "unpaired"], **EXACT, rope=0.02)
    table = rivals.summary().set_index("model")
    for name in ("paired", "unpaired"):
        alone = compare_counts(COUNTS, model=name, **EXACT, rope=0.02).evidence()
        assert table.loc[name, "mean"] == alone.mean
        assert table.loc[name, "hdi_low"] == alone.hdi[0]
        assert table.loc[name, "decision"] == str(alone.decision)
    assert rivals.agree
    assert rivals.sentence().startswith("All 2 models say svm >> nb.")


def test_verdicts_that_differ_are_told_apart():
    widths = {
        n: compare_counts(COUNTS, model=n, **EXACT).evidence().hdi for n in ("paired", "unpaired")
    }
    between = (widths["paired"][0] + widths["unpaired"][0]) / 2  # a ROPE that only one clears
    assert widths["unpaired"][0] < between < widths["paired"][0]
    rivals = compare_models(COUNTS, ["paired", "unpaired"], **EXACT, rope=between)
    assert not rivals.agree
    assert "The models differ: paired: svm >> nb; unpaired: svm > nb." in repr(rivals).replace(
        "\n", " "
    )


def test_one_model_has_no_rival():
    for models in ("paired", ["paired"]):
        with pytest.raises(InputError, match="'model' parameter must be two models or more"):
            compare_models(COUNTS, models, **EXACT)


@pytest.mark.stan
def test_the_command_line_compares_models(tmp_path):
    file = tmp_path / "p.csv"
    rows = ["1,1,1"] * 40 + ["1,1,0"] * 9 + ["0,0,0"] * 40 + ["0,0,1"] * 9
    file.write_text("y,a,b\n" + "\n".join(rows))
    columns = ["--truth", "y", "--a", "a", "--b", "b", "--seed", "1", "--draws", "500"]
    models = ["--model", "paired", "--model", "unpaired"]
    ran = CliRunner().invoke(main, ["models", "compare", str(file), *columns, *models])
    assert ran.exit_code == 0, ran.output
    assert "All 2 models say a >> b" in ran.stdout
    assert "unpaired" in ran.stdout
