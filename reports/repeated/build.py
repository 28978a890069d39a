"""Two classifiers, five runs each, on posts in threads: what ignoring runs or threads would say."""

from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from common import About, Output, prose, verdicts, write_report
from matplotlib.axes import Axes

from stanoff import Comparison, compare, plots
from stanoff.report.document import Section

HERE = Path(__file__).resolve().parent
RUNS, ROPE, SEED = 5, 0.03, 17
IN_THREADS, AS_POSTS = "runs averaged, in threads", "every run a post of its own"
ABOUT = About(
    title="Five runs of two classifiers, on posts in threads",
    subtitle="Logistic regression on words and on letters, trained with five seeds each and asked "
    "about the same posts of 20newsgroups: runs, clusters, and what ignoring them would have said",
    heading="Repeated runs, and items in clusters",
    text="Two text classifiers trained with five seeds each answer the same posts. Runs are not "
    "new posts, and posts of one thread are not independent: what the verdict is with both, and "
    "what it would have been without.",
    figure="ways",
    caption="The same answers, taken in five ways.",
)


def answers() -> pd.DataFrame:
    """Read the answers, a row per post, system and run."""
    wide = pd.read_csv(HERE / "answers.csv", dtype={"words": str, "letters": str})
    runs = [
        wide[["post", "thread"]].assign(system=name, run=run, right=wide[name].str[run].astype(int))
        for name in ("words", "letters")
        for run in range(RUNS)
    ]
    return pd.concat(runs, ignore_index=True)


def judged(frame: pd.DataFrame, item: str = "post", **options: object) -> Comparison:
    """Compare the two in the share of posts that they get right."""
    long = {"item": item, "system": "system", "value": "right", "measure": "mean"}
    return compare(frame, a="words", b="letters", rope=ROPE, seed=SEED, **long, **options)


@cache
def ways() -> dict[str, Comparison]:
    """Judge the same answers in five ways."""
    frame = answers()
    frame["answer"] = frame["post"].astype(str) + " " + frame["run"].astype(str)
    return {
        IN_THREADS: judged(frame, cluster="thread"),
        "runs averaged, threads ignored": judged(frame),
        AS_POSTS: judged(frame, "answer"),
        "the first run only": judged(frame[frame["run"] == 0]),
        "these posts asked again": judged(frame, population="runs"),
    }


@plots.theme()
def ways_plot() -> Axes:
    """Draw the interval of each way."""
    _, ax = plt.subplots(figsize=(6.5, 2.75), layout="constrained")
    ax.axvspan(-ROPE, ROPE, color="0.4", alpha=0.15, linewidth=0)
    ax.axvline(0, color="0.4", linewidth=0.8)
    for y, result in enumerate(ways().values()):
        evidence = result.evidence()
        ax.plot(evidence.hdi, [y, y], color="C0", linewidth=2)
        ax.plot([evidence.mean], [y], "o", color="C0")
        side = {"xytext": (6, -3), "textcoords": "offset points"}
        ax.annotate(evidence.decision.symbol, (evidence.hdi[1], y), **side)
    ax.set_yticks(range(len(ways())), list(ways()))
    ax.invert_yaxis()
    ax.set(xlabel="share of right answers, words − letters")
    sns.despine(ax=ax, left=True)
    ax.tick_params(axis="y", length=0)
    return ax


def compared(out: Output) -> list[Section]:
    """Show all ways beside each other."""
    frame = answers()
    numbers = pd.DataFrame([result.evidence().as_row() for result in ways().values()])
    numbers.insert(0, "way", list(ways()))
    shown = numbers[["way"]].join(verdicts(numbers, "words − letters"))
    shown.insert(1, "items", [f"{max(x.data.n_documents()):,}" for x in ways().values()])
    shown.insert(3, "std", numbers["std"].map("{:.4f}".format))
    std = numbers.set_index("way")["std"]
    about = prose(
        """{posts} posts of {threads} threads, each answered by five runs of two classifiers: a
        logistic regression on words and one on groups of three letters, trained by stochastic
        gradient descent on the training posts of 20newsgroups with five seeds. An answer is right
        if it names the newsgroup.""",
        posts=frame["post"].nunique(),
        threads=frame["thread"].nunique(),
    )
    reading = prose(
        """The first line is the one to trust for new threads: the runs of a post are averaged, and
        weights go to threads. With every run taken as a post of its own the standard deviation
        would be {factor:.2f} times too small, since five answers about one post are not five posts.
        The last line answers another question: what these very posts would give if both
        classifiers were trained again. This page is here to show how much the ways differ. To that
        end both the pair of classifiers and the ROPE of ±{rope} were chosen after earlier results
        had been seen: it is no test of one classifier against the other.""",
        rope=ROPE,
        factor=std[IN_THREADS] / std[AS_POSTS],
    )
    caption = f"The same answers in five ways, with a ROPE of ±{ROPE}."
    columns = ["way", "mean", "std", "hdi_low", "hdi_high", "p_rope", "decision"]
    blocks = [
        ways()[IN_THREADS].sentence(),
        reading,
        out.figure("ways", ways_plot, f"{ABOUT.caption} The band: the ROPE."),
        out.table("ways", shown, caption, numbers=numbers[columns]),
    ]
    return [Section("The answers", [about]), Section("Five ways to take them", blocks)]


def components(out: Output) -> Section:
    """Show how much of the variance is due to runs."""
    result = judged(answers()).components(item_cost=10)
    table = result.table()
    columns = {"runs of each post": table["runs"].astype(str)}
    columns["standard error"] = table["std"].map("{:.4f}".format)
    caption = "What more runs of the same posts would give."
    shown = out.table("runs", pd.DataFrame(columns), caption, numbers=table)
    return Section("How many runs of each post?", [str(result), shown])


def build(folder: Path = HERE) -> None:
    """Write the table, the figure and the page."""
    write_report(ABOUT, (compared, components), folder)
