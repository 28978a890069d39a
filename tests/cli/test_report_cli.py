from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from stanoff import cli, load
from stanoff.report.page import comparison_page as page

PREDICTIONS = str(Path(__file__).parents[2] / "reports/zhang2016/predictions.csv")
COLUMNS = ["--truth", "truth", "--a", "nb_mult", "--b", "svm_l2"]
EXACT = ["--pos-label", "8", "--seed", "1", "--engine", "exact", "--draws", "400"]


def stanoff(*arguments):
    return CliRunner().invoke(cli.main, list(map(str, arguments)))


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("stanoff.plots.gallery.GALLERY", {})


def test_a_page_from_a_file_of_predictions_or_from_a_saved_result(tmp_path):
    report, again = tmp_path / "report.html", tmp_path / "again.html"
    options = [*COLUMNS, *EXACT, "--rope", "0.03", "--measure", "recall"]
    ran = stanoff("report", PREDICTIONS, *options, "--out", report)
    assert ran.exit_code == 0, ran.output
    assert "in recall on category 8 (7,532 documents)" in report.read_text("utf-8")
    stanoff("compare", PREDICTIONS, *options, "--save", tmp_path / "result.nc")
    assert report.read_text("utf-8") == page(load(tmp_path / "result.nc"))
    assert stanoff("report", tmp_path / "result.nc", "--out", again).exit_code == 0
    assert again.read_bytes() == report.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([PREDICTIONS, *COLUMNS], "--out must name the page"),
        (["study.toml", "--rope", "0.1", "--out", "x"], "--rope does not go with study.toml"),
        (["result.nc", "--seed", "1", "--out", "x"], "--seed does not go with result.nc"),
        (["result.nc", "--pos-label", "8", "--out", "x"], "--pos-label does not go with result.nc"),
        (["result.nc", "--positive", "8", "--out", "x"], "--pos-label does not go with result.nc"),
    ],
)
def test_wrong_use_is_told_in_words(arguments, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = stanoff("report", *arguments)
    assert ran.exit_code == 2
    assert told in ran.output
    assert list(tmp_path.iterdir()) == []


def test_a_folder_must_be_named(tmp_path):
    data = f'pairs = [["nb_mult", "svm_l2"]]\n[data]\nfile = {PREDICTIONS!r}\ntruth = "truth"\n'
    (tmp_path / "study.toml").write_text(data)
    ran = stanoff("report", tmp_path / "study.toml")
    assert ran.exit_code == 2
    assert "must name the folder" in ran.output


@pytest.mark.parametrize(("n", "told"), [(1, "1 comparison, 1 unchanged"), (2, "2 comparisons,")])
def test_a_study_counts_its_comparisons_in_words(n, told, tmp_path, monkeypatch):
    outcome = SimpleNamespace(error=None, reused=True, is_contest=False)
    module = import_module("stanoff.cli.report")  # the package has a command of that name
    monkeypatch.setattr(module, "read_study", lambda file: SimpleNamespace(out=None))
    monkeypatch.setattr(module, "build_study", lambda study, folder, jobs: [outcome] * n)
    ran = stanoff("report", "study.toml", "--out", tmp_path)
    assert ran.exit_code == 0, ran.output
    assert told in ran.stderr
