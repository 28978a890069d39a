import csv
import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from markdown_it import MarkdownIt

from stanoff import InputError, compare, compare_counts
from stanoff.inference.bayes_factor import Bound
from stanoff.results.comparison import BOUNDS, COLUMNS
from stanoff.significance import columns
from stanoff.text import numbers, tables
from stanoff.text.export import result_text
from stanoff.text.render import FORMATS, to_markdown

DATA = Path(__file__).parents[2] / "reports/zhang2016/predictions.csv"

# Three rows of Table 6 of Zhang et al. (2016), NB_Mult against SVM_L2: the numbers, not the
# spaces between them.
TABLE_6 = """
0   0.314 0.536 -0.001 0.022 ‡8.542 50.5%<0<49.5% 97.7% [-0.043,+0.042] ≈
1   0.386 0.521 +0.028 0.018 ‡3.128 6.2%<0<93.8%  89.0% [-0.007,+0.063] >
3   1.000 1.000 +0.030 0.018 2.966  5.1%<0<94.9%  86.8% [-0.006,+0.066] >
"""


def shape(cell):
    """Keep where signs stand and how many digits follow the point; forget the rest.

    Which sign it is, noise decides where a mean is about 0.
    """
    cell = re.sub("[+-]", "±", cell.lstrip("‡⋆"))
    return re.sub(r"\d", "0", re.sub(r"\d+\.", "0.", cell))


def small(**options):
    return compare_counts(
        [30, 4, 1, 5], [1, 1, 1, 90], engine="exact", draws=500, seed=1, **options
    )


@pytest.fixture(scope="module")
def many():
    return compare_counts(
        [[310, 25, 20, 43], [30, 4, 1, 5]],
        [[40, 30, 25, 7039], [1, 1, 1, 90]],
        engine="exact",
        draws=2000,
        seed=1,
        average="macro",
        categories=["x", "y"],
        names=("svm", "nb"),
    )


def test_the_table_has_the_form_of_the_paper():
    printed = [line.split() for line in TABLE_6.strip().splitlines()]
    for category, *cells in printed:
        result = compare(
            DATA, truth="truth", a="nb_mult", b="svm_l2", pos_label=int(category), engine="exact",
            seed=1,
        )  # fmt: skip
        table = result.table()
        assert list(table.columns) == [
            "category",
            "sign-test",
            "t-test",
            "mean",
            "std",
            "BF_SD",
            "LG pct",
            "ROPE pct",
            "HDI",
            "decision",
        ]
        ours = [cell.replace(" ", "").rstrip("?") for cell in table.iloc[0]]
        assert ours[0] == category
        assert [shape(cell) for cell in ours[1:]] == [shape(cell) for cell in cells]
        assert ours[9] == cells[8]
        assert float(ours[3]) == pytest.approx(float(cells[2]), abs=0.005)
        assert float(ours[4]) == pytest.approx(float(cells[3]), abs=0.002)


def test_the_marks_of_the_paper(many):
    table = many.table()
    said = many.summary()
    for cell, factor in zip(table["BF_SD"], said["bf_sd"], strict=True):
        assert cell.startswith("‡") == (factor > 3)
        if not np.isnan(factor):
            assert cell.startswith("⋆") == (factor < 1 / 3)
    apart = compare_counts(
        [300, 100, 5, 20], [10, 5, 5, 900], engine="exact", draws=500, seed=1
    ).table()
    assert apart["sign-test"][0] == "⋆ <0.001"
    near = compare_counts([300, 30, 12, 20], [10, 5, 5, 900], engine="exact", draws=500, seed=1)
    assert re.fullmatch(r"⋆ 0\.0[0-4]\d", near.table()["sign-test"][0])
    assert re.match(r"⋆ (< )?0\.[01]", apart["BF_SD"][0])
    assert apart["LG pct"][0] == "0.0% < 0 < 100.0%"


def test_a_column_is_as_wide_everywhere():
    result = compare_counts(
        [[3_100_000, 25, 20, 43], [30, 4, 1, 5]],
        [[40, 30, 25, 70390], [1, 1, 1, 90]],
        engine="exact",
        draws=500,
        seed=1,
    )
    for name in ("mean", "std", "HDI"):
        assert len({len(cell) for cell in result.table()[name]}) == 1
    assert float(result.table()["std"][0]) == pytest.approx(result.summary()["std"][0], rel=0.1)


def test_columns_may_be_chosen(many):
    table = many.table(["category", "psi_A", "psi_B", "decision"])
    assert list(table.columns) == ["category", "svm", "nb", "decision"]
    assert table["svm"][0] == f"{many.summary()['psi_A'][0]:.3f}"
    assert "nb" in many.to_markdown(columns=["category", "psi_B"])
    assert many.table(None).equals(many.table())
    for wrong in ("category", [], ["means"], [1]):
        with pytest.raises(InputError, match="'columns' parameter must be"):
            many.table(wrong)
    assert set(tables.PAPER) <= set(tables.COLUMNS)


def test_the_summary_has_the_tests_after_the_scores(many):
    summary = many.summary()
    assert list(summary.columns) == COLUMNS
    assert COLUMNS[1:7] == ["psi_A", "psi_B", "observed_A", "observed_B", "sign_test", "t_test"]
    expected = columns(many.data)
    for name, values in expected.items():
        assert summary[name].tolist()[:2] == values
        assert summary[name][2:].isna().all()


def test_unpaired_results_have_no_sign_test():
    result = compare_counts(a=[30, 4, 1, 50], b=[30, 1, 4, 50], engine="exact", draws=500, seed=1)
    assert result.table()["sign-test"].tolist() == ["–"]
    assert float(result.table()["t-test"][0]) == pytest.approx(
        result.summary()["t_test"][0], abs=1e-3
    )
    assert json.loads(result.to_json())["results"][0]["sign_test"] is None


def test_every_text_is_written_as_it_is_returned(many, tmp_path):
    for ending, write in (
        ("md", many.to_markdown),
        ("tex", many.to_latex),
        ("csv", many.to_csv),
        ("json", many.to_json),
    ):
        path = tmp_path / "new" / f"table.{ending}"
        text = write(path)
        assert path.read_bytes() == text.encode("utf-8")
        assert text == write()
        assert text.endswith("\n")
        assert not text.endswith("\n\n")


def test_csv_has_every_digit(many):
    rows = list(csv.DictReader(io.StringIO(many.to_csv())))
    for row, (_, summary) in zip(rows, many.summary().iterrows(), strict=True):
        assert float(row["mean"]) == summary["mean"]
        assert row["decision"] == summary["decision"]


def test_json_has_no_numbers_that_json_lacks():
    result = compare_counts([0] * 4, [0, 0, 0, 9], engine="exact", draws=50, seed=1, rope=0)
    text = result.to_json()
    assert "NaN" not in text
    assert "Infinity" not in text
    assert json.loads(text) == result.to_dict()
    assert result.to_dict()["results"][0]["bf_rope"] is None
    certain = compare_counts(
        [90, 0, 0, 9], [1, 0, 0, 900], engine="exact", draws=500, seed=1, rope=0.25
    )
    [row] = json.loads(certain.to_json())["results"]
    assert row["bf_rope"] is None
    assert row["bf_rope_bound"]["side"] == ">"
    assert row["bf_rope_bound"]["value"] > 0


def test_json_has_the_numbers_of_the_summary(many):
    for row, (_, summary) in zip(
        json.loads(many.to_json())["results"], many.summary().iterrows(), strict=True
    ):
        for name in set(COLUMNS) - set(BOUNDS):
            number = np.nan if row[name] is None else row[name]
            assert str(number) == str(summary[name]), name
        assert f"{row['sentence']} {row['what_would_change']}" == many.sentence(row["category"])


def test_numbers_may_be_numpy():
    result = compare_counts(
        np.array([30, 4, 1, 5]),
        np.array([1, 1, 1, 90]),
        engine="exact",
        draws=np.int64(500),
        seed=np.int64(1),
        rope=np.float64(0.05),
        hdi_prob=np.float32(0.9),
    )
    assert json.loads(result.to_json())["settings"]["seed"] == 1


def test_the_table_has_the_numbers_of_the_summary(stored):
    row = tables.comparison_table(stored).iloc[0]
    summary = stored.summary().iloc[0]
    assert row["mean"] == f"{summary['mean']:+.3f}"
    assert row["HDI"] == f"[{summary['hdi_low']:+.3f}, {summary['hdi_high']:+.3f}]"
    assert row["decision"] == "≈"
    assert row["BF_SD"].endswith("?")  # not well-defined here


def test_bayes_factors_carry_the_marks_of_the_paper():
    factors = (12.206, 2.999, 0.3299, 0.0004, 123456.0, np.nan)
    assert [numbers.bayes_factor(f) for f in factors] == [
        "‡ 12.206",
        "2.999",
        "⋆ 0.330",
        "⋆ < 0.001",
        "‡ 123,456",
        "undefined",
    ]
    bounds = Bound(">", 1327.3), Bound("<", 0.0123), Bound("<", 5.0), Bound(">", 2.0)
    assert [numbers.bayes_factor(np.nan, bound) for bound in bounds] == [
        "‡ > 1,300",
        "⋆ < 0.013",
        "< 5",
        "> 2",
    ]


@pytest.mark.parametrize("columns", [80, 120, 60, 300])
def test_the_table_fits_the_terminal(many, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    text = result_text(many, "table")
    assert max(map(len, text.splitlines())) <= columns
    for name in tables.TERMINAL:
        assert tables.headings_of(many).get(name, tables.COLUMNS[name].heading) in text
    # The sentence comes first, one table fits 100 columns, and every table names its rows.
    assert text.startswith("svm and nb") or text.startswith("svm is")
    tables_shown = [block for block in text.split("\n\n") if block.startswith(" category")]
    assert len(tables_shown) == (1 if columns >= 100 else 2)


@pytest.mark.parametrize("style", ["table", "markdown", "latex"])
def test_symbols_and_columns_are_explained(many, style):
    text = " ".join(result_text(many, style).split())
    for words in ("significantly better, worse", "practically equivalent", "not settled"):
        assert words in text
    if style == "markdown":
        assert "LG pct: how much of the posterior lies below (less) and above (greater) 0" in text
        assert "Bayes factor" in text
    heading = {"latex": r"$\psi_A$, $\psi_B$", "table": "svm, nb"}.get(style, "mean")
    assert f"{heading}: posterior mean of the" in text


def test_only_what_is_shown_is_explained(many):
    text = many.to_markdown(columns=["category", "mean"])
    assert "Bayes factor" not in text
    assert "≫" not in text.split("\n\n")[1]


def test_a_table_whose_names_are_headings():
    assert "…" not in result_text(small(names=("mean", "HDI")), "table")


def test_a_markdown_table_keeps_its_shape():
    frame = pd.DataFrame({"a|b": ["x|y", "<b>", "1. z"], "n": ["`c`", "*", "\\"]})
    html = MarkdownIt("commonmark").enable("table").render(to_markdown(frame))
    rows = [[cell.text for cell in row] for row in ElementTree.fromstring(html).iter("tr")]
    assert rows == [list(frame.columns), *frame.to_numpy().tolist()]


def test_every_format_of_the_command_line_writes_something(many):
    written = {style: result_text(many, style) for style in FORMATS}
    assert len(set(written.values())) == len(FORMATS)
    only = {style: result_text(many, style, category="y") for style in FORMATS}
    assert all(len(only[style]) < len(written[style]) for style in FORMATS)


def test_a_dagger_marks_what_the_sentence_says_cannot_be_told_apart():
    pos, neg = [[310, 25, 24, 43], [310, 39, 20, 43]], [[40, 30, 31, 7039]] * 2
    result = compare_counts(pos, neg, engine="exact", draws=4000, seed=1, rope=0.005)
    [apart, leaning] = result.table()["decision"]
    assert (apart, leaning) == ("> †", ">")
    assert "cannot be told apart yet" in result.sentence("0")
    assert "A is probably better than B" in result.sentence("1")
    legend = tables.legend_of(result, ["decision"])
    assert legend["†"] == "cannot be told apart yet"
