"""Every figure against a stored picture, which somebody has looked at."""

import io
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from conftest import script

from stanoff import plots

make = script(Path(__file__).parent / "images" / "make.py")


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def compared(name, ax):
    """How far a picture is from the stored one, and whether the same is written in both."""
    content, boxes = make.picture(ax)
    (now, texts), (then, texts_then) = (
        make.read(io.BytesIO(content)),
        make.read(make.FOLDER / f"{name}.png"),
    )
    return make.difference(now, then, boxes), texts == texts_then


@pytest.mark.parametrize("name", make.PICTURES)
def test_a_figure_looks_as_its_stored_picture(stored, name):
    far, same_texts = compared(name, make.PICTURES[name](stored))
    assert same_texts
    assert far < make.TOLERANCE


def test_there_is_a_picture_of_every_plot_and_no_other():
    used = {code for f in make.PICTURES.values() for code in f.__code__.co_names}
    assert {name for name in plots.__all__ if name.startswith("plot_")} <= used
    assert {path.stem for path in make.FOLDER.glob("*.png")} == set(make.PICTURES)


def higher_bars(ax):
    [outline] = [c.get_paths()[0].vertices for c in ax.collections if len(c.get_paths()[0]) > 99]
    outline[60:66, 1] *= 1.15


def longer_interval(ax):
    lines = ax.collections[0]
    lines.set_segments([line * [1.25, 1] for line in lines.get_segments()])


WRONG = {
    "bars": ("posterior", higher_bars),
    "a cell": ("mosaic", lambda ax: ax.patches[1].set_height(0.09)),
    "an interval": ("forest", longer_interval),
    "dashes": ("ropes", lambda ax: ax.lines[0].set_linestyle("-")),
    "a band": ("power", lambda ax: ax.collections[0].remove()),
    "the diagonal": ("joint", lambda ax: ax.lines[2].remove()),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_picture_is_found(stored, what):
    name, spoil = WRONG[what]
    ax = make.PICTURES[name](stored)
    spoil(ax)
    far, same_texts = compared(name, ax)
    assert same_texts
    assert far > make.TOLERANCE


def test_a_wrong_label_is_found(stored):
    ax = make.PICTURES["mosaic"](stored)
    ax.texts[0].set_text(ax.texts[0].get_text().replace("310", "311"))
    assert compared("mosaic", ax)[1] is False
    ax = make.PICTURES["forest"](stored)
    ax.set_yticklabels(["7", *(label.get_text() for label in ax.get_yticklabels()[1:])])
    assert compared("forest", ax)[1] is False
