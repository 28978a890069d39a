"""How many documents it takes, how small a difference they can settle, and how many more."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd
import scipy

from stanoff._lib.arguments import as_seed, check_int, check_probability
from stanoff._lib.showing import ReprMixin
from stanoff.data.folds import FoldValues
from stanoff.data.items import ClusteredValues, ItemValues
from stanoff.data.scores import Scores
from stanoff.data.trained import TrainedCopies
from stanoff.data.types import Data, PairedCounts, rows
from stanoff.errors import InputError, invalid, no_option, unknown
from stanoff.inference.decision import SETTLED, Decision, Goal, as_goal, decide_all, goal_label
from stanoff.models.counts import ConjugateCounts
from stanoff.models.priors import Prior
from stanoff.options import FIT, spell_out
from stanoff.planning import simulate, text
from stanoff.planning.power import (
    MAX_N,
    SHARED,
    SharedOptions,
    as_list,
    generator_for,
    simulation_study,
    true_decision,
)
from stanoff.planning.scenario import AnyScenario, Scenario, check_scenario
from stanoff.planning.search import Search
from stanoff.planning.simulate import DECISIONS, MIN_DRAWS, N_DRAWS, N_SIMULATIONS, Analysis, Study
from stanoff.question import Sampling
from stanoff.text.numbers import rounded_documents
from stanoff.text.sentences import describe_documents, describe_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from stanoff.results.comparison import Comparison
    from stanoff.results.contest import Contest

ASSURANCE = 0.8
MAX_CONSIDERED = 1_000_000
MIN_MAX_N, GRID_FACTOR = 16, 4  # the search for a number of documents goes on by this factor
SHIFTS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4)  # logits beyond the edge of the ROPE
MAX_SHIFT = 15.0  # logits: as good as A can get
CURVE = {"documents": "n", "difference": "difference", "more documents": "more"}
N_FUTURES = 4000  # simulations of what has a closed form
OTHERS = ("one system", "all others")  # of a contest
CONTESTS = ("contest", "joint", "bootstrap", "items", "clusters")  # whose variances go as 1/n

SUMMARIZED = ItemValues | Scores | FoldValues  # data whose posteriors have a closed form

GeneratorOfMore = Callable[[int], simulate.DataGenerator]  # takes how many documents


@dataclass(frozen=True)
class Answer:
    """What it takes to reach the goal with one probability.

    Attributes
    ----------
    assurance : float
        That probability.
    value : float or None
        Documents, or the difference; None if it takes more than was considered.
    low, high : float or None
        Ends of the 95% Monte-Carlo interval of ``value``; None where that is open.
    rates : mapping
        How often each decision comes out there, or at the last point that was considered.
    """

    assurance: float
    value: float | None
    low: float | None
    high: float | None
    rates: Mapping[str, float] = field(repr=False)


@dataclass(frozen=True)
class Observed:
    """What a comparison or a contest says now, of which more documents are asked.

    Attributes
    ----------
    names : tuple of str
        What A and B are called; ``OTHERS`` in a contest.
    decision : Decision
        The decision now; in a contest on the leader and the system that is hardest to tell from it.
    documents : str
        How many documents or items there are, in words.
    judged : str
        The measure, and the category, in words.
    p_goal : float
        How probable it is that endless documents lead to the goal.
    leader : str
        Of a contest.
    """

    names: tuple[str, str]
    decision: Decision
    documents: str
    judged: str
    p_goal: float
    leader: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Plan(ReprMixin):
    """What it takes to reach a goal; ``str()`` tells it in words.

    Attributes
    ----------
    question : str
        ``"documents"``, ``"difference"`` or ``"more documents"``.
    goal : str
        Which decisions were asked for.
    answers : tuple of Answer
        One per assurance.
    curve : DataFrame
        The simulated points, each with power, its standard error and the rate of every decision.
    analysis : Analysis
        How data sets were judged.
    limit : float
        The largest number of documents, or the largest difference, that was considered.
    seed : int
        Makes the plan reproducible.
    warnings : tuple of str
        What to know before trusting the numbers.
    unit : str
        What is counted: documents, documents of each system, or items.
    scenario : Scenario or AucScenario or None
        What is taken to be true.
    n : int or None
        How many documents there are, if the question is a difference.
    observed : Observed or None
        What was observed, if the question is how many more.
    """

    question: str
    goal: str
    answers: tuple[Answer, ...]
    curve: pd.DataFrame
    analysis: Analysis
    limit: float
    seed: int
    warnings: tuple[str, ...] = ()
    unit: str = "documents"
    scenario: AnyScenario | None = None
    n: int | None = None
    observed: Observed | None = None

    @property
    def measure(self) -> str:
        """What the score is called."""
        return self.analysis.question.measure.label

    @property
    def delta(self) -> float | None:
        """The true difference, where a scenario tells it."""
        measure = self.analysis.question.measure
        return None if self.scenario is None else self.scenario.delta(measure)

    @property
    def names(self) -> tuple[str, str]:
        """What A and B are called."""
        return self.observed.names if self.observed else ("A", "B")

    @property
    def answer(self) -> Answer:
        """The answer for the least assurance that was asked for."""
        return self.answers[0]

    def summary(self) -> pd.DataFrame:
        """Return the answers in a table: assurance, value, low, high."""
        numbers = [(a.assurance, a.value, a.low, a.high) for a in self.answers]
        table = pd.DataFrame(numbers, columns=["assurance", "value", "low", "high"], dtype=float)
        whole = self.question != "difference"  # numbers of documents
        return table.astype(dict.fromkeys(["value", "low", "high"], "Int64")) if whole else table

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the curve, the assurances and where they are reached."""
        from stanoff.plots import plot_plan

        return plot_plan(self, ax=ax)

    def __str__(self) -> str:
        return text.describe_plan(self)

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        return text.plan_blocks(self)


@spell_out(SHARED)
def plan(
    scenario: AnyScenario | str,
    n: int | None = None,
    *,
    goal: Any = None,
    assurance: float | Sequence[float] = ASSURANCE,
    max_n: int = MAX_CONSIDERED,
    model: str | Path | None = None,
    measure: str | None = None,
    engine: str = "exact",
    n_simulations: int = N_SIMULATIONS,
    draws: int = N_DRAWS,
    same_documents: bool = True,
    jobs: int | None = None,
    **shared: Unpack[SharedOptions],
) -> Plan:
    """Compute how many documents a goal takes, or which difference ``n`` documents can settle.

    Parameters
    ----------
    scenario : Scenario, AucScenario or str
        What is suspected to be true; with ``n`` it tells what B is like, how common positives are
        and how alike A and B answer, while A is made better or worse.
    n : int, optional
        Documents in the test set, if the question is which difference they can settle.
    goal : object
        ``">>"``, ``"="``, ``"settled"`` or several of them; what is true in the scenario by
        default; with ``n`` it is ``">>"`` or ``"<<"``.
    assurance : float or sequence of float
        How probable it shall be that the goal is reached, one or several numbers.
    max_n : int
        The largest number of documents to consider.
    model : str or Path, optional
        Which model will judge the documents.
    measure, beta, zero_division, prevalence, rope, hdi_prob, prior, engine
        As in :func:`stanoff.power`.
    n_simulations, draws, same_documents, seed, jobs, executor, progress
        As in :func:`stanoff.power`.

    Returns
    -------
    Plan
        Its text is the answer in words, ``plot()`` a figure, ``answers`` the numbers.

    Examples
    --------
    >>> answer = plan("a", assurance=0.8, n_simulations=200, draws=1000, seed=1).answers[0]
    >>> 1500 < answer.value < 2200
    True
    """
    options = {**locals(), **shared}
    if model is not None and not isinstance(model, (str, Path)):
        raise invalid("model", "one model in a plan", model)
    suspected = check_scenario(scenario)
    study = simulation_study([suspected], options)
    study = replace(study, analyses=study.analyses[:1])
    levels = _check_assurance(assurance)
    if n is not None:
        return _plan_difference(suspected, check_int("n", n, most=MAX_N), goal, levels, study)
    largest = check_int("max_n", max_n, least=MIN_MAX_N, most=MAX_N)
    truth = true_decision(suspected, study)
    goals = as_goal(truth) if goal is None else _check_goal(goal)
    if truth not in goals:
        where = "inside the ROPE" if truth == Decision.EQUIVALENT else "beyond the ROPE"
        measured = study.question.measure
        raise InputError(
            f"The difference in {measured.label} is {suspected.delta(measured):+.4g} in this "
            f"scenario, {where}, so no number of documents leads to {goal_label(goals)!r}: ask for "
            f"{str(truth)!r}."
        )
    search = Search(lambda size: generator_for(suspected, int(size), study), study, goals)
    grid = [*(size for size in (GRID_FACTOR**i for i in range(20)) if size < largest), largest]
    return _answer("documents", search, grid, levels, limit=largest, scenario=suspected)


def _plan_difference(
    scenario: AnyScenario, n: int, goal: Any, levels: tuple[float, ...], study: Study
) -> Plan:
    """Make A better (or worse) logit by logit, beginning at the edge of the ROPE."""
    side = Decision.MUCH_BETTER if goal is None else goal
    if not isinstance(side, str) or side not in (">>", "<<"):
        raise invalid("goal", "'>>' or '<<' where n= is given", goal)
    sign = 1 if side == ">>" else -1
    rope, measure = study.question.rope, study.question.measure
    outward = sign if measure.higher_is_better else -sign
    edge = rope[outward > 0]

    def delta_at(shift: float) -> float:
        return scenario.shift_a(sign * shift).delta(measure)

    nearest, farthest = delta_at(-MAX_SHIFT), delta_at(MAX_SHIFT)
    if outward * (nearest - edge) > 0:
        raise InputError(
            f"A's difference in {measure.label} to B is {nearest:+.4g} or farther out "
            f"whatever A is like, beyond the ROPE's edge {edge:+g}, for rates of 0 and 1 cannot be "
            "moved: choose rates in between."
        )
    if outward * (farthest - edge) <= 0:
        raise InputError(
            f"However {'good' if sign > 0 else 'bad'} A gets, its difference in {measure.label} to "
            f"B stays at {farthest:+.4g}, on this side of the ROPE's edge {edge:+g}: "
            "choose another scenario or ROPE."
        )
    bounds = -MAX_SHIFT, MAX_SHIFT
    start = float(scipy.optimize.brentq(lambda shift: delta_at(shift) - edge, *bounds))

    def generator(shift: float) -> simulate.DataGenerator:
        return generator_for(scenario.shift_a(sign * (start + shift)), n, study)

    def to_delta(shift: float) -> float:
        return delta_at(start + shift)

    search, limit = Search(generator, study, as_goal(side), whole=False), to_delta(SHIFTS[-1])
    fields: Any = {"limit": limit, "scenario": scenario, "n": n}
    return _answer("difference", search, SHIFTS, levels, to_delta, **fields)


def _answer(
    question: str,
    search: Search,
    grid: Sequence[float],
    levels: tuple[float, ...],
    to_delta: Callable[[float], float] | None = None,
    unit: str = "documents",
    **fields: Any,
) -> Plan:
    """Search, and turn crossings into answers: numbers of documents, or differences."""
    crossings, counts, study = search.run(grid, levels), search.counts, search.study
    answers = []
    for level, crossing in zip(levels, crossings, strict=True):
        # The decisions are those at the nearest point that was simulated.
        x = max(counts) if crossing.value is None else crossing.value
        nearest = counts[min(counts, key=lambda point: abs(np.log(point / x)))]
        rates = {str(d): float(n / nearest.sum()) for d, n in zip(DECISIONS, nearest, strict=True)}
        scale = to_delta or rounded_documents
        value, low, high = (None if end is None else scale(end) for end in crossing)
        if low is not None and high is not None:
            low, high = sorted((low, high))  # differences may go to either side
        answers.append(Answer(level, value, low, high, rates))
    return Plan(
        question,
        goal_label(search.goal),
        tuple(answers),
        search.table(CURVE[question], to_delta or int),
        study.analyses[0],
        seed=study.seed,
        warnings=tuple(search.warnings),
        unit=unit if study.same_documents else "documents of each system",
        **fields,
    )


def _check_assurance(assurance: Any) -> tuple[float, ...]:
    """Read one assurance or several, in ascending order."""
    levels = as_list("assurance", assurance)
    return tuple(sorted({check_probability("assurance", level) for level in levels}))


def _check_goal(goal: Any) -> Goal:
    """Read a goal that more documents can bring about."""
    goals = as_goal(goal)
    if not goals <= SETTLED:
        rule = "made of '<<', '=' and '>>' in a plan: the others settle nothing"
        raise invalid("goal", rule, goal)
    return goals


def additional_samples(
    result: Comparison | Contest,
    category: str | None = None,
    *,
    goal: Any = "settled",
    assurance: float | Sequence[float] = ASSURANCE,
    max_n: int = MAX_CONSIDERED,
    n_simulations: int | None = None,
    draws: int = N_DRAWS,
    seed: int | None = None,
    jobs: int | None = None,
    executor: Any = None,
    progress: bool = False,
    **comparison_options: Any,
) -> Plan:
    """Compute how many more documents or items probably settle a comparison or a contest.

    Each simulated future draws what may be true from the posterior, adds documents to those
    observed and is judged as this one was; :class:`stanoff.Comparison` explains the options.
    """
    for name in comparison_options:
        if name not in FIT:
            raise no_option("plan", name, inspect.signature(additional_samples).parameters)
        raise InputError(
            f"The {name!r} of a plan is that of the comparison: pass it there, judge(...) by it, "
            "or use stanoff.plan(result.scenario(), ...)."
        )
    goals, levels = _check_goal(goal), _check_assurance(assurance)
    largest = check_int("max_n", max_n, least=MIN_MAX_N, most=MAX_N)
    seed = result.seed if seed is None else as_seed(seed)
    draws = check_int("draws", draws, least=MIN_DRAWS)
    n, unit = _sample_size(result.data)
    read: Any = _read_pair if result.is_pair else _read_contest
    observed, generator = read(result, category, goals, n)
    by_draws = result.is_pair and not isinstance(result.data, SUMMARIZED)
    sampling = Sampling(result.model, result.prior, "exact", 1, draws, None, seed)
    question = replace(result.question, rope=result.rope, rope_of=None)
    study = Study(
        (Analysis(question, sampling),),
        n_simulations or (N_SIMULATIONS if by_draws else N_FUTURES),
        seed,
        not by_draws or result.data.paired,
        jobs,
        executor,
        progress,
    )
    fields: Any = {"limit": largest, "observed": observed}
    if observed.decision in goals:  # no more documents are needed
        rates = {str(d): float(d == observed.decision) for d in DECISIONS}
        curve = pd.DataFrame([{"more": 0, "power": 1.0, "se": 0.0, **rates, "n_simulations": 0}])
        answers = tuple(Answer(level, 0, 0, 0, rates) for level in levels)
        asked = "more documents", goal_label(goals), answers, curve, study.analyses[0]
        return Plan(*asked, seed=seed, unit=unit, **fields)
    smallest = max(1, n // 64)
    sizes = (smallest * GRID_FACTOR**i for i in range(30))
    grid = sorted({1, largest} | {size for size in sizes if size < largest})
    search = Search(lambda more: generator(int(more)), study, goals)
    plan = _answer("more documents", search, grid, levels, unit=unit, **fields)
    if not isinstance(result.data, FoldValues):
        return plan
    return replace(plan, warnings=(*plan.warnings, _least_width(result.data, result.hdi_prob)))


def _read_contest(
    result: Contest, category: str | None, goals: Goal, n: int
) -> tuple[Observed, GeneratorOfMore]:
    """Return what a contest says of its leader now, and what draws n more documents."""
    if result.model.name not in CONTESTS:
        raise InputError(
            f"There is no plan for a contest of the model {result.model.name!r}: plan its pairs, "
            "result.between(a, b).plan()."
        )
    row = result.resolve_category(category)
    rule = result.rope, result.measure.higher_is_better
    truths, ranking = result.ranked_scores(row), result.ranking(row)
    scores = result.psi[..., result.categories.index(row)].reshape(truths.shape)
    leader, systems = ranking.order[0], len(result.systems)
    others = np.delete(ranking.decisions[leader], leader)
    weakest = min(others, key=lambda d: (Decision(d).conclusive, d == Decision.MUCH_BETTER))
    exactly = simulate.ContestPosteriors(truths, np.zeros((systems, systems)), *rule)
    p_goal = float(
        np.isin(
            decide_all(*exactly.hdi(0.5), rule[0], higher_is_better=rule[1]), list(goals)
        ).mean()
    )
    counted = result.data.format_count(max(result.data.n_documents()))
    scored, name = describe_score(result, row), result.systems[leader]
    observed = Observed(
        OTHERS, Decision(weakest), f"{counted}, {systems} systems", scored, p_goal, name
    )
    return observed, _drawing(simulate.draw_more_of_contest, (scores, truths), rule, n)


def _sample_size(data: Data) -> tuple[int, str]:
    """Return how many independent documents, items or clusters there are, and what they are."""
    if isinstance(data, ClusteredValues) and data.clusters < data.items:
        return data.clusters, "clusters"
    unit = "folds" if isinstance(data, FoldValues) else f"{data.unit}s"
    return max(data.n_documents()), unit


def _read_pair(
    result: Comparison, category: str | None, goals: Goal, n: int
) -> tuple[Observed, GeneratorOfMore]:
    """Return what a comparison says now, and what draws n more documents."""
    if not isinstance(result.data, SUMMARIZED):
        category = resolve_category(result, category)
    evidence = result.evidence(category)
    beyond = [evidence.p_above, evidence.p_below]
    better, worse = beyond if result.measure.higher_is_better else beyond[::-1]
    truths = {">>": better, "<<": worse, "=": evidence.p_rope}
    observed = Observed(
        result.names,
        evidence.decision,
        describe_documents(result, category),
        describe_score(result, evidence.category),
        float(sum(truths[decision] for decision in goals)),
    )
    if isinstance(result.data, Scores) or result.model.name == "clusters":
        mean, sd = evidence.mean, evidence.std
        return observed, _drawing(simulate.draw_more_scores, mean, sd, n)
    if isinstance(result.data, ItemValues | FoldValues):
        return observed, _drawing(simulate.draw_more_values, _moments(result, n), n)
    return observed, _generator_of_more_documents(result, category)


def _drawing(draw: Callable[..., Any], *arguments: Any) -> GeneratorOfMore:
    return lambda more: simulate.DataGenerator(partial(draw, *arguments, more))


def _moments(result: Comparison, n: int) -> tuple[float, float, float]:
    """Return mean and sd of the differences of items or folds, and their correlation."""
    folds = isinstance(result.data, FoldValues)
    rho = result.data.rho if type(result.data) is FoldValues else 0.0
    closed_form = result.closed_form(*(np.array([index]) for index in result.pair))
    if closed_form is None or closed_form[1] is not None or (folds and not rho):
        raise InputError(
            "There is a plan for values per item under the items model with its flat prior and the "
            "exact engine, and so for scores of folds of one data set, paired: compare without "
            "populations and prior first."
        )
    t = closed_form[0]
    return t.loc[0].item(), t.scale[0].item() / np.sqrt(1 / n + rho / (1 - rho)), rho


def _generator_of_more_documents(result: Comparison, category: str | None) -> GeneratorOfMore:
    if isinstance(result.data, TrainedCopies):
        raise InputError(
            "There is no plan for trained copies or out-of-fold predictions: it would need to know "
            "what more documents cost against more trainings."
        )
    if not isinstance(result.model, ConjugateCounts):
        raise InputError(
            f"There is no plan for the model {result.model.name!r}, whose categories hang together "
            "or are not conjugate: compare this category by model='paired' or 'unpaired' and ask "
            "that comparison."
        )
    counts = _one_vs_rest(result, category)
    # The unpaired model knows nothing of how its two systems go together; where they were judged on
    # the same documents, the paired model with the uniform prior knows that. The prior that was
    # passed has no weights for pairs.
    judged_apart = counts.paired and result.model.accepts is not PairedCounts
    prior = Prior.uniform() if judged_apart else result.prior

    def generator(more: int) -> simulate.DataGenerator:
        draw = partial(simulate.draw_more_documents, counts, prior, more)
        # With fewer new documents than old ones data sets are much alike: if they shared draws,
        # their Monte-Carlo errors would not average out.
        shared = more >= max(counts.n_documents())
        return simulate.DataGenerator(draw, shared)

    return generator


def _least_width(data: FoldValues, hdi_prob: float) -> str:
    """Say how much of its width the interval keeps with endless repeats on these documents."""
    n, shared, p = data.resamples, data.rho / (1 - data.rho), (1 + hdi_prob) / 2
    left = np.sqrt(shared / (1 / n + shared))
    left *= scipy.special.ndtri(p) / scipy.special.stdtrit(n - 1, p)
    return (
        f"However many repeats there are, the interval keeps {left:.0%} of its width: only more "
        "documents narrow it further."
    )


def scenario_of(result: Comparison, category: str | None = None) -> Scenario:
    """Return the posterior means of a comparison as a scenario; :class:`Comparison` explains it."""
    category = resolve_category(result, category)
    if result.data.cells is None:
        raise InputError("A scenario needs labels: counts of what the two systems said.")
    row = result.data.categories.index(category)
    draws, counts = result.fit.draws.posterior, _one_vs_rest(result, category)
    name = f"of {result.names[0]} and {result.names[1]}"
    if {"mu", "theta_pos", "theta_neg"} <= set(draws):
        mu, pos, neg = (
            draws[variable][:, :, row].mean(axis=(0, 1))
            for variable in ("mu", "theta_pos", "theta_neg")
        )
        return Scenario(float(mu), tuple(pos), tuple(neg), name)
    # Posterior means under the uniform prior.
    if isinstance(counts, PairedCounts):
        pos, neg = counts.pos[0] + 1, counts.neg[0] + 1
        mu = (counts.pos.sum() + 1) / (counts.pos.sum() + counts.neg.sum() + 2)
        return Scenario(float(mu), tuple(pos / pos.sum()), tuple(neg / neg.sum()), name)
    assert counts.cells is not None
    tp, fp, fn, tn = counts.cells[:, 0].T
    mu = ((tp + fn).sum() + 1) / ((tp + fp + fn + tn).sum() + 2)
    rho_pos, rho_neg = (tp + 1) / (tp + fn + 2), (fp + 1) / (fp + tn + 2)
    return Scenario.from_rates(float(mu), rho_pos=rho_pos, rho_neg=rho_neg, name=name)


def resolve_category(result: Comparison, category: str | None) -> str:
    """Return the category that is named, or the only one; averages cannot be planned."""
    categories = result.data.categories
    if category is None and len(categories) == 1:
        return categories[0]
    if category is None or category in set(result.categories) - set(categories):
        what = "an average" if result.average or category else "several categories at once"
        raise InputError(
            f"There is no plan for {what}, for a scenario is about one category against the rest: "
            f"name a category, one of {', '.join(categories)}."
        )
    if category not in categories:
        raise unknown("category", category, categories)
    return category


def _one_vs_rest(result: Comparison, category: str | None) -> Data:
    row = result.data.categories.index(category or "")
    return rows(result.data.one_vs_rest(), slice(row, row + 1))
