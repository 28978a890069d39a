"""The call that makes a result again, with the versions and the data behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stanoff.data.types import (
    ConfusionCounts,
    Data,
    PairedCounts,
    PatternCounts,
    UnpairedCounts,
)
from stanoff.models.custom import CustomModel
from stanoff.models.priors import Prior, Priors
from stanoff.options import DATA, DECLARED

if TYPE_CHECKING:
    from stanoff.results.base import Result

MAX_ROWS = 200  # of a table that stands in the call
DRAWN = ("chains", "draws", "warmup", "sampler_options")  # in the settings of a fit
MEASURE_SETTINGS = ("beta", "zero_division", "prevalence", "clip")
VERSIONS = {"stanoff": "stanoff", "cmdstan": "CmdStan", "numpy": "NumPy", "python": "Python"}


def run_again(result: Result) -> str:
    """Write the lines of Python that make a result again.

    Counts stand in them. Of other data they have the name of the file and the columns, as far as
    these are known, and the hash by which the data are known again.

    Parameters
    ----------
    result : Comparison or Contest
        What is to be made again.

    Examples
    --------
    >>> from stanoff import compare_counts
    >>> result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
    >>> print(run_again(result).split("result = ")[1].split("assert")[0].rstrip())
    compare_counts(
        [[310, 25, 20, 43]],
        [[40, 30, 25, 7039]],
        model='paired',
        engine='exact',
        chains=1,
        draws=50000,
        seed=1,
    )
    """
    name, setup, arguments = _data_arguments(result)
    options = dict(_options(result))
    names = ["Prior", name] if "Prior" in options.get("prior", "") else [name]
    lines = [*arguments, *(f"{key}={value}" for key, value in options.items())]
    alone = "Taken out of a contest: run alone, the draws are others of the same posterior."
    return "\n".join(
        [
            f"# {describe_versions(result.provenance.versions)}",
            *([f"# {alone}"] if result.fit.is_part else []),
            *(["import pandas as pd", ""] if setup else []),
            f"from stanoff import {', '.join(names)}",
            "",
            *([setup] if setup else []),
            f"result = {name}(",
            *(f"    {line}," for line in lines),
            ")",
            f"assert result.data.sha256.startswith({result.data.sha256[:16]!r})",
            "print(result)",
            "",
        ]
    )


def describe_versions(versions: Mapping[str, str]) -> str:
    """Name the versions that numbers depend on.

    Examples
    --------
    >>> describe_versions({"stanoff": "0.3.0", "numpy": "2.0.0", "arviz": "1.0.0"})
    'stanoff 0.3.0, NumPy 2.0.0'
    """
    return ", ".join(f"{VERSIONS[key]} {versions[key]}" for key in VERSIONS if key in versions)


def _data_arguments(result: Result) -> tuple[str, str, list[str]]:
    """Return the function, the lines before it, and its arguments that bring the data."""
    data = result.data
    are_counts = isinstance(data, (PairedCounts, UnpairedCounts)) and len(data.arrays()) == 2
    if are_counts and not result.groups:  # counts of all documents do not have them
        counts = [str(values.tolist()) for values in data.arrays().values()]
        if isinstance(data, UnpairedCounts):
            counts = [f"{role}={cells}" for role, cells in zip("ab", counts, strict=True)]
        if data.categories != ("1",):
            counts.append(f"categories={list(data.categories)!r}")
        if data.systems != ("A", "B"):
            counts.append(f"names={data.systems!r}")
        return "compare_counts", "", counts
    name = "compare" if result.is_pair else "contest"
    rows = [] if result.groups else _rows_of_counts(data)
    if 0 < len(rows) <= MAX_ROWS:
        columns = zip([0, *data.systems, 1], map(list, zip(*rows, strict=True)), strict=True)
        lines = [f"    {column!r}: {values!r}," for column, values in columns]
        setup = "\n".join(["table = pd.DataFrame({", *lines, "})"])
        labels = f"labels={list(data.categories)!r}"
        if isinstance(data, PatternCounts):
            labels = f"pos_label={data.categories[0]!r}"
        systems = _systems(result, list(data.systems))
        return name, setup, ["table", "truth=0", *systems, labels, "sample_weight=1"]
    source = data.source
    files = [Path(file).name for file in source.get("file", "table").split(", ")]
    table = repr(files[0] if len(files) == 1 else files) if "file" in source else "table"
    roles = ["a", "b"] if "a" in source else [key for key in source if key.startswith("systems ")]
    layout = [f"{key}={source[key]!r}" for key in ("truth", *DATA) if key in source]
    called = [source[role] for role in roles if role in source]
    return name, "", [table, *_systems(result, called), *layout]


def _rows_of_counts(data: Data) -> list[list[Any]]:
    """Return the truth, what the systems answered, and how often; none where it is not known."""
    if isinstance(data, ConfusionCounts) and len(data.categories) == data.classes:
        labels = data.categories
        answers = zip(data.rows, data.n.tolist(), strict=True)
        return [[*(labels[index] for index in row), n] for row, n in answers]
    if isinstance(data, PatternCounts) and len(data.categories) == 1:
        words = [f"not {data.categories[0]}", data.categories[0]]
        return [
            [words[truth], *(words[index] for index in said), n]
            for truth, counts in ((1, data.pos), (0, data.neg))
            for said, n in zip(data.said, counts.ravel().tolist(), strict=True)
        ]
    return []


def _systems(result: Result, columns: list[str]) -> list[str]:
    """Name the columns of the systems, and of two what these are called."""
    names = result.data.systems
    if not result.is_pair:
        return [f"systems={columns or list(names)!r}"]
    called = [] if tuple(columns) == names else [f"names={names!r}"]
    return [*(f"{role}={column!r}" for role, column in zip("ab", columns, strict=False)), *called]


def _options(result: Result) -> Iterator[tuple[str, str]]:
    """Yield the options that are not what they are by default, and those that draw, as code."""
    question, measure, fit = result.question, result.measure, result.fit
    f1 = (measure.name, measure.beta) == ("fbeta", 1)
    changed: dict[str, Any] = {"measure": "f1" if f1 else measure.name}
    changed |= {name: getattr(measure, name, None) for name in MEASURE_SETTINGS}
    changed |= {name: getattr(question, name) for name in ("average", "hdi_prob", "shrink")}
    changed["rope"] = None if question.rope_option == (-0.05, 0.05) else question.rope_option
    if question.claim is not None:
        option, margin = question.claim
        of = question.margin_of
        changed[option] = margin if of is None else f"{100 * margin:.12g}% of {of}"
        changed["compare_to"] = question.compare_to
    for name, value in changed.items():
        if value not in (None, DECLARED[name][1].default):
            yield name, "float('nan')" if value != value else repr(value)
    custom = isinstance(fit.model, CustomModel)
    model = next(iter(result.groups.values()), result).model
    yield "model", repr(fit.model.stan_file.name if custom else model.name)
    if fit.prior != Prior.uniform():
        yield "prior", _prior_call(fit.prior)
    yield "engine", repr(fit.engine)
    settings = fit.provenance.settings
    yield from ((name, repr(settings[name])) for name in DRAWN if name in settings)
    yield "seed", str(fit.seed)


def _prior_call(prior: Priors) -> str:
    """Write a prior by its weights that are not the default."""
    if isinstance(prior, tuple):
        return f"({', '.join(map(_prior_call, prior))})"
    weights = {f.name: getattr(prior, f.name) for f in fields(Prior)}
    changed = [f"{k}={v!r}" for k, v in weights.items() if v != getattr(Prior.uniform(), k)]
    return f"Prior({', '.join(changed)})"
