"""Two classifiers, five runs each, on posts in threads: what ignoring runs or threads would say."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from common import About, Output, prose, write_report
from matplotlib.axes import Axes

from stanoff import Comparison, compare, plots
from stanoff.report.document import Section
from stanoff.text.numbers import format_interval, percent

HERE = Path(__file__).resolve().parent
RUNS, ROPE, SEED = 5, 0.03, 17
ABOUT = About(
    title="Five runs of two classifiers, on posts in threads",
    subtitle="Logistic regression on words and on letters, trained with five seeds each and asked "
    "about the same posts of 20newsgroups: runs, clusters, and what ignoring them would have said",
    heading="Repeated runs, and items that hang together",
    text="Two text classifiers trained with five seeds each answer the same posts. Runs are not "
    "new posts, and posts of one thread are not independent: what the verdict is with both, and "
    "what it would have been without.",
    figure="ways",
    caption="The same answers, taken in five ways.",
)


def answers() -> pd.DataFrame:
    """Read the answers, a row per post, system and run."""
    kept = pd.read_csv(HERE / "answers.csv", dtype={"words": str, "letters": str})
    parts = [
        kept[["post", "thread"]].assign(system=name, run=run, right=kept[name].str[run].astype(int))
        for name in ("words", "letters")
        for run in range(RUNS)
    ]
    return pd.concat(parts, ignore_index=True)


def judged(frame: pd.DataFrame, item: str = "post", **more: object) -> Comparison:
    """Compare the two in the share of posts that they get right."""
    long = {"item": item, "system": "system", "value": "right", "measure": "mean"}
    return compare(frame, a="words", b="letters", rope=ROPE, seed=SEED, **long, **more)


def ways() -> dict[str, Comparison]:
    """Judge the same answers in five ways."""
    frame = answers()
    frame["answer"] = frame["post"].astype(str) + " " + frame["run"].astype(str)
    return {
        "runs averaged, in threads": judged(frame, cluster="thread"),
        "runs averaged, threads ignored": judged(frame),
        "every run a post of its own": judged(frame, "answer"),
        "the first run only": judged(frame[frame["run"] == 0]),
        "these posts asked again": judged(frame, population="runs"),
    }


@plots.theme()
def ways_plot(found: dict[str, Comparison]) -> Axes:
    """Draw the interval of each way."""
    _, ax = plt.subplots(figsize=(6.5, 2.75), layout="constrained")
    ax.axvspan(-ROPE, ROPE, color="C4", alpha=0.25, linewidth=0)
    ax.axvline(0, color="0.4", linewidth=0.8)
    for y, result in enumerate(found.values()):
        said = result.evidence()
        ax.plot(said.hdi, [y, y], color="C0", linewidth=2)
        ax.plot([said.mean], [y], "o", color="C0")
        ax.annotate(
            said.decision.symbol, (said.hdi[1], y), xytext=(6, -3), textcoords="offset points"
        )
    ax.set_yticks(range(len(found)), list(found))
    ax.invert_yaxis()
    ax.set(xlabel="share of right answers, words − letters")
    sns.despine(ax=ax, left=True)
    ax.tick_params(axis="y", length=0)
    return ax


def compared(out: Output) -> list[Section]:
    """Show all ways beside each other."""
    found, frame = ways(), answers()
    rows, numbers = [], []
    for name, result in found.items():
        said = result.evidence()
        rows.append(
            {
                "way": name,
                "items": f"{max(result.data.n_documents()):,}",
                "words − letters": f"{said.mean:+.3f}",
                "std": f"{said.std:.4f}",
                "95% HDI": format_interval(said.hdi, 3),
                "in the ROPE": percent(said.p_rope),
                "decision": said.decision.symbol,
            }
        )
        numbers.append(
            {"way": name, "mean": said.mean, "std": said.std, "low": said.hdi[0]}
            | {"high": said.hdi[1], "p_rope": said.p_rope, "decision": str(said.decision)}
        )
    kept, ignored = (
        found[name].evidence().std
        for name in ("runs averaged, in threads", "every run a post of its own")
    )
    about = prose(
        """{posts} posts of {threads} threads, each answered by five runs of two classifiers: a
        logistic regression on words and one on groups of three letters, trained by stochastic
        gradient descent on the training posts of 20newsgroups with five seeds. An answer is right
        if it names the newsgroup.""",
        posts=frame["post"].nunique(),
        threads=frame["thread"].nunique(),
    )
    told = prose(
        """The first line is the one to trust for new threads: the runs of a post are averaged, and
        weights go to threads. With every run taken as a post of its own the standard deviation
        would be {factor:.2f} times too small, since five answers about one post are not five posts.
        The last line answers another question: what these very posts would give if both
        classifiers were trained again. This page is here to show how the ways part. To that end
        both the pair of classifiers and the ROPE of ±{rope} were chosen after earlier results had
        been seen: it is no test of one classifier against the other.""",
        rope=ROPE,
        factor=kept / ignored,
    )
    first = found["runs averaged, in threads"]
    return [
        Section("The answers", [about]),
        Section(
            "Five ways to take them",
            [
                first.sentence(),
                told,
                out.figure(
                    "ways", lambda: ways_plot(found), f"{ABOUT.caption} The band: the ROPE."
                ),
                out.table(
                    "ways",
                    pd.DataFrame(rows),
                    f"The same answers in five ways, with a ROPE of ±{ROPE}.",
                    numbers=pd.DataFrame(numbers),
                ),
            ],
        ),
    ]


def components(out: Output) -> Section:
    """Show how much of the variance is due to runs."""
    found = judged(answers()).components(item_cost=10)
    table = found.table()
    shown = pd.DataFrame(
        {
            "runs of each post": table["runs"].astype(str),
            "standard error": table["std"].map("{:.4f}".format),
        }
    )
    blocks = [
        str(found),
        out.table("runs", shown, "What more runs of the same posts would give.", numbers=table),
    ]
    return Section("How many runs of each post?", blocks)


def build(folder: Path = HERE) -> None:
    """Write the table, the figure and the page."""
    write_report(ABOUT, (compared, components), folder)
