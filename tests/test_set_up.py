"""What the tests need of the machine: got, or said not to be there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import set_up

HERE = Path(__file__).parent


@pytest.fixture
def no_latex(monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(set_up, "FINDERS", {"LaTeX": lambda: None, "Chromium": lambda: "there"})


def test_what_is_there_is_not_installed(monkeypatch):
    monkeypatch.setattr(set_up, "FINDERS", dict.fromkeys(set_up.FINDERS, lambda: "there"))
    monkeypatch.setattr(set_up, "install", lambda names: 1 / 0)
    assert set_up.main() == 0


def test_what_cannot_be_had_is_told_and_stops_nobody(no_latex, monkeypatch, capsys):
    asked = []

    def install(names):
        asked.extend(names)
        return ["there is no apt-get"]

    monkeypatch.setattr(set_up, "install", install)
    assert set_up.main() == 0
    assert asked == ["LaTeX"]
    told = capsys.readouterr().err
    assert "Note: LaTeX could not be installed (there is no apt-get)." in told
    assert "apt-get install texlive-latex-base" in told
    assert "not run, and are counted at the end" in told


def test_what_must_be_there_stops(no_latex, monkeypatch, capsys):
    monkeypatch.setattr(set_up, "install", lambda names: [])
    assert set_up.main(["LaTeX"]) == 1
    assert "Error: LaTeX could not be installed" in capsys.readouterr().err
    monkeypatch.setenv("CI", "1")
    assert set_up.main() == 1
    with pytest.raises(pytest.fail.Exception, match="there is no LaTeX"):
        set_up.need("LaTeX")


def test_neither_root_nor_sudo_is_a_reason(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert set_up._apt_get(["x"]) == ["there is no apt-get"]
    program = tmp_path / "apt-get"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    assert set_up._apt_get(["x"]) == ["apt-get needs root, and there is no sudo"]
    asking = tmp_path / "sudo"
    asking.write_text("#!/bin/sh\nexit 1\n")
    asking.chmod(0o755)
    assert set_up._apt_get(["x"]) == ["apt-get needs root, and sudo asks for a password"]


def test_what_was_not_run_is_counted_at_the_end(tmp_path):
    (tmp_path / "conftest.py").write_text("from conftest_of_all import *\n")
    (tmp_path / "conftest_of_all.py").write_text((HERE / "conftest.py").read_text("utf8"))
    (tmp_path / "test_pages.py").write_text(
        "from set_up import need\n"
        "def test_one():\n    need('LaTeX')\n"
        "def test_two(chromium):\n    pass\n"
        "def test_three():\n    need('LaTeX')\n"
    )
    environment = os.environ | {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    environment |= {"PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    environment.pop("CI", None)
    environment.pop("PLAYWRIGHT_BROWSERS_PATH", None)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "1"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
    assert "= not run =" in ran.stdout
    assert "   2 there is no LaTeX\n   1 there is no Chromium\n" in ran.stdout
