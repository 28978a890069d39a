"""What a study says first: a verdict on every system and data set, and a figure of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from stanoff.study.cache import StudyResult
from stanoff.study.tables import MIRRORED


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
