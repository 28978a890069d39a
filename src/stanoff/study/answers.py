"""What a study says first: a verdict on every system and data set, and a figure of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from stanoff._lib.arguments import Interval
from stanoff.inference.decision import Decision
from stanoff.plots import style
from stanoff.study.cache import StudyResult
from stanoff.study.tables import MIRRORED
from stanoff.text.tables import DECISION_SYMBOLS

LEADS = "best"
MAX_ROWS = 60  # of the figure
SYMBOLS = {symbol: Decision(text) for text, symbol in DECISION_SYMBOLS.items()}


class Answer(NamedTuple):
    """How good a system is on a data set and whether the leader is better; or how two differ.

    Attributes
    ----------
    measure, data, label : str
        What is judged, on what, and the system, or both systems of a comparison.
    mean, low, high : float
        The posterior mean of the score or of the difference, and its HDI.
    text : str
        The mean as text.
    symbol : str
        The verdict: of a system against the leader, who has none.
    can_be_best : bool
        Whether no system is significantly better.
    slug : str
        How the page is called that has more.
    is_difference : bool
        Whether it is about two systems.
    """

    measure: str
    data: str
    label: str
    mean: float
    low: float
    high: float
    text: str
    symbol: str
    can_be_best: bool
    slug: str
    is_difference: bool


def list_answers(results: Sequence[StudyResult]) -> list[Answer]:
    """List the answers of contests, and of comparisons that belong to none.

    Results that decide on no row, because they have several categories and no average, have none.
    """
    decided = [result for result in results if result.category]
    contests = [result for result in decided if result.is_contest]
    pairs = [result for result in decided if not result.is_contest]
    in_contests = {(result.data, result.measure) for result in contests}
    answers = [answer for contest in contests for answer in _of_contest(contest, pairs)]
    name_model = len({pair.model for pair in pairs}) > 1
    alone = (pair for pair in pairs if (pair.data, pair.measure) not in in_contests)
    return answers + [_of_pair(pair, name_model=name_model) for pair in alone]


def _of_contest(contest: StudyResult, pairs: Sequence[StudyResult]) -> Iterator[Answer]:
    numbers = contest.summary[contest.summary["category"] == contest.category]
    cells = contest.rows_of(contest.category)
    leader = numbers["system"].iloc[0]
    against_leader = {}
    for pair in pairs:
        if (pair.data, pair.measure) == (contest.data, contest.measure) and leader in pair.systems:
            symbol = decision_symbol(pair)
            other = pair.b if pair.a == leader else pair.a
            against_leader[other] = MIRRORED[symbol] if pair.a == leader else symbol
    for row, text in zip(numbers.to_dict("records"), cells[contest.measure], strict=True):
        yield Answer(
            contest.measure,
            contest.data,
            row["system"],
            *(row["psi"], row["hdi_low"], row["hdi_high"]),
            text,
            against_leader.get(row["system"], ""),
            can_be_best=row["tier"] == 1,
            slug=contest.slug,
            is_difference=False,
        )


def _of_pair(pair: StudyResult, *, name_model: bool) -> Answer:
    [row] = pair.summary[pair.summary["category"] == pair.category].to_dict("records")
    model = f" ({pair.model})" if name_model else ""
    return Answer(
        pair.measure,
        pair.data,
        f"{pair.a} − {pair.b}{model}",
        *(row["mean"], row["hdi_low"], row["hdi_high"]),
        pair.rows_of(pair.category)["mean"].iloc[0],
        decision_symbol(pair),
        can_be_best=False,
        slug=pair.slug,
        is_difference=True,
    )


def decision_symbol(result: StudyResult) -> str:
    """Return the decision, or how often each was made where no row is decided upon."""
    if result.category:
        return str(result.rows_of(result.category)["decision"].iloc[0])[0]
    symbols = [cell[0] for cell in result.cells["decision"]]
    return ", ".join(f"{symbols.count(s)} {s}" for s in MIRRORED if s in symbols)


def answer_tables(answers: Sequence[Answer]) -> dict[tuple[str, bool], dict[str, Any]]:
    """Group answers into tables: by measure and kind, then by row and data set."""
    tables: dict[tuple[str, bool], dict[str, Any]] = {}
    for answer in answers:
        table = tables.setdefault((answer.measure, answer.is_difference), {})
        table.setdefault(answer.label, {})[answer.data] = answer
    return tables


@style.themed
def plot_answers(
    answers: Sequence[Answer], rope: Interval | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the scores of systems, or differences, with HDIs, data set by data set.

    Parameters
    ----------
    answers : sequence of Answer
        Of one measure and one kind.
    rope : tuple of float, optional
        The ROPE of differences.
    ax : Axes, optional
        Where to draw; a new figure by default.
    """
    table = pd.DataFrame(answers[:MAX_ROWS])
    data_sets = list(dict.fromkeys(table["data"]))
    # A line above the rows of every data set has its name.
    table["y"] = table.index + table["data"].map({name: i for i, name in enumerate(data_sets)})
    ax = ax or style.new_axes(height=1.6 + 0.2 * (len(table) + len(data_sets)))
    handles: list[Any] = []
    for symbol, rows in table.groupby("symbol", sort=False):
        color, marker, filled, label = "black", "D", True, LEADS
        if symbol:
            decision = SYMBOLS[str(symbol)]
            color, marker, filled = style.DECISION_STYLE[decision]
            label = style.decision_label(decision)
        look: dict[str, Any] = {"color": color, "marker": marker, "linestyle": "none"}
        look |= {"markerfacecolor": color if filled else "white", "markersize": 5}
        ax.hlines(rows["y"], rows["low"], rows["high"], color=color, linewidth=1.5)
        ax.plot(rows["mean"], rows["y"], zorder=3, **look)
        handles.append(Line2D([], [], label=label, **look))
    if answers[0].is_difference:
        ax.axvline(0, color=style.GREEN, linestyle="--", linewidth=1.2, zorder=1)
        if rope is not None:
            ax.axvspan(*rope, color=style.GREY, alpha=0.13, linewidth=0, zorder=0)
            handles.append(style.rope_patch("ROPE"))
    letters = style.name_letters(ax)
    ax.set_yticks(table["y"], [style.clean(label, letters) for label in table["label"]])
    ax.set(ylim=(table["y"].max() + 0.7, -0.7 if len(data_sets) < 2 else -1.7))
    ax.tick_params(axis="y", length=0)
    if len(data_sets) > 1:
        for name, first in table.groupby("data", sort=False)["y"].min().items():
            heading = style.clean(str(name), 60)
            transform = ax.get_yaxis_transform()
            ax.text(0.01, first - 1, heading, va="center", fontweight="bold", transform=transform)
    kind = "difference in " if answers[0].is_difference else ""
    ax.set_xlabel(style.wrap_label(ax, style.clean(f"{kind}{answers[0].measure}")))
    style.legend_above(ax, handles, ncols=3)
    return ax
