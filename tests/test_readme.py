"""What the README shows works as it stands there."""

import html
import re
import shlex
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest

from stanoff.cli import main

TOP = Path(__file__).parents[1]
README = (TOP / "README.md").read_text("utf8")
COMMANDS = re.findall(r"`(stanoff [^`]+)`", README) + [
    line.split("   #")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("stanoff ")
]


def test_it_is_short():
    assert len(README.splitlines()) <= 110


def test_the_verdict_is_that_of_the_report():
    quoted = [line[2:] for line in README.splitlines() if line.startswith("> ")]
    page = html.unescape((TOP / "reports/zhang2016/index.html").read_text("utf8"))
    assert " ".join(quoted) in page


def test_the_lines_of_python_run(tmp_path, monkeypatch):
    [code] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    a, b = (np.where(rng.uniform(size=200) < share, y, 1 - y) for share in (0.9, 0.7))
    words = pd.DataFrame({"y": y, "svm": a, "nb": b}).replace({0: "ham", 1: "spam"})
    words.to_csv(tmp_path / "predictions.csv", index=False)
    monkeypatch.chdir(tmp_path)
    exact = code.replace("seed=1)", 'seed=1, engine="exact")').replace(
        'pos_label="spam")', 'pos_label="spam", engine="exact")'
    )
    exec(exact, {"y_true": y, "y_pred_a": a, "y_pred_b": b})
    assert (tmp_path / "report.html").is_file()
    assert (tmp_path / "result.nc").is_file()


def test_there_are_commands():
    assert len(COMMANDS) >= 4


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_has_the_options_that_are_shown(line):
    _, *words = shlex.split(line)
    context = click.Context(main, info_name="stanoff")
    name, command, rest = main.resolve_command(context, words)
    assert name
    command.make_context(name, rest, parent=context)  # parses, and runs nothing


def test_every_picture_and_page_is_there():
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert "reports/zhang2016/figures/figure6.svg" in links
    assert [link for link in links if not (TOP / link).exists()] == []
