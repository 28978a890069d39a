"""Four search systems on 20newsgroups: who is best, how surely, and what classical tests say."""

from itertools import combinations
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from common import About, Output, prose, write_report
from matplotlib.axes import Axes

from stanoff import Comparison, Contest, Decision, compare, contest, plots
from stanoff.report.document import Section
from stanoff.significance import item_tests
from stanoff.text.numbers import format_interval, p_value, percent

HERE = Path(__file__).resolve().parent
MEASURES = ("AP", "nDCG@10", "P@10")
NAMES = {"bm25": "BM25", "tfidf": "TF-IDF", "lsi": "LSI", "lm": "LM"}
ROPE, SEED = 0.01, 17
SHORT = {
    "paired t-test": "t-test",
    "Wilcoxon": "Wilcoxon",
    "sign test": "sign",
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


def held(measure: str) -> Contest:
    """Hold the contest of all systems."""
    long = {"item": "topic", "system": "system", "value": measure}
    return contest(values(), measure="mean", rope=ROPE, seed=SEED, **long)


def systems(out: Output) -> list[Section]:
    """Show the contest in every measure."""
    frame = values()
    means = frame.groupby("system")[list(MEASURES)].mean().loc[list(NAMES.values())]
    first = Section(
        "The systems",
        [
            prose(
                """The collection are the {documents:,} posts of the training set of 20newsgroups
                without headers, footers and quotes. The topics are {topics} posts of the test set,
                {each} of every newsgroup. A post is relevant to a topic if it is from the same
                newsgroup. ir-measures computed the values; only these are kept.""",
                documents=11_314,
                topics=frame["topic"].nunique(),
                each=12,
            ),
            out.table(
                "means",
                means.map("{:.3f}".format).rename_axis("system").reset_index(),
                "Mean over the topics.",
                numbers=means,
            ),
        ],
    )
    sections = [first]
    for measure in MEASURES:
        result = held(measure)
        name = measure.split("@")[0].lower()
        blocks = [
            result.sentence(),
            out.table(
                f"contest_{name}",
                result.table().rename(columns={"mean": measure}),
                f"The contest in {measure}, with a ROPE of ±{ROPE}.",
                numbers=result.summary(),
            ),
        ]
        if measure == "AP":
            blocks += [
                out.figure("scores", result.plot_scores, ABOUT.caption),
                out.figure(
                    "matrix", result.plot_matrix, "The verdict on every pair in average precision."
                ),
            ]
        sections.append(Section(f"The contest in {measure}", blocks))
    return sections


def beside_tests(out: Output) -> Section:
    """Show every pair beside the classical tests."""
    rows, numbers = [], []
    for measure in MEASURES:
        result = held(measure)
        for a, b in combinations(result.systems, 2):
            pair = result.between(a, b)
            said, tests = pair.evidence(), item_tests(pair.data, seed=SEED)
            p = {outcome.test: outcome.p_value for outcome in tests}
            rows.append(
                {
                    "measure": measure,
                    "A": a,
                    "B": b,
                    "A − B": f"{said.mean:+.3f}",
                    "95% HDI": format_interval(said.hdi, 3),
                    "in the ROPE": percent(said.p_rope),
                    "decision": said.decision.symbol,
                    **{SHORT[test]: p_value(x) for test, x in p.items()},
                }
            )
            numbers.append(
                {"measure": measure, "a": a, "b": b, "mean": said.mean, "low": said.hdi[0]}
                | {"high": said.hdi[1], "p_rope": said.p_rope, "decision": str(said.decision)}
                | p
            )
    frame = pd.DataFrame(numbers)
    alike = (frame["decision"] == "=") & (frame["paired t-test"] < 0.05)
    blocks = [
        prose(
            """The paired t-test, Wilcoxon's, the sign test and the randomization test ask
            whether there is any difference. The verdict asks whether it matters. In
            {alike} of {pairs} pairs the t-test finds a significant difference that is
            practically equivalent to none; no p-value can say that two systems are
            equivalent.""",
            alike=int(alike.sum()),
            pairs=len(frame),
        ),
        out.table(
            "pairs",
            pd.DataFrame(rows),
            f"Every pair with a ROPE of ±{ROPE}, and p-values of four tests; ⋆: p < 0.05. LM: "
            "the language model.",
            numbers=frame,
        ),
    ]
    return Section("Every pair, beside the usual tests", blocks)


def pair(**more: object) -> Comparison:
    """Compare latent semantic indexing with TF-IDF in average precision."""
    long = {"item": "topic", "system": "system", "value": "AP", "dataset": "newsgroup"}
    asked = {"a": "LSI", "b": "TF-IDF", "measure": "mean", "rope": ROPE, "seed": SEED}
    return compare(values(), **long, **asked, **more)


def differences() -> pd.DataFrame:
    """Return the difference of average precision of every topic, LSI less TF-IDF."""
    wide = values().pivot(index=["newsgroup", "topic"], columns="system", values="AP")
    return (wide["LSI"] - wide["TF-IDF"]).rename("difference").reset_index()


@plots.theme()
def topics_plot() -> Axes:
    """Draw the difference on every topic, by newsgroup."""
    _, ax = plt.subplots(figsize=(6.5, 5.5), layout="constrained")
    frame = differences()
    order = frame.groupby("newsgroup")["difference"].mean().sort_values().index
    jitter = np.random.default_rng(1).uniform(-0.2, 0.2, len(frame))
    y = pd.Categorical(frame["newsgroup"], order).codes + jitter
    ax.axvspan(-ROPE, ROPE, color="C4", alpha=0.25, linewidth=0)
    ax.scatter(frame["difference"], y, s=10, color="C0", alpha=0.5, linewidth=0)
    means = frame.groupby("newsgroup")["difference"].mean()[order]
    ax.plot(means, range(len(order)), "|", color="0.4", markersize=11, markeredgewidth=2)
    ax.set_yticks(range(len(order)), order)
    ax.set(xlabel="average precision of a topic, LSI − TF-IDF", ylabel="")
    sns.despine(ax=ax)
    return ax


def by_newsgroup(out: Output) -> Section:
    """Show the topics, and what a new newsgroup would be like."""
    table = pair().populations()
    shown = pd.DataFrame(
        {
            "population": table["population"],
            "LSI − TF-IDF": [f"{x:+.3f}" for x in table["mean"]],
            "95% HDI": [
                format_interval((low, high), 3)
                for low, high in zip(table["hdi_low"], table["hdi_high"], strict=True)
            ],
            "in the ROPE": [percent(p) for p in table["p_rope"]],
            "decision": [Decision(said).symbol for said in table["decision"]],
        }
    )
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
        out.table("populations", shown, "What the same values say of.", numbers=table),
        pair(population="datasets").sentence(),
    ]
    return Section("Topic by topic, and a new newsgroup", blocks)


def planned(out: Output) -> Section:
    """Show how many more topics it would take where nothing is settled."""
    result = held("nDCG@10").between("BM25", "TF-IDF")
    plan = result.plan()
    blocks = [
        result.sentence(),
        str(plan),
        out.figure("plan", plan.plot, "The chance of a settled verdict in nDCG@10."),
    ]
    return Section("How many more topics?", blocks)


def build(folder: Path = HERE) -> None:
    """Write the tables, the figures and the page."""
    write_report(ABOUT, (systems, beside_tests, by_newsgroup, planned), folder)
