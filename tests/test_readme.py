"""What the README shows works as it stands there."""

import html
import re
import shlex
from pathlib import Path

import click
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


def test_the_lines_of_python_run():
    [code] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(code.splitlines()) <= 6
    names = {}
    exec(code.replace("seed=1)", 'seed=1, engine="exact")'), names)
    assert names["result"].decision == ">"
    assert len(names["result"].summary()) == 1


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
