"""Four search systems on 20newsgroups: who is best, how surely, and what classical tests say."""

from functools import cache
from itertools import combinations
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from common import DAGGER, About, Output, prose, verdicts, write_report
from matplotlib.axes import Axes

from stanoff import Comparison, Contest, compare, contest, plots
from stanoff.report.document import Section
from stanoff.significance import item_tests
from stanoff.text.numbers import p_value, percent

HERE = Path(__file__).resolve().parent
MEASURES = ("AP", "nDCG@10", "P@10")
NAMES = {"bm25": "BM25", "tfidf": "TF-IDF", "lsi": "LSI", "lm": "LM"}
ROPE, SEED = 0.01, 17
SHORT = {  # headings of the tests
    **{"paired t-test": "t-test", "Wilcoxon": "Wilcoxon", "sign test": "sign"},
    "randomization": "random",
}
ABOUT = About(
    title="Four search systems, topic by topic",
    subtitle="BM25, TF-IDF, latent semantic indexing and a language model on 20newsgroups: 240 "
    "held-out posts as topics, and posts of the same newsgroup as what is relevant",
    heading="Search systems, by one value per topic",
    text="Average precision, nDCG and P@10 of four search systems on 240 topics: the contest of "
    "systems, every pair beside the usual significance tests, newsgroup by newsgroup, and how many "
    "more topics it would take.",
    figure="scores",
    caption="Average precision of the four systems over new topics.",
)


def values() -> pd.DataFrame:
    """Read the values, a row per topic and system."""
    return pd.read_csv(HERE / "topics.csv").replace({"system": NAMES})


@cache
def contested(measure: str) -> Contest:
    """Hold the contest of all systems."""
    long = {"item": "topic", "system": "system", "value": measure}
    return contest(values(), measure="mean", rope=ROPE, seed=SEED, **long)


def systems(out: Output) -> list[Section]:
    """Show the contest in every measure."""
    frame = values()
    means = frame.groupby("system")[list(MEASURES)].mean().loc[list(NAMES.values())]
    shown = means.map("{:.3f}".format).rename_axis("system").reset_index()
    about = prose(
        """The collection are the {documents:,} posts of the training set of 20newsgroups
        without headers, footers and quotes. The topics are {topics} posts of the test set,
        {per_group} of every newsgroup. A post is relevant to a topic if it is from the same
        newsgroup. ir-measures computed the values; only these are kept.""",
        documents=11_314,
        topics=frame["topic"].nunique(),
        per_group=12,
    )
    table = out.table("means", shown, "Mean over the topics.", numbers=means)
    sections = [Section("The systems", [about, table])]
    for measure in MEASURES:
        result = contested(measure)
        blocks = [
            result.sentence(),
            out.table(
                f"contest_{measure.split('@')[0].lower()}",
                result.table().rename(columns={"mean": measure}),
                f"The contest in {measure}, with a ROPE of ±{ROPE}.",
                numbers=result.summary(),
            ),
        ]
        if measure == "AP":
            caption = "The verdict on every pair in average precision."
            blocks += [
                out.figure("scores", result.plot_scores, ABOUT.caption),
                out.figure("matrix", result.plot_matrix, caption),
            ]
        sections.append(Section(f"The contest in {measure}", blocks))
    return sections


def beside_tests(out: Output) -> Section:
    """Show every pair beside the classical tests."""
    rows = []
    for measure in MEASURES:
        result = contested(measure)
        for a, b in combinations(result.systems, 2):
            pair = result.between(a, b)
            tests = {test.test: test.p_value for test in item_tests(pair.data, seed=SEED)}
            rows.append(pair.evidence().as_row() | {"measure": measure, "A": a, "B": b} | tests)
    frame = pd.DataFrame(rows)
    equal = (frame["decision"] == "=") & (frame["paired t-test"] < 0.05)
    tests = frame[list(SHORT)].map(p_value).rename(columns=SHORT)
    names = ["measure", "A", "B"]
    blocks = [
        prose(
            """The paired t-test, Wilcoxon's, the sign test and the randomization test ask
            whether there is any difference. The verdict asks whether it matters. In
            {equal} of {pairs} pairs the t-test finds a significant difference that is
            practically equivalent to none; no p-value can say that two systems are
            equivalent.""",
            equal=int(equal.sum()),
            pairs=len(frame),
        ),
        out.table(
            "pairs",
            frame[names].join(verdicts(frame)).join(tests),
            f"Every pair with a ROPE of ±{ROPE}, and p-values of four tests; ⋆: p < 0.05. LM: "
            f"the language model. {DAGGER}",
            numbers=frame[[*names, "mean", "hdi_low", "hdi_high", "p_rope", "decision", *SHORT]],
        ),
    ]
    return Section("Every pair, beside the usual tests", blocks)


def pair(**options: object) -> Comparison:
    """Compare latent semantic indexing with TF-IDF in average precision."""
    long = {"item": "topic", "system": "system", "value": "AP", "dataset": "newsgroup"}
    settings = {"a": "LSI", "b": "TF-IDF", "measure": "mean", "rope": ROPE, "seed": SEED}
    return compare(values(), **long, **settings, **options)


def differences() -> pd.DataFrame:
    """Return the difference of average precision of every topic, LSI less TF-IDF."""
    wide = values().pivot(index=["newsgroup", "topic"], columns="system", values="AP")
    return (wide["LSI"] - wide["TF-IDF"]).rename("difference").reset_index()


@plots.theme()
def topics_plot() -> Axes:
    """Draw the difference on every topic, by newsgroup."""
    _, ax = plt.subplots(figsize=(6.5, 5.5), layout="constrained")
    frame = differences()
    means = frame.groupby("newsgroup")["difference"].mean().sort_values()
    jitter = np.random.default_rng(1).uniform(-0.2, 0.2, len(frame))
    y = pd.Categorical(frame["newsgroup"], means.index).codes + jitter
    ax.axvspan(-ROPE, ROPE, color="0.4", alpha=0.15, linewidth=0)
    ax.scatter(frame["difference"], y, s=10, color="C0", alpha=0.5, linewidth=0)
    ax.plot(means, range(len(means)), "|", color="0.4", markersize=11, markeredgewidth=2)
    ax.set_yticks(range(len(means)), means.index)
    ax.set(xlabel="average precision of a topic, LSI − TF-IDF", ylabel="")
    sns.despine(ax=ax)
    return ax


def by_newsgroup(out: Output) -> Section:
    """Show the topics, and what a new newsgroup would be like."""
    table = pair().populations()
    shown = table[["population"]].join(verdicts(table, "LSI − TF-IDF"))
    better = (differences()["difference"] > 0).mean()
    blocks = [
        prose(
            """LSI is better than TF-IDF in average precision on {better} of the topics. The
            topics of one newsgroup resemble each other. What holds for new topics of these
            newsgroups need not hold for another newsgroup: that is a question about a
            new data set, and its interval is wider.""",
            better=percent(float(better)),
        ),
        out.figure("topics", topics_plot, "Every topic; bars are means, the band is the ROPE."),
        out.table("populations", shown, "The difference in each population.", numbers=table),
        pair(population="datasets").sentence(),
    ]
    return Section("Topic by topic, and a new newsgroup", blocks)


def planned(out: Output) -> Section:
    """Show how many more topics it would take where nothing is settled."""
    result = contested("nDCG@10").between("BM25", "TF-IDF")
    plan = result.plan()
    figure = out.figure("plan", plan.plot, "The chance of a settled verdict in nDCG@10.")
    return Section("How many more topics?", [result.sentence(), str(plan), figure])


def build(folder: Path = HERE) -> None:
    """Write the tables, the figures and the page."""
    write_report(ABOUT, (systems, beside_tests, by_newsgroup, planned), folder)
