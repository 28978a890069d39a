"""What stands between a commit and a release: the check itself, and the workflows."""

import re
import zipfile
from pathlib import Path

import pytest
import release_check

from stanoff import __version__

TOP = Path(__file__).parents[1]
PROGRAMS = {"paired", "joint"}


def packed(folder, *, without=(), plus=(), facts=None):
    """Make a platform wheel of empty files."""
    names = {*release_check.NEEDED, "stanoff/compiled/compiled.json"}
    names |= {"stanoff/compiled/libtbb.so.2", f"stanoff-{__version__}.dist-info/licenses/LICENSE"}
    for name in PROGRAMS:
        names |= {f"stanoff/stan/{name}.stan", f"stanoff/compiled/{name}"}
    for name in release_check.LICENCES:
        names.add(f"stanoff/compiled/licences/{name.replace(' ', '_')}.txt")
    file = folder / f"stanoff-{__version__}-py3-none-manylinux_2_34_x86_64.whl"
    told = {
        "Version": __version__,
        "License-Expression": "BSD-3-Clause",
        "Description-Content-Type": "text/markdown",
    } | (facts or {})
    head = "".join(f"{key}: {value}\n" for key, value in told.items())
    with zipfile.ZipFile(file, "w") as archive:
        for name in (names - set(without)) | set(plus):
            archive.writestr(name, "")
        readme = (TOP / "README.md").read_text("utf8")
        archive.writestr(f"stanoff-{__version__}.dist-info/METADATA", f"{head}\n{readme}")
    return file


def test_a_wheel_that_is_as_it_should_be(tmp_path):
    assert list(release_check.wheel(packed(tmp_path), __version__, PROGRAMS)) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"without": ["stanoff/compiled/joint"]}, "lacks stanoff/compiled/joint"),
        ({"without": ["stanoff/compiled/libtbb.so.2"]}, "lacks TBB's library"),
        ({"without": ["stanoff/compiled/licences/TBB.txt"]}, "lacks stanoff/compiled/licences/TBB"),
        ({"plus": ["tests/test_x.py"]}, "holds tests/test_x.py, outside the package"),
        ({"facts": {"Version": "9"}}, f"says Version: 9, not {__version__}"),
        ({"facts": {"License-Expression": "GPL"}}, "says License-Expression: GPL"),
    ],
)
def test_what_is_wrong_with_a_wheel_is_found(tmp_path, change, words):
    [told] = release_check.wheel(packed(tmp_path, **change), __version__, PROGRAMS)
    assert words in told


def test_a_readme_that_is_not_markdown_is_found():
    assert len(list(release_check.readme("just a line"))) == 5


@pytest.mark.parametrize(
    ("heading", "cited", "found"),
    [
        ("## 1.2.0 (2026-11-18)", "1.2.0", 0),
        ("## 1.2.0 (unreleased)", "1.2.0", 1),
        ("## 1.1.0 (2026-11-18)", "1.2.0", 1),
        ("## 1.1.0", "1.1.0", 2),
    ],
)
def test_versions_must_agree(tmp_path, heading, cited, found):
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{heading}\n")
    (tmp_path / "CITATION.cff").write_text(f"cff-version: 1.2.0\nversion: {cited}\n")
    assert len(list(release_check.versions(tmp_path, "1.2.0"))) == found


def test_workflows_call_targets_that_there_are():
    targets = set(re.findall(r"^([\w-]+):(?!=)", (TOP / "Makefile").read_text(), re.MULTILINE))
    called = {
        target
        for file in (TOP / ".github/workflows").glob("*.yml")
        for target in re.findall(r"run: make ([\w-]+)", file.read_text())
    }
    assert {"lint", "test", "release-check", "wheels"} <= called
    assert called <= targets
