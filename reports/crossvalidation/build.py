"""Five classifiers on four data sets, cross-validated: verdicts beside the classical tests."""

from itertools import combinations
from pathlib import Path

import pandas as pd
from common import REPORTS, About, Output, prose, write_report

from stanoff import Comparison, Contest, compare, contest
from stanoff.report.document import Section
from stanoff.significance import all_tests, friedman_test
from stanoff.text.numbers import format_interval, p_value, percent

HERE = REPORTS / "crossvalidation"
ROPE, SEED, DATASET = 0.01, 31, "breast cancer"
PAIR = ("logistic", "forest")
COLUMNS = {"system": "system", "value": "accuracy", "fold": "fold", "repeat": "repeat"}
OPTIONS = {"metric": "accuracy", "rope": ROPE, "seed": SEED}
ABOUT = About(
    title="Five classifiers, cross-validated",
    subtitle="Nearest centroid, 1-NN, a stump, logistic regression and a small random forest on "
    "four data sets that scikit-learn brings along",
    heading="Classifiers, cross-validated",
    text="Accuracies on the test folds of five classifiers: two of them, all of them, and on "
    "several data sets, beside the tests of Nadeau and Bengio, Alpaydin, Wilcoxon and Friedman.",
    figure="scores",
    caption=f"Accuracy of the five classifiers on {DATASET}, over new training sets of this size.",
)


def scores(scheme: str = "10x3") -> pd.DataFrame:
    """Read the scores of ten folds, three times (``"10x3"``), or of two, five times (``"2x5"``)."""
    return pd.read_csv(HERE / "scores.csv").query("scheme == @scheme").drop(columns="scheme")


def on(dataset: str, scheme: str = "10x3") -> pd.DataFrame:
    """Return the scores on one data set."""
    return scores(scheme).query("dataset == @dataset").drop(columns="dataset")


def two(dataset: str, a: str, b: str, scheme: str = "10x3") -> Comparison:
    """Compare two classifiers on one data set."""
    return compare(on(dataset, scheme), a=a, b=b, **COLUMNS, **OPTIONS)


def held() -> Contest:
    """Hold the contest of all classifiers on one data set."""
    return contest(on(DATASET), **COLUMNS, **OPTIONS)


def systems(out: Output) -> list[Section]:
    """Show two classifiers, and all of them."""
    pair, result = two(DATASET, *PAIR), held()
    first = [
        pair.sentence(),
        out.figure("posterior", pair.plot_posterior, "The difference on new training sets."),
    ]
    every = [
        result.sentence(),
        out.table(
            "contest",
            result.table(),
            f"The contest in accuracy, with a ROPE of ±{ROPE}.",
            numbers=result.summary(),
        ),
        out.figure("scores", result.plot_scores, ABOUT.caption),
    ]
    return [Section(f"Two classifiers on {DATASET}", first), Section("All classifiers", every)]


def beside_tests(out: Output) -> Section:
    """Show every pair on every data set beside the corrected t and the 5x2cv F."""
    rows, numbers = [], []
    frame = scores()
    for dataset in frame["dataset"].unique():
        for a, b in combinations(frame["system"].unique(), 2):
            pair, halves = two(dataset, a, b), two(dataset, a, b, "2x5")
            said = pair.evidence()
            p = {test.test: test.p_value for test in (*all_tests(pair.data), *_five_by_two(halves))}
            row = {"data set": dataset, "A": a, "B": b, "decision": said.decision.symbol}
            numbers.append(
                row
                | {"mean": said.mean, "low": said.hdi[0], "high": said.hdi[1]}
                | {"p_rope": said.p_rope, **p}
            )
            rows.append(
                {"data set": dataset, "A": a, "B": b, "A − B": f"{said.mean:+.3f}"}
                | {"95% HDI": format_interval(said.hdi, 3), "in the ROPE": percent(said.p_rope)}
                | {"decision": said.decision.symbol}
                | {name: p_value(x) for name, x in p.items()}
            )
    table = pd.DataFrame(numbers)
    open_ = table["decision"].isin([">", "<"])
    text = prose(
        """The corrected t-test has the same scale as the verdict: where it is significant at 5%,
        the 95% interval leaves 0 out. Of {pairs} pairs it finds {significant} significant, the
        5x2cv F-test {halves}, which trains on half of the documents. {open} pairs are not
        settled.""",
        pairs=len(table),
        significant=int((table["corrected t-test"] < 0.05).sum()),
        halves=int((table["5x2cv F-test"] < 0.05).sum()),
        open=int(open_.sum()),
    )
    caption = f"Every pair with a ROPE of ±{ROPE}, and p-values of two tests; ⋆: p < 0.05."
    shown = out.table("pairs", pd.DataFrame(rows), caption, numbers=table, row_headings=False)
    return Section("Every pair, beside the usual tests", [text, shown])


def _five_by_two(pair: Comparison) -> list:
    return [test for test in all_tests(pair.data) if test.test == "5x2cv F-test"]


def several(out: Output) -> Section:
    """Show what four data sets tell about others."""
    data = {**COLUMNS, "dataset": "dataset"}
    careful = {"sampler_options": {"adapt_delta": 0.99}}  # four data sets make the sampler stumble
    pair = compare(scores(), a=PAIR[0], b=PAIR[1], **data, **OPTIONS, **careful)
    means = scores().groupby(["dataset", "system"])["accuracy"].mean().unstack()
    (wilcoxon,) = all_tests(pair.data)
    friedman = friedman_test(means, measure="accuracy")
    table = pair.datasets()
    interval = [
        format_interval(hdi, 3) for hdi in zip(table["hdi_low"], table["hdi_high"], strict=True)
    ]
    shown = pd.DataFrame(
        {
            "data set": table["dataset"],
            "observed": [f"{x:+.3f}" for x in table["observed"]],
            "drawn to the others": [f"{x:+.3f}" for x in table["mean"]],
            "95% HDI": interval,
        }
    )
    blocks = [
        "Four data sets are few: they tell little of a fifth.",
        pair.sentence(),
        out.table("datasets", shown, "The difference on each data set, A − B.", numbers=table),
        f"{wilcoxon} With four data sets its p-value cannot be smaller than 0.125.",
        f"Of all five classifiers: {friedman}",
    ]
    return Section("Several data sets", blocks)


def build(folder: Path = HERE) -> None:
    """Write the tables, the figures and the page."""
    write_report(ABOUT, (systems, beside_tests, several), folder)
