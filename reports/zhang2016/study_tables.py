"""All pairs of the four classifiers: the study in ``study.toml``, and a section about it."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from common import Output, as_csv, joined, link, verdicts, write_file

from stanoff.report.document import Section
from stanoff.study.config import read_study
from stanoff.study.run import build_study
from zhang2016.experiment import HERE, fitted

AVERAGES = ("macro", "micro")


def averages(out: Output) -> Section:
    """Judge the classifiers over all categories."""
    pairs = all_pairs(out.folder / "study")
    scores = {name: pairs[name].map("{:.3f}".format) for name in ("F1 of A", "F1 of B")}
    shown = pairs[["A", "B", "average"]].assign(**scores).join(verdicts(pairs, "delta"))
    flat, joint = (fitted(6, model).evidence("macro").std for model in ("paired", "joint"))
    blocks = [
        "The paper judges category by category. Over all 20 of them the same predictions "
        "settle nearly every pair. The averages come from the joint model of the true class "
        "and the four predicted ones, fitted once for all pairs: a model per category takes "
        "the categories as independent of each other, which they are not where every document "
        "has one label, and would give the macro average of the pair of Table 6 a standard "
        f"deviation of {flat:.4f} instead of {joint:.4f}.",
        out.table(
            "all_pairs", shown, "All six pairs in macro- and micro-averaged F1.", numbers=pairs
        ),
        joined(
            [
                "These numbers are those of a study: ",
                link("study.toml", "study.toml"),
                " says what is compared. “stanoff report study.toml --out study” makes a page of "
                "every pair; here only its tables are kept: ",
                link("all pairs", "study/table.md"),
                " and ",
                link("the contest", "study/contests.md"),
                ", category by category.",
            ]
        ),
    ]
    return Section("All six pairs, over all categories", blocks)


def all_pairs(folder: Path) -> pd.DataFrame:
    """Build the study elsewhere, keep its tables, and return the averages of every pair."""
    with TemporaryDirectory() as scratch:
        results = build_study(read_study(HERE / "study.toml"), Path(scratch))
        for name in ("table", "contests"):
            write_file(
                folder / f"{name}.csv", as_csv(pd.read_csv(f"{scratch}/{name}.csv")).encode()
            )
            for ending in ("md", "tex"):
                write_file(
                    folder / f"{name}.{ending}", Path(scratch, f"{name}.{ending}").read_bytes()
                )
    pairs = [result for result in results if not result.is_contest]
    tables = [x.summary.set_index("category").assign(A=x.a, B=x.b).loc[[*AVERAGES]] for x in pairs]
    columns = ["A", "B", "category", "psi_A", "psi_B", "mean", "hdi_low", "hdi_high", "p_rope"]
    names = {"category": "average", "psi_A": "F1 of A", "psi_B": "F1 of B"}
    return pd.concat(tables).reset_index()[[*columns, "decision"]].rename(columns=names)
