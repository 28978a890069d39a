"""What the manual shows works as it stands there."""

import re
import shlex
from pathlib import Path

import click
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from stanoff.cli import main
from stanoff.measures import MEASURES
from stanoff.study.config import read_study

TOP = Path(__file__).parents[1]
DOCS = sorted((TOP / "docs").glob("*.md"))
GUIDES = sorted((TOP / "docs/guide").glob("*.md"))
SCRIPTS = sorted((TOP / "docs").glob("*/plot_*.py"))
PAGES = [*DOCS, *GUIDES, TOP / "CONTRIBUTING.md", TOP / "stan/README.md", TOP / "CHANGELOG.md"]
BLOCK = re.compile(r"^```(\w.*)\n((?:.*\n)*?)```$", re.MULTILINE)
MAX_LINES = 150


def blocks(page, kind):
    """Code of one kind, each block with the number of its first line."""
    text = page.read_text("utf8")
    for found in BLOCK.finditer(text):
        if found[1] == kind:
            yield text[: found.start(2)].count("\n"), found[2]


def having(kind):
    return [pytest.param(page, id=page.stem) for page in PAGES if list(blocks(page, kind))]


COMMANDS = [
    line.split("   #")[0].split(" > ")[0].strip()
    for page in PAGES
    for _, text in blocks(page, "sh")
    for line in text.splitlines()
    if line.startswith("stanoff ")
]


@pytest.fixture
def names(tmp_path, monkeypatch):
    """What the examples take as given; ``docs/index.md`` lists it."""
    rng = np.random.default_rng(1)

    def answers(truth, others, right):
        return np.where(rng.random(len(truth)) < right, truth, rng.choice(others, len(truth)))

    y = rng.choice(["ham", "spam"], 600, p=[0.6, 0.4])
    columns = {name: answers(y, ["ham", "spam"], p) for name, p in RIGHT.items()}
    frame = pd.DataFrame({"y": y, **columns})
    kinds = ["art", "law", "sport", "war"]
    y = rng.choice(kinds, 800)
    topics = pd.DataFrame({"y": y, "svm": answers(y, kinds, 0.75), "nb": answers(y, kinds, 0.7)})
    for name in ("predictions", "mail", "web"):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    topics.to_csv(tmp_path / "topics.csv", index=False)
    level = rng.random(60)
    scores = pd.DataFrame({"topic": [f"t{i}" for i in range(60)]})
    for name, more in {"bm25": 0, "dense": 0.05, "lsi": 0.02, "loss_a": 1, "loss_b": 1.1}.items():
        scores[name] = level + more + rng.normal(0, 0.1, 60)
    shown = rng.poisson(30, (60, 2)) + 1
    clicks = pd.DataFrame(rng.binomial(shown, 0.2), columns=["clicks_a", "clicks_b"])
    clicks[["shown_a", "shown_b"]] = shown
    asked = pd.MultiIndex.from_product(
        [range(60), ["a", "b"], range(3)], names=["question", "model", "run"]
    ).to_frame(index=False)
    easy = rng.normal(0.6, 0.2, 60)[asked["question"]]
    asked["right"] = (rng.random(len(asked)) < easy + 0.05 * (asked["model"] == "a")).astype(int)
    asked["bench"] = asked["question"] % 4
    asked.to_csv(tmp_path / "answers.csv", index=False)
    said = [frame[["y"]].assign(doc=frame.index, model=n, said=frame[n]) for n in ("svm", "nb")]
    pd.concat(said).to_csv(tmp_path / "long.csv", index=False)
    for name, one in zip(("svm", "nb"), said, strict=True):
        one.to_json(tmp_path / f"{name}.jsonl", orient="records", lines=True)
    monkeypatch.chdir(tmp_path)
    registered = dict(MEASURES)
    arrays = ((frame[name] == "spam").to_numpy().astype(int) for name in ("y", "svm", "nb"))
    given = dict(zip(("y_true", "y_pred_a", "y_pred_b"), arrays, strict=True))
    of_items = {"scores": scores, "clicks": clicks, "answers": asked}
    yield given | of_items | {"frame": frame, "topics": topics}
    MEASURES.clear()
    MEASURES.update(registered)
    plt.close("all")


RIGHT = {"svm": 0.8, "nb": 0.75, "knn": 0.6}


@pytest.mark.parametrize("page", having("python"))
def test_the_examples_run(page, names):
    for line, code in blocks(page, "python"):
        exec(compile("\n" * line + code, str(page), "exec"), names)


@pytest.mark.parametrize("page", having("toml"))
def test_the_studies_can_be_read(page, names, tmp_path):
    for _, text in blocks(page, "toml"):
        (tmp_path / "study.toml").write_text(text, "utf8")
        assert read_study(tmp_path / "study.toml").questions


@pytest.mark.parametrize("line", COMMANDS)
def test_the_commands_have_the_options_that_are_shown(line):
    _, *words = shlex.split(line)
    command, context = main, click.Context(main, info_name="stanoff")
    while isinstance(command, click.Group) and words:
        name, command, words = command.resolve_command(context, words)
        context = command.make_context(name, list(words), parent=context)  # runs nothing


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in PAGES])
def test_the_links_lead_somewhere(page):
    links = re.findall(r"\]\((?!http)([^)#]+)", page.read_text("utf8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_block_is_of_a_known_kind():
    kinds = {found[1] for page in PAGES for found in BLOCK.finditer(page.read_text("utf8"))}
    assert kinds <= {"python", "python no-run", "r", "sh", "toml", "stan"}
    assert len(COMMANDS) >= 25


def test_every_folder_has_a_short_page():
    folders = {file.parent.name for file in (TOP / "src/stanoff").glob("[!_]*/__init__.py")}
    topics = {"index", "contest", "scores", "items", "examples", "cmdstan"}
    assert {page.stem for page in DOCS} == folders | topics
    listed = (TOP / "docs/index.md").read_text("utf8")
    assert [name for name in sorted(folders) if f"({name}.md)" not in listed] == []
    for page in (*DOCS, *GUIDES, TOP / "CONTRIBUTING.md"):
        text = re.sub(r"<!-- keys.*end of keys -->", "", page.read_text("utf8"), flags=re.DOTALL)
        assert len(text.splitlines()) <= MAX_LINES, page.name
