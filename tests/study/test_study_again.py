"""A study that is built again: what is kept, how small, and what is made anew."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from stanoff import compare
from stanoff.plots.gallery import GALLERY
from stanoff.report.figures import draw_figures
from stanoff.study import cache, run
from stanoff.study.config import FIGURES, read_study
from stanoff.study.run import build_study

PREDICTIONS = Path(__file__).parents[2] / "reports/zhang2016/predictions.csv"
STUDY = """
classifiers = ["nb_mult", "svm_l2"]
measures = ["f1", "recall"]
pos_label = 8
engine = "exact"
draws = 500
figures = ["mosaic"]
[data]
file = "predictions.csv"
truth = "truth"
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    shutil.copy(PREDICTIONS, folder)
    (folder / "study.toml").write_text(STUDY)
    build_study(read_study(folder / "study.toml"), folder / "out", quiet=True)
    return folder


@pytest.fixture
def folder(built, tmp_path):
    shutil.copytree(built, tmp_path / "study", copy_function=shutil.copy2)
    return tmp_path / "study"


@pytest.fixture
def drawn(monkeypatch):
    """Count the pages that are made."""
    pages, original = [], run.comparison_page

    def counted(result, **options):
        pages.append(result.measure.label)
        return original(result, **options)

    monkeypatch.setattr(run, "comparison_page", counted)
    return pages


def again(folder, text=STUDY):
    (folder / "study.toml").write_text(text)
    return build_study(read_study(folder / "study.toml"), folder / "out", quiet=True)


def content(folder):
    return {p: p.read_bytes() for p in (folder / "out").rglob("*") if p.is_file()}


def test_nothing_is_read_fitted_or_drawn_when_nothing_has_changed(folder, drawn, monkeypatch):
    def never(*_, **__):
        raise AssertionError("not needed")

    before = content(folder)
    monkeypatch.setattr(run, "count", never)
    monkeypatch.setattr(cache, "compare_data", never)
    monkeypatch.setattr(cache, "contest_data", never)
    outcomes = again(folder)
    assert drawn == []
    assert [o.reused for o in outcomes] == [True, True]
    assert content(folder) == before


def test_what_is_recalled_is_what_was_found(folder):
    recalled = again(folder)
    shutil.rmtree(folder / "out")
    for new, old in zip(again(folder), recalled, strict=True):
        assert old.summary.equals(new.summary)
        assert old.summary.dtypes.equals(new.summary.dtypes)
        assert old.cells.equals(new.cells)
        for name in ("a", "b", "measure", "slug", "sentence", "category", "warnings", "figures"):
            assert getattr(old, name) == getattr(new, name)


@pytest.mark.parametrize(
    ("pattern", "damage", "made"),
    [
        ("pages/*F1.html", "cut", ["F1"]),
        ("figures/*recall-mosaic.svg", "missing", ["recall"]),
        ("fits/*F1.json", "cut", ["F1"]),
    ],
)
def test_a_damaged_file_is_made_again(folder, drawn, pattern, damage, made):
    before = content(folder)
    [path] = (folder / "out").glob(pattern)
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-9])
    again(folder)
    assert drawn == made
    assert content(folder) == before


@pytest.mark.parametrize(
    ("old", "new", "made"),
    [
        ("pos_label = 8", "pos_label = 8\nrope = 0.01", ["F1", "recall"]),
        ('["f1", "recall"]', '["f1", "recall", "mcc"]', ["mcc"]),
        ("[data]", 'names = {svm_l2 = "SVM"}\n[data]', ["F1", "recall"]),
    ],
)
def test_only_what_depends_on_a_change_is_drawn(folder, drawn, old, new, made):
    assert old in STUDY
    again(folder, STUDY.replace(old, new))
    assert drawn == made


def test_another_rope_leaves_figures_without_one(folder, monkeypatch):
    before = content(folder)
    monkeypatch.setitem(GALLERY, "mosaic", GALLERY["mosaic"]._replace(draw=None))
    again(folder, f"rope = 0.01\n{STUDY}")
    after = content(folder)
    for path in before:
        assert (after[path] == before[path]) == ("figures" in path.parts)
    (folder / "out/figures/nb_mult-svm_l2-F1-mosaic.svg").unlink()
    outcomes = again(folder, f"rope = 0.02\n{STUDY}")
    assert [bool(o.error) for o in outcomes] == [True, False]  # it cannot be drawn anew


@pytest.mark.parametrize("kind", ["labels", "scores"])
def test_the_figures_that_show_no_rope_are_the_same_under_another(kind):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 100)
    a, b = np.clip(0.3 * truth + 0.6 * rng.random((2, 100)), 0, 1)
    options = {"measure": "auc"} if kind == "scores" else {}
    if kind == "labels":
        a, b = a > 0.5, b > 0.4
    result = compare(truth, a, b, engine="exact", seed=1, draws=200, **options)
    wider = result.judge(rope=0.2)
    drawn = [draw_figures(r, r.default_category) for r in (result, wider)]
    for one, other in zip(*drawn, strict=True):
        of_rope = GALLERY[one.name].of_rope
        same = of_rope(result, result.default_category) == of_rope(wider, result.default_category)
        assert (one.svg == other.svg) == same, one.name


def test_other_labels_and_other_code_are_noticed(folder, drawn, monkeypatch):
    with (folder / "predictions.csv").open("a") as file:
        file.write("8,8,8,8,8\n")
    assert not again(folder)[0].reused
    assert drawn == ["F1", "recall"]
    monkeypatch.setattr(cache, "_code_hash", lambda: "newer")
    assert not again(folder)[0].reused
    assert drawn == ["F1", "recall"] * 2


def test_figures_that_are_no_longer_asked_for_are_gone(folder):
    again(folder, STUDY.replace('["mosaic"]', '["factor"]\nfigure_formats = ["pdf", "png"]'))
    names = {path.name for path in (folder / "out/figures").iterdir()}
    assert names == {
        f"nb_mult-svm_l2-{measure}-factor.{style}"
        for measure in ("F1", "recall")
        for style in ("pdf", "png")
    }
    index = (folder / "out/index.html").read_text("utf-8")
    for name in names:
        assert f'href="figures/{name}"' in index
    starts = {path.suffix: path.read_bytes()[:4] for path in (folder / "out/figures").iterdir()}
    assert starts == {".pdf": b"%PDF", ".png": b"\x89PNG"}


def test_the_names_of_figures_are_those_of_the_gallery():
    assert tuple(GALLERY) == FIGURES
