"""Power: how often a goal is reached if a scenario is true."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
import pandas as pd

from stanoff import models
from stanoff._lib.arguments import as_seed, check_bool, check_int
from stanoff._lib.escaping import one_line
from stanoff._lib.showing import ReprMixin
from stanoff.data.types import ConfusionCounts, PairedCounts, UnpairedCounts
from stanoff.errors import InputError, invalid
from stanoff.inference.decision import Decision, as_goal, goal_in_words, verdict_of
from stanoff.models.counts import ConjugateCounts
from stanoff.models.priors import Priors, single
from stanoff.options import select, spell_out
from stanoff.planning.scenario import AnyScenario, AucScenario, check_scenario
from stanoff.planning.simulate import (
    DECISIONS,
    MIN_DRAWS,
    N_DRAWS,
    N_SIMULATIONS,
    Analysis,
    DataGenerator,
    Study,
    draw_auc_posteriors,
    draw_documents,
    rates,
)
from stanoff.question import Question, Sampling
from stanoff.text.envelope import envelope
from stanoff.text.numbers import format_interval, format_level, percent
from stanoff.text.tables import DECISIONS as EXPLAINED
from stanoff.text.tables import in_one_paragraph

COLUMNS = [
    *("scenario", "model", "n", "goal", "power", "se"),
    *(str(decision) for decision in DECISIONS),
    "n_simulations",
]
MAX_N = 10**9  # documents of a simulated data set
QUESTION = ("measure", "beta", "zero_division", "prevalence", "rope", "hdi_prob")
WORK = {"n_simulations", "same_documents", "jobs", "executor", "progress"}


class SharedOptions(TypedDict, total=False):
    """Options as of a comparison."""

    beta: float
    zero_division: float | str
    prevalence: float | None
    rope: Any
    hdi_prob: float
    prior: Priors | str | None
    seed: int | None
    executor: Any
    progress: bool


SHARED = tuple(SharedOptions.__annotations__)


class PowerTable(ReprMixin, pd.DataFrame):
    """What :func:`power` returns: a data frame that is shown in few digits, with its question.

    What is selected from it is a plain data frame.
    """

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        if list(self.columns) != COLUMNS or "rope" not in self.attrs:
            return [pd.DataFrame(self).astype(str)]
        legend = in_one_paragraph(power_legend(self))
        return [power_cells(self), legend, *self.attrs["warnings"]]


@spell_out(SHARED)
def power(
    scenario: AnyScenario | str | Sequence[AnyScenario | str],
    n: int | Iterable[int],
    *,
    goal: Any = None,
    model: str | Path | Sequence[str | Path] | None = None,
    measure: str | None = None,
    engine: str = "exact",
    n_simulations: int = N_SIMULATIONS,
    draws: int = N_DRAWS,
    same_documents: bool = True,
    jobs: int | None = None,
    **shared: Unpack[SharedOptions],
) -> PowerTable:
    """Compute how often a goal is reached at given sizes of the test set, if a scenario is true.

    Data sets are drawn from the scenario, and each is judged as :func:`stanoff.compare` would.
    Ctrl-C returns what is done by then; ``attrs["warnings"]`` of the table says so.

    Parameters
    ----------
    scenario : Scenario, AucScenario, str or sequence of them
        One or several: a :class:`Scenario`, ``"a"`` or ``"b"`` of the paper, or an
        :class:`AucScenario`.
    n : int or iterable of int
        Documents in the test set, one or several numbers.
    goal : object
        ``">>"``, ``"="``, ``"settled"`` (neither ``<`` nor ``>``), or several decisions; for every
        scenario what is true in it by default.
    model : str, Path or sequence of str or Path, optional
        One or several; all judge the same data sets; by default the paired and the unpaired one, or
        the unpaired one where each system has a test set of its own; for AUC ``"bootstrap"``.
    measure : str, optional
        As in :func:`stanoff.compare`, F1 by default; AUC for an :class:`AucScenario`.
    beta, zero_division, prevalence, rope, hdi_prob, prior
        As in :func:`stanoff.compare`.
    engine : str
        ``"exact"``, or ``"stan"`` for models that are not conjugate.
    n_simulations : int
        How many data sets are drawn for every scenario and size.
    draws : int
        How many posterior draws judge each.
    same_documents : bool
        False if each system has a test set of its own, of size ``n``.
    seed : int, optional
        Makes every number reproducible, however many workers there are.
    jobs : int, optional
        How many threads work on it, one per processor by default.
    executor : Executor, optional
        Who does the work instead: any ``concurrent.futures.Executor``, as of processes, of Dask
        (``client.get_executor()``) or of MPI.
    progress : bool
        Show a bar on stderr.

    Returns
    -------
    PowerTable
        A pandas DataFrame with a row per scenario, model and size: ``power`` and its Monte-Carlo
        standard error ``se``, the rates of the five decisions, and the number of ``n_simulations``
        behind them.

    Examples
    --------
    >>> table = power("a", [500, 3500], model="paired", n_simulations=200, draws=1000, seed=1)
    >>> table[["scenario", "n", "goal"]].values.tolist()
    [['a', 500, '>>'], ['a', 3500, '>>']]
    >>> bool(table.power[0] < 0.5 < 0.9 < table.power[1])
    True
    """
    options = {**locals(), **shared}
    scenarios: dict[str, AnyScenario] = {}
    for number, suspected in enumerate(as_list("scenario", scenario), start=1):
        value = check_scenario(suspected)
        name = value.name or str(number)
        if name in scenarios:
            raise InputError(f"Two scenarios are called {name!r}: give them different names.")
        scenarios[name] = value
    study = simulation_study(list(scenarios.values()), options)
    sizes = [check_int("n", size, most=MAX_N) for size in as_list("n", n)]
    if len(set(sizes)) < len(sizes):
        raise invalid("n", "different numbers of documents", n)
    goals = {
        name: as_goal(true_decision(value, study) if goal is None else goal)
        for name, value in scenarios.items()
    }
    cells = [(name, size) for name in scenarios for size in sizes]
    generators = [generator_for(scenarios[name], size, study) for name, size in cells]
    counts, warnings = study.run(generators)
    rows = [
        {"scenario": name, "model": analysis.model.name, "n": size} | rates(row[j], goals[name])
        for scenario_name in scenarios
        for j, analysis in enumerate(study.analyses)
        for (name, size), row in zip(cells, counts, strict=True)
        if name == scenario_name and row[j].sum()
    ]
    table, question = PowerTable(rows, columns=COLUMNS), study.question
    table.attrs.update(warnings=warnings, seed=study.seed, measure=question.measure.label)
    table.attrs.update(rope=list(question.rope), hdi_prob=question.hdi_prob)
    return table


def as_list(parameter: str, values: Any) -> list[Any]:
    """Read one of something or several."""
    several = isinstance(values, Iterable) and not isinstance(values, str)
    listed = list(values) if several else [values]
    if not listed:
        raise invalid(parameter, "one or several, not none", values)
    return listed


def simulation_study(scenarios: Sequence[AnyScenario], options: dict[str, Any]) -> Study:
    """Check the options that power and plan share, before anything is drawn."""
    of_aucs, *others = {isinstance(scenario, AucScenario) for scenario in scenarios}
    if others:
        raise InputError("Scenarios of labels and of AUCs are judged apart: pass one kind.")
    same_documents = check_bool("same_documents", options["same_documents"])
    settings = ({"measure": "auc"} if of_aucs else {}) | select(options, QUESTION)
    question = Question.read(**settings)
    if of_aucs and not same_documents:
        raise invalid("same_documents", "True for AUC: both score the same documents", False)
    if of_aucs and question.measure.name != "auc":
        raise invalid("measure", "'auc' for a scenario of two AUCs", options["measure"])
    if not of_aucs and question.measure.kind != "labels":
        rule = "one that takes labels; for AUC pass a stanoff.AucScenario"
        raise invalid("measure", rule, options["measure"])
    defaults = ["bootstrap"] if of_aucs else ["paired", "unpaired"][not same_documents :]
    names = defaults if options["model"] is None else as_list("model", options["model"])
    if len({str(name) for name in names}) < len(names):
        raise invalid("model", "one model or several different ones", options["model"])
    engine = options["engine"]
    if engine == "auto":
        batches = all(isinstance(models.get(name), ConjugateCounts) for name in names)
        engine = "exact" if batches else "stan"
    seed = as_seed(options.get("seed"))
    draws = check_int("draws", options["draws"], least=MIN_DRAWS)
    drawing = {"prior": options.get("prior"), "engine": engine, "draws": draws, "seed": seed}
    analyses = [Analysis(question, Sampling.read(model=name, **drawing)) for name in names]
    for analysis in analyses:
        _check_analysis(analysis, same_documents)
    return Study(
        tuple(analyses), seed=seed, **{name: options[name] for name in WORK & options.keys()}
    )


def generator_for(scenario: AnyScenario, n: int, study: Study) -> DataGenerator:
    """Return where data sets of n documents of a scenario come from."""
    if isinstance(scenario, AucScenario):
        prior = study.analyses[0].sampling.prior
        return DataGenerator(partial(draw_auc_posteriors, scenario, n, prior))
    return DataGenerator(partial(draw_documents, scenario, n, study.same_documents))


def true_decision(scenario: AnyScenario, study: Study) -> str:
    """Return what is true in a scenario; it must not be on an edge of the ROPE."""
    measure, rope = study.question.measure, study.question.rope
    delta = scenario.delta(measure)
    decision = verdict_of(delta, rope, higher_is_better=measure.higher_is_better)
    if decision is None:
        raise InputError(
            f"In this scenario the difference in {measure.label} is {delta:+.4g}, an edge of the "
            "ROPE: no number of documents settles that. For power() pass a goal."
        )
    return decision


def _check_analysis(analysis: Analysis, same_documents: bool) -> None:
    """Refuse models that cannot be used here, and priors that do not fit, before any work."""
    model, sampling = analysis.model, analysis.sampling
    if analysis.question.measure.kind != "labels":
        if model.name != "bootstrap" or sampling.engine != "exact":
            rule = "'bootstrap' with the exact engine, in a plan for AUC"
            raise invalid("model", rule, model.name)
        single(sampling.prior)
        return
    if model.accepts is ConfusionCounts:
        raise InputError(
            f"The model {model.name!r} is about classes, but a scenario is about one category "
            "against the rest: pass 'paired', 'unpaired' or another model of categories."
        )
    if sampling.engine == "exact" and not isinstance(model, ConjugateCounts):
        raise invalid("engine", f"'stan' for {model.name}, which is not conjugate", "exact")
    ones = np.ones((1, 4), dtype=np.int64)
    kind = PairedCounts if same_documents else UnpairedCounts
    model.stan_data(kind(("1",), ones, ones), sampling.prior)


def power_cells(table: PowerTable) -> pd.DataFrame:
    """Write a table of powers in few digits."""
    power = zip(table["power"], table["se"], strict=True)
    cells = {
        "scenario": [one_line(str(name)) for name in table["scenario"]],
        "model": [one_line(str(name)) for name in table["model"]],
        "n": [f"{n:,}" for n in table["n"]],
        "goal": [goal_in_words(goal) for goal in table["goal"]],
        "power": [f"{p:.3f} ± {se:.3f}" for p, se in power],
        **{d.symbol: [percent(share) for share in table[str(d)]] for d in Decision},
    }
    return pd.DataFrame(cells)


def power_legend(table: PowerTable) -> dict[str, str]:
    """Explain the columns of a table of powers."""
    least, most = table["n_simulations"].min(), table["n_simulations"].max()
    n_simulations = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    question = table.attrs
    rule = f"ROPE {format_interval(question['rope'])}, {format_level(question['hdi_prob'])} HDI"
    return {
        "power": f"share of {n_simulations} simulated data sets of n documents on which the goal "
        f"was reached in {question['measure']} ({rule}), ± its standard error",
        "under each symbol": "the share of that decision",
        **EXPLAINED,
    }


def power_envelope(table: PowerTable) -> dict[str, Any]:
    """Gather a table of powers for scripts."""
    rows = table.to_dict("records")
    for row in rows:
        row["rates"] = {str(d): row.pop(str(d)) for d in Decision}
    settings = {name: table.attrs[name] for name in ("measure", "rope", "hdi_prob", "seed")}
    return envelope("power", rows, settings=settings, warnings=table.attrs["warnings"])
