"""The first part of the page: what the printed scores of 1999 give."""

import pandas as pd
from common import Output, prose, verdicts

from stanoff.report.document import Items, Paragraph, Section, joined, link
from stanoff.text.numbers import p_value, percent
from yang1999 import published

LEGEND = prose("""≫ and ≪ mean p ≤ 0.01, > and < mean p ≤ 0.05, ∼ means p > 0.05; p-values are
    one-sided, on the side that the data lean to, as in the paper.""")

ASSIGNMENTS = """Recall, precision and error rate together give away how many true
    assignments there were: {each}. All five rows agree on about {mean:,.0f}, and with that
    number the pooled tp, fp, fn and tn of each classifier are known up to rounding. That is
    all the p-test needs, and the unpaired Bayesian model too; which decisions two
    classifiers share is not known, so neither the s-test nor a paired model can be rebuilt
    from print."""

LOST = """Our text of the paper has lost every ≫ and every < of this table, so that only
    {legible} of its 30 signs are legible. With the same signs struck out, {agree} of 10
    rows of the rebuilt table read as the printed one does. The other {lost} signs cannot be
    checked, except that the paper orders the classifiers by error as {{SVM, kNN}} > LLSF >
    NNet ≫ NB, as the table does."""

UNPAIRED = """Each pair is judged again by the unpaired model: prevalence, recall and
    false-positive rate of both classifiers under uniform priors, 50,000 exact draws. The
    region of practical equivalence (ROPE) is ±0.01 for recall, precision and F1, and
    ±0.0005 for the error rate, about an eighth of it. In this table ≫ means that A is
    better, in error too. The mean and the HDI are of the value of A minus that of B."""

WORDS = """“Sure” means significant, and that the HDI lies outside the ROPE; “perhaps too small”,
    that the HDI reaches into the ROPE; “open”, that neither way decides."""

DIFFERENCE = """The two agree on how sure one can be of the direction: the posterior
    probability of the side that the data do not lean to is never more than {far:.4f} away
    from the one-sided p-value. They disagree on size. A difference can be significant at 0.01
    while its HDI still reaches into the ROPE: the test says ≪, the model <. B is ahead, but
    perhaps by too little to matter."""

F1 = """F1 is no proportion, so there is no p-test of it. The posterior has it all the same:
    {sure} of 10 pairs differ in F1 by more than the ROPE for sure."""


def scores(out: Output) -> Section:
    """Rebuild Table 3 from the printed scores."""
    table3 = published.table3(published.judged())
    estimates = published.assignments()
    legible = len("".join(published.LEGIBLE_TABLE3.values()))
    by_method = ", ".join(f"{name} {value:,.0f}" for name, value in estimates.items())
    agree = (table3["without ≫ and <"] == table3["legible in 1999"]).sum()
    blocks = [
        joined(
            [
                "The paper prints recall, precision, F1 and error of five classifiers on "
                f"{published.DOCUMENTS:,} test documents and {published.CATEGORIES} categories (",
                link("its Table 1", "printed/table1.csv"),
                f"). {prose(ASSIGNMENTS, each=by_method, mean=estimates.mean())}",
            ]
        ),
        out.table(
            "table3",
            table3,
            "Table 3 rebuilt: p-tests of pooled recall, precision and error. As in the paper the "
            f"signs compare values: ≪ under error is good for A. {LEGEND}",
            anchor="table3",
        ),
        Paragraph(prose(LOST, legible=legible, agree=agree, lost=30 - legible), note=True),
    ]
    return Section("From the printed scores", blocks)


def side_by_side(out: Output) -> Section:
    """Put the p-test and the posterior next to each other."""
    judged = published.judged()
    beside = {
        "pair": judged["A"] + " / " + judged["B"],
        "measure": judged["measure"],
        "p-test": judged["sign"].replace("", "none"),
        "p": judged["p_value"].map(p_value),
    }
    error = judged["measure"] == "error"
    posterior = [verdicts(judged[~error]), verdicts(judged[error], digits=4)]
    shown = pd.DataFrame(beside).join(pd.concat(posterior))
    shown["P(A better)"] = judged["p_A_better"].map(percent)
    signs = zip(judged["sign"], judged["decision"], strict=True)
    shown["together"] = [published.verdict(*both) for both in signs]
    tested = judged["sign"] != ""
    lean = judged["p_A_better"].where(judged["p_A_better"] < 0.5, 1 - judged["p_A_better"])
    f1 = judged[judged["measure"] == "F1"]
    counts = shown.loc[tested, "together"].value_counts()
    out.numbers("published_judged", judged)
    blocks = [
        prose(UNPAIRED),
        Items([f"{words}: {n} of {tested.sum()} comparisons" for words, n in counts.items()]),
        prose(WORDS),
        prose(DIFFERENCE, far=(lean - judged["p_value"]).abs().max()),
        prose(F1, sure=f1["decision"].isin(["<<", ">>"]).sum()),
        out.table(
            "published_side_by_side",
            shown,
            "P-tests and Bayesian decisions from the printed scores of 1999. Marked: where the two "
            "ways of judging disagree.",
            highlight={
                (i, "together"): "mark"
                for i, words in enumerate(shown["together"])
                if words.startswith(("significant", "only", "equal"))
            },
            anchor="side-by-side",
            folded=True,
        ),
    ]
    return Section("The p-test and the posterior, side by side", blocks)
