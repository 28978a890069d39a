"""Odd values and odd surroundings: a right answer, or one sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stanoff import InputError, Prior, compare_counts, load

COUNTS = [30, 4, 1, 5], [1, 1, 1, 90]
K = {"engine": "exact", "seed": 1, "draws": 100}
HUGE = 10**400  # no float is so large
PREDICTIONS = Path(__file__).parents[1] / "reports/zhang2016/predictions.csv"
COMPARE = (
    *("compare", PREDICTIONS, "--truth", "truth", "--a", "svm_l2", "--b", "nb_mult"),
    *("--pos-label", 8, "--engine", "exact", "--draws", 200, "--seed", 1),
)


@pytest.mark.parametrize(
    "option", ["hdi_prob", "beta", "zero_division", "prevalence", "rope", "seed"]
)
def test_whole_numbers_that_no_float_can_hold(option):
    with pytest.raises(InputError, match=rf"The '{option}' parameter must be"):
        compare_counts(*COUNTS, **(K | {option: HUGE}))


@pytest.mark.parametrize("draws", [HUGE, 10**12])
def test_more_draws_than_any_array_has(draws):
    with pytest.raises(
        InputError, match="The 'draws' parameter must be a whole number from 4 to 100,000,000"
    ):
        compare_counts(*COUNTS, **(K | {"draws": draws}))


@pytest.mark.parametrize("path", [None, 3, b"x", "a\0b", "~no-such-user/x", ["a"], ""])
def test_paths_that_are_none(path):
    result = compare_counts(*COUNTS, **K)
    for use in (result.save, result.to_html, load):
        with pytest.raises(InputError, match="The 'path' parameter must be the path of a file"):
            use(path)


@pytest.mark.parametrize("caption", [3, b"x", ["a"], {}])
def test_captions_that_are_no_text(caption):
    with pytest.raises(InputError, match="The 'caption' parameter must be a text"):
        compare_counts(*COUNTS, **K).to_latex(caption=caption)


@pytest.mark.parametrize("rope", ["12", {0: 1, 1: 2}, {0.1, 0.2}, b"12"])
def test_a_rope_is_no_text_and_no_mapping(rope):
    with pytest.raises(InputError, match="The 'rope' parameter must be"):
        compare_counts(*COUNTS, **K, rope=rope)


@pytest.mark.parametrize("weight", [1e308, HUGE, float("nan")])
def test_a_prior_that_outweighs_everything(weight):
    with pytest.raises(InputError, match=r"The 'prior.mass' parameter must be"):
        Prior(mass=weight)
    with pytest.raises(InputError, match=r"The 'prior.beta' parameter must be"):
        Prior(beta=weight)


def stanoff(*arguments, flags=(), stdout=subprocess.PIPE, **environment):
    return subprocess.run(
        [sys.executable, *flags, "-m", "stanoff", *map(str, arguments)],
        env=os.environ | environment,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        timeout=300,
        check=False,
    )


def one_sentence(ran, words):
    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr
    assert ran.stderr.startswith("Error: ")
    assert words in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_a_full_device():
    with Path("/dev/full").open("w") as full:
        one_sentence(stanoff(*COMPARE, stdout=full), "No space left on device")


def test_a_user_without_a_home():
    one_sentence(stanoff("doctor", STANOFF_CACHE="~no-such-user/x"), "there is no such user")


def test_python_without_docstrings():
    assert stanoff(*COMPARE, flags=["-OO"]).returncode == 0
    program = (
        "import stanoff\n"
        "result = stanoff.compare_counts([3,1,1,1],[1,1,1,9],engine='exact',seed=1,draws=100)\n"
        "try: result.tree\n"
        "except stanoff.StanoffError as error: print(error)"
    )
    ran = subprocess.run([sys.executable, "-OO", "-c", program], capture_output=True, text=True)
    assert ran.stdout.startswith("python -OO takes away the docstrings"), ran.stderr


def test_a_latin_terminal():
    ran = stanoff(*COMPARE, PYTHONIOENCODING="latin-1")
    assert "Traceback" not in ran.stderr
    assert ran.returncode in (0, 1)


def test_a_backend_that_matplotlib_does_not_know(tmp_path):
    page = ("report", *COMPARE[1:], "--out", tmp_path / "page.html")
    assert stanoff(*page, MPLBACKEND="nonsense").returncode == 0
    program = "from stanoff.plots import plot_posterior"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"MPLBACKEND": "nonsense"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ValueError: Key backend: 'nonsense' is not a valid value" in ran.stderr


def test_a_working_directory_that_is_gone(tmp_path):
    program = (
        f"import os; os.mkdir({str(tmp_path / 'x')!r}); os.chdir({str(tmp_path / 'x')!r})\n"
        f"os.rmdir({str(tmp_path / 'x')!r})\n"
        "import stanoff\n"
        "try: stanoff.compare_counts([3,1,1,1],[1,1,1,9],engine='exact',seed=1,draws=100).tree\n"
        "except stanoff.StanoffError as error: print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stdout == "The working directory is gone: change to one that exists.\n", ran.stderr
