import subprocess
from itertools import pairwise

import pandas as pd
import pytest
from hostile import HOSTILE
from set_up import need

from stanoff import InputError, compare_counts
from stanoff.text.render import to_latex

PREAMBLE = r"\documentclass{article}\usepackage{booktabs}\usepackage[margin=2cm]{geometry}"


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


def result(names=("svm", "nb"), categories=("x", "y")):
    return compare_counts(
        [[310, 25, 20, 43], [30, 4, 1, 5]] * (len(categories) // 2),
        [[40, 30, 25, 7039], [1, 1, 1, 90]] * (len(categories) // 2),
        engine="exact",
        draws=200,
        seed=1,
        average="macro",
        names=names,
        categories=categories,
    )


def test_the_table_compiles_and_fits_the_page(tmp_path):
    text = result().to_latex(label="tab:x_1")
    said = compiled(text + r"Table~\ref{tab:x_1}.", tmp_path)
    assert "Overfull" not in said
    assert "Missing character" not in said
    for sign in (r"$\approx$", r"$>$", r"$\ddagger$", r"\toprule", r"BF$_{\mathrm{SD}}$"):
        assert sign in text


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


def test_the_caption_tells_what_is_shown():
    text = result(names=("sv_m", "nb")).to_latex()
    caption = next(line for line in text.splitlines() if line.startswith(r"\caption"))
    assert r"sv\_m (A) against nb (B) in F1 (7,532 documents)" in caption
    assert r"the ROPE {[}$-$0.05, +0.05{]}" in caption
    lower = compare_counts(
        [30, 4, 1, 5], [1, 1, 1, 90], engine="exact", draws=200, seed=1, measure="error"
    )
    assert "Lower is better" in lower.to_latex()
