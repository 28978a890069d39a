"""The verdict in words, generated from the numbers it states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.escaping import shown
from stanoff.data.folds import DatasetFolds, FoldValues
from stanoff.data.types import AVERAGES, Data
from stanoff.inference.decision import Decision, rope_flips
from stanoff.inference.populations import NEW
from stanoff.measures import MulticlassMeasure
from stanoff.models import describe_population
from stanoff.text.numbers import (
    digits_for,
    format_interval,
    format_level,
    half_width,
    percent,
    signed,
)
from stanoff.text.tables import (
    PERHAPS,
    PROBABLY,
    SYMBOLS,
    evidence_table,
    format_table,
)

if TYPE_CHECKING:
    from stanoff.inference.decision import Claim
    from stanoff.inference.evidence import Evidence
    from stanoff.inference.ranking import Ranking
    from stanoff.inference.sensitivity import Sensitivity
    from stanoff.results.base import Result
    from stanoff.results.comparison import Comparison
    from stanoff.results.contest import Contest, Pairs

Decisions = NDArray[np.str_]
MAX_NAMES = 5  # in a sentence
UNRESOLVED = (
    "An end of the HDI lies within Monte-Carlo error of the ROPE's: another seed could give "
    "another decision, and more draws may tell."
)
UNRESOLVED_PAIR = f"For a pair with the leader an{UNRESOLVED.removeprefix('An')}"


def join_names(names: Sequence[str], max_names: int = MAX_NAMES) -> str:
    """Join names to a list in words; of very many, say how many more there are.

    Examples
    --------
    >>> join_names(["a"]), join_names(["a", "b", "c"]), join_names(["a", "b", "c"], max_names=2)
    ('a', 'a, b and c', 'a, b and 1 more')
    """
    words = list(names)
    if len(names) > max_names:
        words = [*names[:max_names], f"{len(names) - max_names} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def describe_documents(result: Any, category: str | None = None) -> str:
    """Say how many documents a comparison or contest, or one category of it, rests on."""
    sizes = result.data.n_documents(category)
    if not result.is_pair:
        return format_range(result.data, sizes)
    n_a, n_b = result.n_documents(category)
    count = result.data.format_count(n_a)
    a, b = map(shown, result.names)
    if result.data.alike(*result.pair):
        return f"{count}, on {'which' if n_a == 1 else 'all of which'} {a} and {b} agree"
    return count if len(sizes) == 1 else f"{count} of {a} and {n_b:,} of {b}"


def format_range(data: Data, sizes: Sequence[int]) -> str:
    """Write how many documents there are where systems or pairs do not have the same."""
    count = data.format_count(max(sizes))
    return count if min(sizes) == max(sizes) else f"{min(sizes):,} to {count}"


def describe_dependence(data: Data) -> str:
    """Say how documents, or test folds, are taken to hang together."""
    if isinstance(data, FoldValues) and not isinstance(data, DatasetFolds):
        return f"correlated by {data.rho:.3g} from fold to fold"
    return "independent of each other"


def describe_score(result: Result, category: str) -> str:
    """Name the score: its measure, and the average or the category it is of."""
    label = result.measure_label
    population = describe_population(result.model, result.data)
    over = f" over {population}" if population else ""
    if category == NEW:
        return f"{label} on {NEW}"
    if category not in result.data.categories and not isinstance(result.measure, MulticlassMeasure):
        return f"{category}-averaged {label}{over}"
    binary = result.categories in (("1",), ("True",))  # and nothing else is meant
    if population or binary or category not in result.data.categories:
        return f"{label}{over}"
    return f"{label} on category {shown(category)}"


def describe_rope_and_direction(result: Result) -> list[str]:
    """Say what the ROPE is a share of, and which way is better if that is down."""
    of, share = result.question.rope_of, f"{100 * result.question.rope[1]:g}%"
    sentences = [] if of is None else [f"The ROPE is {share} of the observed {of}."]
    return sentences + describe_direction(result)


def describe_direction(result: Result) -> list[str]:
    """Say which way is better, if that is down."""
    return [] if result.measure.higher_is_better else ["Lower is better for this measure."]


# ------------------------------------------------------------------------------- two systems


def describe_verdict(result: Comparison, evidence: Evidence) -> str:
    """Describe the decision in words that neither noise nor the sign of the mean contradicts."""
    a, b = map(shown, result.names)
    basis = f"{len(result.data.categories)} were observed"
    if evidence.category != NEW:
        basis = describe_documents(result, evidence.category)
    where = f"in {describe_score(result, evidence.category)} ({basis})"
    decision = evidence.decision
    if not decision.conclusive:
        p_better, p_worse = evidence.p_greater, evidence.p_less
        if not result.measure.higher_is_better:
            p_better, p_worse = p_worse, p_better
        p, direction = max((p_better, "better"), (p_worse, "worse"))
        if p < PERHAPS or (p < PROBABLY and not evidence.direction_resolved):
            return f"{a} and {b} cannot be told apart yet {where}"
        how_sure = "probably" if p >= PROBABLY else "perhaps"
        return f"{a} is {how_sure} {direction} than {b} {where}, but this is not settled"
    better = decision is Decision.MUCH_BETTER
    expected_sign = 1 if better == result.measure.higher_is_better else -1
    if decision is not Decision.EQUIVALENT and evidence.mean * expected_sign < 0:
        side = "above" if evidence.hdi[0] >= evidence.rope[1] else "below"  # a ROPE not around 0
        return f"The difference between {a} and {b} {where} lies {side} the ROPE"
    return f"{a} is {decision.words} {b} {where}"


def describe_comparison(result: Comparison, evidence: Evidence) -> str:
    """Describe the verdict, the estimate and what it rests on; then what to be wary of."""
    d = digits_for(evidence.std)
    sentence = (
        f"{describe_verdict(result, evidence)}: "
        f"under the {shown(result.model.name)} model the difference is {signed(evidence.mean, d)}, "
        f"with a {format_level(evidence.hdi_prob)} HDI of {format_interval(evidence.hdi, d)}; it "
        f"lies below, inside and above the ROPE {format_interval(evidence.rope)} with probability "
        f"{_masses(evidence)}."
    )
    unresolved = [] if evidence.decision_resolved else [UNRESOLVED]
    return " ".join(
        [sentence, *unresolved, *describe_rope_and_direction(result), *result.sampler_warnings]
    )


def describe_groups(result: Result) -> str:
    """Say of which groups of the documents the verdict is which, two systems or more."""
    verdicts: dict[str, list[str]] = {}
    basis = "Each group is judged by itself"
    for name, group in result.groups.items():
        size = group.data.format_count(max(group.data.n_documents()))
        verdicts.setdefault(_verdict_on_group(group), []).append(f"{shown(name)} ({size})")
        if group.model.name != result.model.name:
            basis = f"Groups learn from each other under the {shown(group.model.name)} model"
    listed = "; ".join(f"{verdict} in {join_names(names)}" for verdict, names in verdicts.items())
    return f"By {shown(result.by)}, {listed}. {basis}."


def _verdict_on_group(group: Any) -> str:
    """Say in a few words who is better in a group, or can be the best in it."""
    if not group.is_pair:
        return f"{join_names([shown(name) for name in group.best()])} can be the best"
    if not group.decision.conclusive:
        return "the verdict is not settled"
    a, b = map(shown, group.names)
    return f"{a} is {group.decision.words} {b}"


def describe_next_dataset(evidence: Evidence) -> str:
    """Say where the difference is likely to be on the next data set."""
    where = f"below, inside and above the ROPE with probability {_masses(evidence)}"
    return f"On the next data set the difference lies {where}."


def _masses(evidence: Evidence) -> str:
    masses = (evidence.p_below, evidence.p_rope, evidence.p_above)
    return join_names([percent(probability) for probability in masses])


def describe_training_sets(documents: Evidence, folds: Evidence) -> str:
    """Say what the folds say of new training sets, and whether that is less certain."""
    d = digits_for(folds.std)
    difference = f"{signed(folds.mean, d)}, with an HDI of {format_interval(folds.hdi, d)}"
    return (
        "Over new training sets of this size, by the scores of the folds, the difference is "
        f"{difference}, which is {'wider' if folds.std > documents.std else 'narrower'}."
    )


def describe_best_next(systems: Sequence[str], p_best: Sequence[float]) -> str:
    """Say which systems are likely to be the best on the next data set."""
    order = np.argsort(-np.asarray(p_best), kind="stable")[:MAX_NAMES]
    names = _are([shown(systems[i]) for i in order])
    shares = join_names([percent(p_best[i]) for i in order])
    return f"On the next data set {names} the best with probability {shares}."


def _are(names: Sequence[str]) -> str:
    """Name the subject of a clause, with its verb."""
    return f"{join_names(names)} {'is' if len(names) == 1 else 'are'}"


def describe_rope_flips(result: Comparison, evidence: Evidence) -> str:
    """Describe at which widths of the ROPE the decision would be another one."""
    flips = rope_flips(evidence, higher_is_better=result.measure.higher_is_better)
    if not flips:
        return "No other width of the ROPE would change it."
    middle = (evidence.rope[0] + evidence.rope[1]) / 2
    around = f" around {middle:+g}" if abs(middle) > 1e-12 else ""
    before = [decision for _, decision, _ in flips]
    passed = before.index(evidence.decision) if evidence.decision in before else len(flips)
    changes = [(width, "narrower", decision) for width, decision, _ in reversed(flips[:passed])]
    changes += [(width, "wider", decision) for width, _, decision in flips[passed:]]
    texts: list[str] = []
    for width, side, decision in changes:
        rope = f"{half_width(width, digits_for(evidence.std))}{around} or {side}"
        begin = f"with {rope}," if texts else f"With a ROPE of {rope} the decision would be"
        texts.append(f"{begin} {decision.symbol}")
    return "; ".join(texts) + "."


def comparison_caption(result: Comparison, categories: Sequence[str]) -> str:
    """Describe in a caption what was compared."""
    a, b = result.names
    [*others, last] = categories
    score = result.measure_label if others else describe_score(result, last)
    return f"{a} (A) against {b} (B) in {score} ({describe_documents(result)})."


def describe_rule(result: Result) -> str:
    """Name the HDI and the ROPE that judge."""
    level, rope = format_level(result.hdi_prob), format_interval(result.rope)
    return f"Judged by the {level} HDI and the ROPE {rope}."


def evidence_blocks(evidence: Evidence) -> list[str | pd.DataFrame]:
    """Show all that is said of one category: the decision, and a line for every number."""
    verdict = f"A {evidence.decision.symbol} B {_on_category(evidence.category)}."
    return [verdict, evidence_table(evidence), f"{SYMBOLS}."]


def sensitivity_blocks(sensitivity: Sensitivity) -> list[str | pd.DataFrame]:
    """Show what other priors and other ROPEs would have said, and where the decision turns."""
    d = max(map(digits_for, sensitivity.priors["std"]))

    def table(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
        return format_table(frame.to_dict("records"), columns, d)

    probabilities = ("p_below", "p_rope", "p_above", "decision")
    blocks: list[str | pd.DataFrame] = [
        f"What other priors would have said {_on_category(sensitivity.category)}:",
        table(sensitivity.priors, "prior", "mean", "std", "hdi", "p_rope", "decision"),
        "What other ROPEs would have said:",
        table(sensitivity.ropes, "half_width", *probabilities),
        *(_turn(flip, f"a ROPE of {half_width(flip[0], d + 1)}") for flip in sensitivity.flips),
    ]
    if sensitivity.correlations is not None:
        flips = sensitivity.correlation_flips
        turns = [_turn(flip, f"a correlation of {flip[0]:.3f}") for flip in flips]
        formula = "rho = n_test / (n_test + n_train)"
        blocks += [
            f"What other correlations of the folds would have said ({formula}):",
            table(sensitivity.correlations, "rho", "hdi", *probabilities),
            *(turns or ["No correlation up to 0.5 would change the decision."]),
        ]
    return [*blocks, f"{SYMBOLS}."]


def _turn(flip: tuple[float, Decision, Decision], where: str) -> str:
    _, before, after = flip
    return f"The decision turns from {before.symbol} to {after.symbol} at {where}."


def _on_category(category: str) -> str:
    names = {NEW: NEW} | {average: f"the {average} average" for average in AVERAGES}
    return f"on {names.get(category, f'category {shown(category)}')}"


def describe_claims(claims: Sequence[Claim]) -> list[str]:
    """Say whether what is claimed of the candidates is shown, and how probable it is.

    Examples
    --------
    >>> from stanoff.inference.decision import Claim
    >>> describe_claims([Claim("1", "svm", "nb", "not_worse_by", 0.01, 0.992, True)])
    ['svm is not worse than nb by more than 0.01 (P = 99.2%).']
    """
    sentences = []
    for holds, begin in ((True, ""), (False, "It is not shown that ")):
        group = [claim for claim in claims if claim.holds is holds]
        if not group:
            continue
        first = group[0]
        candidates = _are([shown(claim.candidate) for claim in group])
        better = "not worse" if first.option == "not_worse_by" else "better"
        probable = join_names([percent(claim.probability) for claim in group])
        how_probable = f"(P = {probable})".replace("= >", "> ").replace("= <", "< ")
        sentences.append(
            f"{begin}{candidates} {better} than {shown(first.baseline)} by more than "
            f"{first.margin:g} {how_probable}."
        )
    return sentences


# ------------------------------------------------------------------------------- many systems


def describe_contest(result: Contest, category: str) -> str:
    """Describe who leads, who may be as good, who is worse, and what is not settled."""
    ranking = result.ranking(category)
    best = [i for i in ranking.order if ranking.tier[i] == 1]
    others = [i for i in ranking.order if ranking.tier[i] > 1]
    names = [shown(name) for name in result.systems]
    head, rest = _among_the_best(names, ranking, best)
    unresolved = [] if result.decision_resolved(category) else [UNRESOLVED_PAIR]
    where = f"{describe_score(result, category)} ({describe_documents(result, category)})"
    few = best[:MAX_NAMES]
    near, first = (
        join_names([percent(float(p[i])) for i in few])
        for p in (ranking.p_within_rope_of_best, ranking.p_best)
    )
    sentences = [
        f"{head} in {where}{rest}{_the_others(names, ranking.decisions, best, others)}.",
        f"Under the {describe_contest_model(result)} {_are([names[i] for i in few])} within the "
        f"ROPE {format_interval(result.rope)} of the best with probability {near}, and the best "
        f"with {first}.",
        *unresolved,
        *describe_rope_and_direction(result),
    ]
    return " ".join([*sentences, *result.sampler_warnings])


def describe_pairs(result: Pairs, category: str | None) -> str:
    """Say who is better than whom, where every pair rests on items of its own."""
    first = result.first
    sizes = [max(r.n_documents(category)) for r in result.comparisons.values()]
    better: dict[str, list[str]] = {}
    equal: list[str] = []
    for (a, b), comparison in result.comparisons.items():
        decision = comparison.evidence(category).decision
        if decision in (">>", "<<"):
            winner, loser = (a, b) if decision == ">>" else (b, a)
            better.setdefault(shown(winner), []).append(shown(loser))
        elif decision.conclusive:
            equal.append(f"{shown(a)} and {shown(b)} are practically equivalent")
    clauses = [f"{a} is significantly better than {join_names(b)}" for a, b in better.items()]
    clauses += equal
    worse = [name for losers in better.values() for name in losers]
    if open_pairs := len(sizes) - len(worse) - len(equal):
        clauses.append(f"{open_pairs} of {len(sizes)} pairs are not settled")
    unbeaten = [shown(name) for name in result.systems if shown(name) not in worse]
    against = f"No verdict goes against {join_names(unbeaten)}. " if unbeaten else ""
    row = first.resolve_category(category)
    return (
        f"Each pair of {len(result.systems)} systems is judged in {describe_score(first, row)} on "
        f"what both have answered ({format_range(first.data, sizes)}): {'; '.join(clauses)}. "
        f"{against}The pairs rest on different items: there is no joint posterior, and so there "
        "are no ranks."
    )


def describe_contest_model(result: Contest) -> str:
    """Name the model, and say whether systems learn from each other where they are ranked."""
    learning = ", with systems that learn from each other," if result.shrinks else ""
    return f"{shown(result.model.name)} model{learning}"


def _among_the_best(names: list[str], ranking: Ranking, best: list[int]) -> tuple[str, str]:
    """Say who leads, and how the others that can still be the best compare to the leader."""
    leader, *followers = best
    decisions = ranking.decisions
    if not followers:
        return f"{names[leader]} is the best of {len(names)} systems", ""
    if np.isin(decisions[np.ix_(best, best)], ("", "=")).all():
        return f"{join_names([names[i] for i in best])} are practically equivalent", ""
    alike = [i for i in followers if decisions[leader, i] == "="]
    undecided = [i for i in followers if i not in alike]
    close = [i for i in undecided if ranking.better[leader, i] < PROBABLY]
    behind = [i for i in undecided if i not in close]
    rest = ""
    if alike:
        rest += f"; {_are([names[i] for i in alike])} practically equivalent to it"
    if close:
        rest += f"; {join_names([names[i] for i in close])} may be as good"
    if behind:
        worse = "probably worse, but whether by more than the ROPE is not settled"
        rest += f"; {_are([names[i] for i in behind])} {worse}"
    return f"{names[leader]} leads", rest


def _the_others(names: list[str], decisions: Decisions, best: list[int], others: list[int]) -> str:
    """Say that the others are worse, and than whom."""
    if not others:
        return ""
    who = _are([names[i] for i in others])
    if len(others) > MAX_NAMES:
        who = f"the other {len(others)} are"
    if (decisions[np.ix_(best, others)] == ">>").all():
        return f"; {who} significantly worse"
    singly = "" if len(others) == 1 else " each"
    return f"; {who}{singly} significantly worse than at least one system"


def contest_caption(result: Contest, category: str) -> str:
    """Describe in a caption what was compared."""
    what = f"{len(result.systems)} systems in {describe_score(result, category)}"
    return f"{what} ({describe_documents(result, category)})."
