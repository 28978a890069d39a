"""All reports have one layout, and what they link is there."""

import doctest
import re
from urllib.parse import unquote

import pytest
from reporting import REPORTS, module

build, common = module("build"), module("common")
PAGES = sorted(path.relative_to(REPORTS) for path in REPORTS.rglob("*.html"))


@pytest.mark.parametrize("name", build.NAMES)
def test_a_report_describes_itself_and_has_its_files(name):
    report = module(f"{name}.build")
    assert isinstance(report.ABOUT, common.About)
    assert callable(report.build)
    folder = REPORTS / name
    assert (folder / f"figures/{report.ABOUT.figure}.svg").is_file()
    page = (folder / "index.html").read_text("utf8")
    for path in [*folder.glob("tables/*"), *folder.glob("figures/*")]:
        assert f'href="{path.relative_to(folder)}"' in page
    assert f'href="{name}/index.html"' in (REPORTS / "index.html").read_text("utf8")


def test_no_folder_is_forgotten():
    assert {path.parent.name for path in REPORTS.glob("*/build.py")} == set(build.NAMES)


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_every_link_leads_somewhere(path):
    page = (REPORTS / path).read_text("utf8")
    assert "<script" not in page
    for link in re.findall(r'<a [^>]*href="([^"]*)"', page):
        target, _, anchor = link.partition("#")
        if target and "://" not in target:
            assert ((REPORTS / path).parent / unquote(target)).exists(), link
        elif not target:
            assert f'id="{anchor}"' in page, link


def test_the_examples_in_common_are_right():
    assert doctest.testmod(common).failed == 0


def test_numbers_have_the_digits_that_machines_share():
    for path in REPORTS.glob("*/**/*.csv"):
        for number in re.findall(r"(?<![\w.])\d+\.\d+", path.read_text("utf8")):
            assert len(number.replace(".", "").strip("0")) <= 8, (path, number)


def test_a_table_and_a_figure_are_written_and_linked(tmp_path):
    import pandas as pd

    from stanoff.plots.style import new_axes

    out = common.Output(tmp_path)
    frame = pd.DataFrame({"share": [1 / 3]}, index=pd.Index(["<a>"], name="name"))
    shown = pd.DataFrame({"name": ["<a>"], "share": ["33%"]})
    table = out.table("t", shown, "A table.", numbers=frame, anchor="here")
    assert (table.caption, table.anchor) == ("A table.", "here")
    assert (tmp_path / "tables/t.csv").read_text() == "name,share\n<a>,0.333333\n"
    assert "33\\%" in (tmp_path / "tables/t.tex").read_text()

    def draw():
        ax = new_axes()
        ax.plot([0, 1], [0, 1 / 3])
        return ax

    figure = out.figure("f", draw, "A figure.")
    assert figure.svg == (tmp_path / "figures/f.svg").read_bytes()
    assert (tmp_path / "figures/f.pdf").read_bytes().startswith(b"%PDF")
    assert list(out.files) == ["t", "f"]
    assert (
        'f: <a href="figures/f.svg">svg</a>, <a href="figures/f.pdf">pdf</a>'
        in (out.links().texts[1])
    )
