"""What the README shows works as it stands there."""

import html
import re
import shlex
from pathlib import Path

import click
import pytest

from stanoff.cli import main
from stanoff.report.config import read_study

TOP = Path(__file__).parents[1]
README = (TOP / "README.md").read_text("utf8")
COMMANDS = [
    line.split("   #")[0].split(" > ")[0]
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("stanoff ")
]


def test_the_verdict_is_that_of_the_report():
    quoted = [line[2:] for line in README.splitlines() if line.startswith("> ")]
    page = html.unescape((TOP / "reports/zhang2016/index.html").read_text("utf8"))
    assert " ".join(quoted) in page


def test_the_study_can_be_read(tmp_path):
    [text] = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    (tmp_path / "study.toml").write_text(text, "utf8")
    (tmp_path / "predictions.csv").write_text("y,svm,nb,knn\n1,1,0,1\n0,0,0,1\n", "utf8")
    study = read_study(tmp_path / "study.toml")
    assert (study.title, study.seed) == ("Spam filters", 1)


def test_there_are_commands():
    assert len(COMMANDS) >= 12


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_has_the_options_that_are_shown(line):
    _, *words = shlex.split(line.split("  #")[0])
    context = click.Context(main, info_name="stanoff")
    name, command, rest = main.resolve_command(context, words)
    assert name
    command.make_context(name, rest, parent=context)  # parses, and runs nothing


def test_every_picture_and_page_is_there():
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert "reports/zhang2016/figures/figure6.svg" in links
    assert [link for link in links if not (TOP / link).exists()] == []
