"""Tables in LaTeX: they compile, fit a column or the page, and mean what they say."""

import re
import subprocess
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hostile import HOSTILE
from set_up import need

from stanoff import InputError, compare, compare_counts, contest
from stanoff.cli import main
from stanoff.text.latex import to_latex
from stanoff.text.tables import PAPER

PREAMBLE = r"\documentclass{article}\usepackage{booktabs}"
CLASSES = {
    "one column": r"\documentclass{article}",
    "two columns": r"\documentclass[twocolumn]{article}",
    "two columns on A4": r"\documentclass[twocolumn,a4paper,11pt]{article}",
    "acmart": r"\documentclass[sigconf]{acmart}",
}


def compiled(body, folder, preamble=PREAMBLE):
    """Compile a document that stops at the first error; return what it says."""
    source = f"{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    (folder / "x.tex").write_text(source, "utf8")
    ran = subprocess.run(
        [need("LaTeX"), "-halt-on-error", "-interaction=nonstopmode", "x.tex"],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
    )
    assert ran.returncode == 0, ran.stdout[-1500:]
    return ran.stdout


def is_there(document_class):
    name = re.search(r"\{(\w+)\}", document_class)[1]
    found = subprocess.run(["kpsewhich", f"{name}.cls"], capture_output=True, check=False)
    return bool(found.stdout)


def result(names=("svm", "nb"), categories=("x", "y"), average="macro"):
    return compare_counts(
        [[310, 25, 20, 43], [30, 4, 1, 5]] * (len(categories) // 2),
        [[40, 30, 25, 7039], [1, 1, 1, 90]] * (len(categories) // 2),
        engine="exact",
        draws=200,
        seed=1,
        average=average,
        names=names,
        categories=categories,
    )


def single(**options):
    counts = [310, 25, 20, 43], [40, 30, 25, 7039]
    return compare_counts(*counts, engine="exact", draws=200, seed=1, **options)


def of_systems(n, name="system {}"):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 500)
    systems = {
        name.format(i): np.where(rng.random(500) < 0.7 + 0.2 * i / n, truth, 1 - truth)
        for i in range(n)
    }
    frame = pd.DataFrame({"y": truth, **systems})
    return contest(frame, truth="y", engine="exact", draws=200, seed=1)


def costs():
    items = np.random.default_rng(1).gamma(2, 5e4, (2, 300))
    return compare(*items, measure="mean", rope="2%", engine="exact", draws=200, seed=1)


def of_groups(judge, **columns):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 600)
    names = {"svm": 0.9, "nb": 0.85, "knn": 0.7}
    said = {name: np.where(rng.random(600) < p, truth, 1 - truth) for name, p in names.items()}
    groups = rng.choice(["north", "south", "a group with a long name"], 600)
    frame = pd.DataFrame({"y": truth, "group": groups, **said})
    return judge(frame, truth="y", by="group", engine="exact", draws=200, seed=1, **columns)


RESULTS = {
    "groups": lambda: of_groups(compare, a="svm", b="nb"),
    "groups of a contest": lambda: of_groups(contest),
    "one row": single,
    "categories": result,
    "long names": lambda: result(
        ("a system with a long name, of which there are many", "hardware_and_software_v2"),
        [f"talk.politics.number-{i}" for i in range(20)],
    ),
    "costs": costs,
    "many categories": lambda: result(categories=[f"category {i}" for i in range(60)]),
    "contest": lambda: of_systems(4),
    "long contest": lambda: of_systems(30, "a_system_with_a_long_name_{}"),
}
COMMANDS = {
    "significance": ["--average", "both"],
    "power": ["100", "200", "--scenario", "a", "--simulations", "200", "--draws", "100"],
    "plan": ["--scenario", "a", "--simulations", "200", "--draws", "100", "--max-n", "5000"],
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    texts = []
    for make in RESULTS.values():
        made = make()
        texts += [made.to_latex(), made.to_latex(columns="full")]
        if made.is_pair:
            texts.append(made.to_latex(columns=PAPER))
    file = tmp_path_factory.mktemp("data") / "labels.csv"
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 300)
    said = {
        n: np.where(rng.random(300) < p, truth, (truth + 1) % 3)
        for n, p in (("a", 0.8), ("b", 0.7))
    }
    pd.DataFrame({"y": truth, **said}).to_csv(file, index=False)
    for command, options in COMMANDS.items():
        data = (
            [str(file), "--truth", "y", "--a", "a", "--b", "b"]
            if command == "significance"
            else ["--seed", "1"]
        )
        ran = CliRunner().invoke(main, [command, *data, *options, "--format", "latex"])
        assert ran.exit_code == 0, ran.output
        texts.append(ran.stdout)
        assert r"\caption{" in ran.stdout
    return "\n\n\\clearpage\n".join(texts)


@pytest.mark.parametrize("document_class", [c for c in CLASSES.values() if is_there(c)])
def test_tables_fit_in_one_column_and_in_two(tables, document_class, tmp_path):
    text = compiled(tables, tmp_path, rf"{document_class}\usepackage{{booktabs}}")
    assert re.findall(r"Overfull \\hbox.*|Missing character.*|Float too large.*", text) == []


def test_a_table_says_what_an_article_needs():
    text = result(names=("sv_m", "nb")).to_latex(label="tab:x_1")
    [caption] = re.findall(r"\\caption\{.*", text)
    assert caption == r"\caption{sv\_m (A) against nb (B) in F1 (7,532 documents).}"
    heading = r"{} & $\psi_A$ & $\psi_B$ & $\delta$ & HDI & $P_{\mathrm{ROPE}}$ & {} \\"
    assert heading in text
    for sign in (r"$\approx$", r"$>$", r"\toprule", r"\label{tab:x_1}", "Judged by the 95\\% HDI"):
        assert sign in text
    assert text.count("highest density interval") == 1
    assert "category" not in single().to_latex()


def test_columns_are_those_of_a_column_of_the_page_or_named():
    both = result()
    assert r"\begin{table}" in both.to_latex(columns="column")
    wide = both.to_latex(columns="full")
    assert r"\begin{table*}" in wide
    assert r"BF$_{\mathrm{SD}}$" in wide
    assert r"$\ddagger$" in wide
    assert r"\begin{table}" in both.to_latex(columns=["category", "mean"])
    assert r"\begin{table*}" in both.to_latex(columns=PAPER)
    assert r"\begin{longtable}" in both.to_latex(longtable=True)
    for odd in ("wide", ["colour"], 3):
        with pytest.raises(InputError, match="'columns'"):
            both.to_latex(columns=odd)


@pytest.mark.parametrize(
    "preamble",
    [
        PREAMBLE,
        PREAMBLE.replace(
            r"\usepackage{booktabs}", r"\usepackage[T1]{fontenc}\usepackage{booktabs}"
        ),
    ],
)
def test_hostile_names_compile(preamble, tmp_path):
    printable = [name for name in HOSTILE if name.isprintable()]
    text = result(names=printable[:2], categories=[*HOSTILE, "last\n\none"]).to_latex()
    compiled(text, tmp_path, preamble)
    others = "\n\n".join(result(names=pair).to_latex() for pair in pairwise(printable[2:]))
    compiled(others, tmp_path, preamble)


def test_every_character_compiles(tmp_path):
    characters = [
        chr(i) for i in (*range(0x20, 0x250), *range(0x370, 0x400), *range(0x1E00, 0x1F00))
    ]
    characters += [chr(i) for i in (*range(0x2000, 0x2400), 0xFFFD, 0x1F600, 0x10FFFF)]
    rows = [characters[i : i + 8] for i in range(0, len(characters) - 7, 8)]
    tables = [to_latex(pd.DataFrame(rows[i : i + 40])) for i in range(0, len(rows), 40)]
    compiled("\\clearpage\n".join(tables), tmp_path)


def test_without_caption_and_label_it_is_the_tabular_alone():
    frame = pd.DataFrame({"a": ["1"]})
    assert to_latex(frame).startswith(r"\begin{tabular}{l}")
    assert to_latex(frame, caption="50%").count(r"\caption{50\%}") == 1
    assert r"\caption" not in to_latex(frame, label="x")
    assert r"\caption{mine}" in result().to_latex(caption="mine")


@pytest.mark.parametrize("label", ["a b", "x}", "", 5, "é"])
def test_bad_labels(label):
    with pytest.raises(InputError, match="'label' parameter must be letters, digits"):
        to_latex(pd.DataFrame({"a": ["1"]}), label=label)


def test_the_table_says_that_lower_is_better():
    lower = compare_counts(
        [30, 4, 1, 5], [1, 1, 1, 90], engine="exact", draws=200, seed=1, measure="error"
    )
    assert "Lower is better" in lower.to_latex()
