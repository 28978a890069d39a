"""The tables of a study: for a paper, of several data sets."""

import csv
import io
import re
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hostile import HOSTILE
from set_up import need

from stanoff.errors import InputError
from stanoff.study.config import read_study
from stanoff.study.run import build_study

PAPER = r"""\documentclass[COLUMNS]{article}
\usepackage{booktabs}
\usepackage{longtable}
\begin{document}
Table~\ref{tab:f1} tells it.
\input{table}
\IfFileExists{contests.tex}{\input{contests}}{}
\end{document}
"""


def labels(categories, documents=3000, seed=1):
    """Let three classifiers be right in 9, 8 and 7 of 10 cases."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, len(categories), documents)
    said = {"truth": truth}
    for name, right in (("one", 0.9), ("two", 0.8), ("three", 0.7)):
        guess = rng.integers(0, len(categories), documents)
        said[name] = np.where(rng.random(documents) < right, truth, guess)
    return pd.DataFrame(said).map(lambda i: categories[i])


def study_of(folder, data, text):
    for name, frame in data.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    settings = 'engine = "exact"\ndraws = 200\nfigures = []\n'
    (folder / "study.toml").write_text(f"{settings}{text}", "utf-8")
    return read_study(folder / "study.toml")


def built(folder, data, text):
    study = study_of(folder, data, text)
    outcomes = build_study(study, folder, quiet=True)
    assert [outcome.error for outcome in outcomes] == [""] * len(outcomes)
    return outcomes


def compiled(folder, columns="onecolumn"):
    (folder / "paper.tex").write_text(PAPER.replace("COLUMNS", columns), "utf-8")
    command = [need("LaTeX"), "-halt-on-error", "-interaction=nonstopmode", "paper.tex"]
    for _ in range(3):  # until longtable knows its widths
        ran = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=120
        )
        assert ran.returncode == 0, ran.stdout[-1500:]
    assert "Rerun" not in ran.stdout
    return ran.stdout


BOXES = r"Overfull.*|Missing character.*|undefined references|Float too large.*"
ONE = '[data]\nfile = "labels.csv"\ntruth = "truth"\n'
LONG = "a rather_long.name/of-a_classifier " * 4
CASES = {
    "one category": (["0", "1"], 'classifiers = ["one", "two"]\n'),
    "two categories": (["cat", "dog"], 'classifiers = ["one", "two"]\naverage = "macro"\n'),
    "several models": (
        ["0", "1"],
        'classifiers = ["one", "two", "three"]\nmodels = ["paired", "unpaired"]\n'
        'measures = ["f1", "mcc"]\n',
    ),
    "twenty categories": (
        [f"talk.politics.number-{i}" for i in range(20)],
        'classifiers = ["one", "two", "three"]\naverage = "macro"\n',
    ),
    "long names": (
        [*(name for name in HOSTILE if name.isprintable()), "W" * 60, "x" * 90, LONG],
        f'classifiers = ["one", "two"]\naverage = "macro"\ntitle = "{"T" * 99}"\n'
        f'names = {{one = "{"A" * 150}", two = "{LONG.strip()}"}}\n',
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_table_stands_in_a_paper_without_overfull_boxes(tmp_path, case):
    categories, text = CASES[case]
    data = {"labels": labels(categories)}
    outcomes = built(tmp_path, data, f'latex = "longtable"\n{text}{ONE}')
    told = compiled(tmp_path)
    assert re.findall(BOXES, told) == []
    source = (tmp_path / "table.tex").read_text("utf-8")
    assert source.count(r"\begin{longtable}") == len({o.measure for o in outcomes})
    assert source.count("practically equivalent") == source.count(r"\begin{longtable}")
    pages = re.search(r"\((\d+) pages?", told)
    assert int(pages[1]) > 1 or len(categories) < 20

    built(tmp_path, data, text + ONE)
    source = (tmp_path / "table.tex").read_text("utf-8")
    assert r"\begin{table*}" in source
    assert "longtable" not in source
    for columns in ("onecolumn", "twocolumn"):
        told = re.findall(BOXES, compiled(tmp_path, columns))
        assert [line for line in told if "Float" not in line or case != "long names"] == []


def test_very_precise_numbers_leave_names_a_line_of_their_own(tmp_path):
    many = pd.concat([labels([f"category-{i}" for i in range(9)])] * 500)
    built(tmp_path, {"labels": many}, f'classifiers = ["one", "two"]\naverage = "macro"\n{ONE}')
    assert "Overfull" not in compiled(tmp_path)


def test_the_table_has_the_scores_of_both_observed_and_posterior(tmp_path):
    from sklearn.metrics import f1_score

    frame = labels(["0", "1"])
    [outcome] = built(tmp_path, {"labels": frame}, f'classifiers = ["one", "two"]\n{ONE}')
    row = outcome.summary.iloc[0]
    observed = [f1_score(frame["truth"], frame[name], pos_label="1") for name in ("one", "two")]
    source = (tmp_path / "table.tex").read_text("utf-8")
    digits = len(re.search(r"& 0\.(\d+) &", source)[1])
    cells = [f"{value:.{digits}f}" for value in (*observed, row["psi_A"], row["psi_B"])]
    assert f"one, two & {' & '.join(cells)} & " in source


def test_scores_by_system_and_data_set_have_the_best_in_bold_and_ties_marked(tmp_path):
    data = {"news": labels(["ham", "spam"], 4000, 2), "web": labels(["good", "bad"], 60, 3)}
    outcomes = built(tmp_path, data, f"{TWO}")
    source = (tmp_path / "table.tex").read_text("utf-8")
    assert r"system & news \& mail & web \\" in source
    rows = dict(re.findall(r"^(one|two|three) & (.*) \\\\$", source, re.M))
    on_news, on_web = (
        {o.systems: o.summary.iloc[0] for o in outcomes if o.data == name and not o.is_contest}
        for name in ("news & mail", "web")
    )
    one, three = on_news["one", "three"][["psi_A", "psi_B"]]
    assert rows["one"].startswith(r"\textbf{")
    assert float(rows["one"][8:13]) == pytest.approx(one, abs=1e-3)
    assert on_news["one", "three"].decision == ">>"
    on_first, _ = rows["three"].split(" & ")
    assert float(on_first) == pytest.approx(three, abs=1e-3)  # no sign
    assert on_web["one", "two"].decision == ">"
    assert rows["two"].endswith(rf"{on_web['one', 'two'].psi_B:.3f} $\sim$")


def test_rows_may_be_those_of_the_average_alone(tmp_path):
    data = {"labels": labels([f"c{i}" for i in range(9)])}
    text = f'classifiers = ["one", "two", "three"]\naverage = "macro"\nrows = "averages"\n{ONE}'
    built(tmp_path, data, text)
    source = (tmp_path / "table.tex").read_text("utf-8")
    assert source.count(r"\\") == 1 + 3  # systems
    assert "c1" not in (tmp_path / "table.md").read_text("utf-8")
    assert len((tmp_path / "table.csv").read_text("utf-8").splitlines()) == 1 + 3 * 12
    with pytest.raises(InputError, match="key 'rows' must be 'all' or 'averages'"):
        built(tmp_path, data, text.replace('"averages"', '"some"'))


TWO = """
classifiers = ["one", "two", "three"]
[[data]]
name = "news & mail"
file = "news.csv"
truth = "truth"
pos_label = "spam"
[[data]]
name = "web"
file = "web.csv"
truth = "truth"
pos_label = "bad"
"""


def test_two_data_sets_are_studied_together_as_each_alone(tmp_path):
    data = {"news": labels(["ham", "spam"], seed=2), "web": labels(["good", "bad"], seed=3)}
    outcomes = built(tmp_path, data, TWO)
    assert [o.slug for o in outcomes if o.is_contest] == ["news_mail-contest-F1", "web-contest-F1"]
    outcomes = [o for o in outcomes if not o.is_contest]
    assert [o.data for o in outcomes] == ["news & mail"] * 3 + ["web"] * 3
    assert len({o.slug for o in outcomes}) == 6
    assert outcomes[3].slug == "web-one-two-F1"
    assert outcomes[3].title == "one and two in F1 on web (paired)"
    rows = list(csv.DictReader(io.StringIO((tmp_path / "table.csv").read_text("utf-8"))))
    assert [row["data"] for row in rows] == ["news & mail"] * 3 + ["web"] * 3
    index = (tmp_path / "index.html").read_text("utf-8")
    first = index.split("<details")[0]
    for name in ("news &amp; mail", "web"):
        assert f'<th scope="col" class="number">{name}</th>' in first
    for outcome in outcomes:
        assert (tmp_path / f"pages/{outcome.slug}.html").is_file()
        assert f'href="pages/{outcome.slug}.html"' in index
    assert "Overfull" not in compiled(tmp_path)

    alone = tmp_path / "alone"
    alone.mkdir()
    text = 'classifiers = ["one", "two", "three"]\npos_label = "bad"\n'
    only = built(alone, {"labels": data["web"]}, text + ONE)[1:]
    for one, other in zip(only, outcomes[3:], strict=True):
        assert one.summary.equals(other.summary)
    assert "data" not in (alone / "table.csv").read_text("utf-8").split("\n")[0].split(",")


def test_settings_and_symbols_are_explained(tmp_path):
    text = 'classifiers = ["one", "two"]\nnames = {two = "2nd"}\npos_label = "spam"\n'
    built(tmp_path, {"labels": labels(["ham", "spam"])}, text + ONE)
    index = (tmp_path / "index.html").read_text("utf-8")
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", index))
    for told in (
        "labels.csv, of 20",
        "one, 2nd (column two)",
        "positive label spam",
        "prior uniform (every weight 1)",
        "HDI: highest density interval, with 95% of the posterior",
        "ROPE pct: probability of a difference within the ROPE [-0.05, +0.05]",
        "≈: practically equivalent",
    ):
        assert told in words
    assert "≈: practically equivalent" in (tmp_path / "table.md").read_text("utf-8")
    assert str(tmp_path) not in index
    page = next((tmp_path / "pages").iterdir()).read_text("utf-8")
    assert str(tmp_path) not in page


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('name = "web"', 'name = "news & mail"', "different from each other"),
        ('name = "web"\n', "", "key 'data.name' must be a text"),
        ('file = "web.csv"', 'file = "wet.csv"', "no file"),
        ('name = "web"', 'nane = "web"', "Did you mean 'name'"),
        ("classifiers", 'figure_formats = ["jpg"]\nclassifiers', "'figure_formats'"),
    ],
)
def test_what_is_wrong_with_data_sets_is_told(tmp_path, old, new, told):
    data = {"news": labels(["ham", "spam"], 50), "web": labels(["good", "bad"], 50)}
    with pytest.raises(InputError) as raised:
        study_of(tmp_path, data, TWO.replace(old, new, 1))
    assert told in str(raised.value)


def test_a_list_of_one_data_set_needs_no_name(tmp_path):
    text = f'classifiers = ["one", "two"]\n{ONE}'
    data = {"labels": labels(["0", "1"], 50)}
    assert study_of(tmp_path, data, text) == study_of(
        tmp_path, data, text.replace("[data]", "[[data]]")
    )
    assert Path(study_of(tmp_path, data, text).data[0].file).name == "labels.csv"


LAYOUTS = {
    "joined": 'file = ["one.csv", "two.csv", "three.csv"]\nid = "doc"\nprediction = "said"\n',
    "long": 'file = "long.csv"\nitem = "doc"\nsystem = "model"\nprediction = "said"\n',
    "gold": 'file = "said.csv"\ntruth_file = "gold.csv"\nid = "doc"\n',
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_study_takes_labels_in_every_layout(tmp_path, layout):
    wide = labels(["0", "1"], 300)
    (tmp_path / "wide").mkdir()
    text = 'classifiers = ["one", "two", "three"]\n'
    expected = built(tmp_path / "wide", {"labels": wide}, text + ONE)
    wide.insert(0, "doc", range(300))
    data = {
        name: wide[["doc", "truth", name]].rename(columns={name: "said"})
        for name in ("one", "two", "three")
    }
    data["long"] = pd.concat([frame.assign(model=name) for name, frame in data.items()])
    data |= {"gold": wide[["doc", "truth"]], "said": wide.drop(columns="truth")}
    found = built(tmp_path, data, f'{text}[data]\ntruth = "truth"\n{LAYOUTS[layout]}')
    assert [o.slug for o in found] == [o.slug for o in expected]
    for one, other in zip(found, expected, strict=True):
        assert one.summary.equals(other.summary)
    again = build_study(read_study(tmp_path / "study.toml"), tmp_path, quiet=True)
    assert all(o.reused for o in again)
    (tmp_path / "gold.csv").write_text("doc,truth\n" + "".join(f"{i},0\n" for i in range(300)))
    if layout == "gold":
        assert not any(o.reused for o in build_study(read_study(tmp_path / "study.toml"), tmp_path))


@pytest.mark.parametrize(
    ("layout", "old", "new", "told"),
    [
        ("joined", '"one.csv", ', "", "one file, or 3: one per classifier, in their order"),
        ("joined", 'id = "doc"', "", "key 'data.id' must be a text"),
        ("joined", 'prediction = "said"', 'prediction = "sait"', "did you mean 'said'"),
        ("long", 'system = "model"\n', "", "key 'data.system' must be a text"),
        ("long", 'item = "doc"', 'item = "dok"', "no column 'dok' for 'item'"),
        ("gold", '"gold.csv"', '"silver.csv"', "There is no file"),
    ],
)
def test_what_is_wrong_with_a_layout_is_told(tmp_path, layout, old, new, told):
    frame = pd.DataFrame({"doc": [1], "truth": [1], "said": [1], "model": ["one"]})
    frame = frame.assign(one=1, two=1, three=1)
    data = dict.fromkeys(("one", "two", "three", "long", "gold", "said"), frame)
    text = f'classifiers = ["one", "two", "three"]\n[data]\ntruth = "truth"\n{LAYOUTS[layout]}'
    with pytest.raises(InputError) as raised:
        study_of(tmp_path, data, text.replace(old, new))
    assert told in str(raised.value)
