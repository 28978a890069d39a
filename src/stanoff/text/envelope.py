"""What scripts read: one JSON envelope for all commands, and the schema that it keeps to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal, Union

from typing_extensions import TypedDict

from stanoff import __version__
from stanoff.data.types import Data
from stanoff.models.priors import both
from stanoff.text.render import json_safe
from stanoff.text.run_again import run_again
from stanoff.text.sentences import describe_comparison, describe_rope_flips
from stanoff.text.tables import COLUMNS, meaning_of

if TYPE_CHECKING:
    from stanoff.results.comparison import Comparison
    from stanoff.results.contest import Contest

SCHEMA = 2  # a new number where older readers would fail
MAX_COUNTS = 10_000  # numbers that are written out
EXTRA_FIELDS = (
    *("p_below", "p_above", "regret_A", "regret_B", "bf_sd_error", "bf_sd_defined"),
    *("direction_resolved", "decision_resolved"),
)

Real = float | Literal["inf", "-inf"] | None
Symbol = Literal["<<", "<", "=", ">", ">>"]
Rows: Any = list


def _record(name: str, **fields: Any) -> Any:
    """Declare an object of JSON that has these fields and no others."""
    declare: Any = TypedDict
    declared = declare(name, fields)
    declared.__pydantic_config__ = {"extra": "forbid"}
    return declared


def _all(names: str, kind: Any) -> dict[str, Any]:
    return dict.fromkeys(names.split(), kind)


DataRecord = _record(
    "Data",
    **_all("kind hash", str),
    source=dict[str, str],
    **_all("systems categories", list[str]),
    documents=dict[str, int],
    counts=dict[str, list[Any]] | None,
)
FitSettings = _record(
    "FitSettings",
    **_all("measure model run_again", str),
    **_all("higher_is_better shrink", bool),
    average=str | None,
    rope=list[float],
    hdi_prob=float,
    engine=Literal["stan", "exact"],
    seed=int,
    sampling=dict[str, Any],
    prior=list[dict[str, Any]],
    versions=dict[str, str],
)
Difference = {
    **_all("mean std hdi_low hdi_high", Real),
    **_all("p_less p_greater p_below p_rope p_above", float),
    "decision": Symbol,
}
Bound = _record("Bound", side=Literal["<", ">"], value=float)
ComparisonRow = _record(
    "Comparison",
    category=str,
    **_all("psi_A psi_B observed_A observed_B sign_test t_test", Real),
    **Difference,
    **_all("mcse bf_sd bf_sd_error bf_rope regret_A regret_B", Real),
    **_all("bf_sd_bound bf_rope_bound", Bound | None),
    **_all("bf_sd_defined direction_resolved decision_resolved", bool),
    **_all("sentence what_would_change", str),
)
System = _record(
    "System",
    system=str,
    **_all("tier rank_low rank_high", int),
    **_all("psi observed hdi_low hdi_high regret", Real),
    **_all("p_near p_best rank", float),
)
Pair = _record("Pair", **_all("a b", str), **Difference)
ContestRow = _record(
    "Contest",
    **_all("category sentence", str),
    best=list[str],
    tiers=list[list[str]],
    systems=Rows[System],
    ranks=dict[str, list[float]],
    pairs=Rows[Pair],
)
Test = _record(
    "Test",
    **_all("test measure alternative note sentence", str),
    **_all("statistic p_value", Real),
    n=int,
    k=int | None,
    leans_to=Literal["A", "B", ""],
)
Power = _record(
    "Power",
    **_all("scenario model goal", str),
    **_all("n n_simulations", int),
    **_all("power se", float),
    rates=dict[Symbol, float],
)
Answer = _record(
    "Answer", assurance=float, **_all("value low high", float | None), rates=dict[Symbol, float]
)
Claim = _record(
    "Claim",
    **_all("category candidate baseline", str),
    option=Literal["not_worse_by", "better_by"],
    **_all("margin probability", float),
    holds=bool,
)
COMMANDS = {  # their settings and rows
    "compare": (FitSettings, ComparisonRow),
    "contest": (FitSettings, ContestRow),
    "significance": (dict[str, Any], Test),
    "power": (dict[str, Any], Power),
    "plan": (dict[str, Any], Answer),
    "measures": (dict[str, Any], dict[str, Any]),
    "pairs": (dict[str, Any], dict[str, Any]),  # rows are what compare prints
}
DESCRIPTIONS = {
    "schema": "the number of this schema",
    "stanoff": "the version that wrote it",
    "source": "the file and its columns, as far as they are known",
    "hash": "SHA-256 of all that the model sees: the same data have the same hash",
    "systems": "the first one is A, the second one B",
    "documents": "of each system, in the category that has the most",
    "counts": "what the model sees, by name, unless it is too much",
    "rope": "its two ends, in the unit of the score",
    "shrink": "whether systems learn from each other where they are ranked",
    "prior": "one, or one of A and one of B",
    "decided": "the category or average that is decided upon, if there is one",
    "what_would_change": "which other ROPEs would lead to another decision",
    "groups": "the same of every group of the documents, by name",
    "holds": "whether the whole HDI says so",
    "ranks": "the probability of each rank, by system",
    "sentences": "what a person reads",
    "run_again": "the lines of Python that make the result again",
}


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of what all commands print with ``--format json``.

    Examples
    --------
    >>> json_schema()["$defs"]["Claim"]["properties"]["margin"]
    {'title': 'Margin', 'type': 'number'}
    """
    from pydantic import TypeAdapter

    envelopes = [
        _record(
            f"Envelope of {command}",
            **_all("stanoff", str),
            schema=Literal[2],
            command=Literal[command],
            data=DataRecord | None,
            settings=settings,
            decided=str | None,
            decision=Symbol | None,
            results=Rows[row],
            groups=dict[str, Any],
            claims=Rows[Claim],
            **_all("sentences warnings", list[str]),
        )
        for command, (settings, row) in COMMANDS.items()
    ]
    documents: Any = Union[tuple(envelopes)]  # noqa: UP007 - of as many as there are commands
    schema = TypeAdapter(documents).json_schema()
    for definition in schema["$defs"].values():
        for name, field in definition["properties"].items():
            meaning = meaning_of(name) if name in COLUMNS else DESCRIPTIONS.get(name)
            if meaning and "$ref" not in field:
                field["description"] = meaning
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, "title": "What stanoff prints as JSON", **schema}


def envelope(
    command: str,
    results: Sequence[Any],
    *,
    settings: Mapping[str, Any],
    data: Data | None = None,
    systems: Sequence[str] = (),
    **fields: Any,
) -> dict[str, Any]:
    """Put what a command has found into the envelope that all of them share.

    Parameters
    ----------
    command : str
        What was done: ``"compare"``, ``"power"`` and so on.
    results : sequence of mapping
        The rows; NaN becomes None, infinity a text.
    settings : mapping
        What was asked, and how it was answered.
    data : Data, optional
        What was judged.
    systems : sequence of str
        What the systems are called, A first.
    **fields
        ``decided``, ``decision``, ``claims``, ``sentences`` and ``warnings``.
    """
    content = {
        "schema": SCHEMA,
        "stanoff": __version__,
        "command": command,
        "data": None if data is None else _data_record(data, systems),
        "settings": dict(settings),
        **{"decided": None, "decision": None, "groups": {}, "claims": []},
        **{"sentences": [], "warnings": []},
        **fields,
        "results": list(results),
    }
    safe: dict[str, Any] = json_safe(content)
    return safe


def result_envelope(result: Any, category: str | None = None) -> dict[str, Any]:
    """Gather data, settings, numbers and words of a comparison or contest.

    Parameters
    ----------
    result : Comparison or Contest
        What is written.
    category : str, optional
        The row, all by default.
    """
    if hasattr(result, "comparisons"):
        return envelope(
            "pairs",
            [result_envelope(pair, category) for pair in result.comparisons.values()],
            settings={"systems": list(result.systems)},
            sentences=[result.sentence(category)],
            warnings=list(result.warnings),
        )
    rows = result.categories if category is None else (result.resolve_category(category),)
    write: Any = _comparison_rows if result.is_pair else _contest_rows
    decided = result.default_category
    return envelope(
        "compare" if result.is_pair else "contest",
        write(result.whole, rows),
        data=result.data,
        systems=result.names,
        settings=_fit_settings(result),
        decided=decided,
        decision=str(result.decision) if result.is_pair and decided else None,
        groups={name: result_envelope(group) for name, group in result.groups.items()},
        claims=[vars(claim) for claim in result.claims if claim.category in rows],
        sentences=[result.sentence(row) for row in rows],
        warnings=list(result.warnings),
    )


def flatten(content: Mapping[str, Any]) -> dict[str, float | int | str]:
    """Return an envelope as flat keys with numbers and texts, as loggers of experiments take them.

    Rows are named by what they are about; what is not there is left out, and so are the counts
    and the call.

    Examples
    --------
    >>> row = {"category": "spam", "mean": 0.1, "bf_sd": None}
    >>> flatten({"command": "compare", "results": [row], "settings": {"rope": [-0.1, 0.1]}})
    {'command': 'compare', 'results.spam.category': 'spam', 'results.spam.mean': 0.1, \
'settings.rope.0': -0.1, 'settings.rope.1': 0.1}
    """
    return {
        re.sub(r"[^\w.:/ -]", "_", ".".join(path)): value
        for path, value in _leaves(content)
        if value is not None and path[:2] not in (("data", "counts"), ("settings", "run_again"))
    }


def _leaves(content: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(content, list):
        rows = content
        content = dict(enumerate(rows))
        if all(isinstance(row, Mapping) and row for row in rows):
            names = {next(iter(row.values())): row for row in rows}
            content = names if len(names) == len(rows) else content
    if not isinstance(content, Mapping):
        yield (), content
        return
    for name, value in content.items():
        yield from (((str(name), *path), leaf) for path, leaf in _leaves(value))


def _data_record(data: Data, systems: Sequence[str]) -> dict[str, Any]:
    documents = dict(zip(data.systems, cycle(data.n_documents()), strict=False))
    arrays = data.arrays() if data.cells is not None else {}
    few = 0 < sum(values.size for values in arrays.values()) <= MAX_COUNTS
    return {
        "kind": type(data).__name__,
        "source": dict(sorted(data.source.items())),
        "hash": data.sha256,
        "systems": list(systems or data.systems),
        "categories": list(data.categories),
        "documents": {name: documents[name] for name in systems or data.systems},
        "counts": {name: values.tolist() for name, values in arrays.items()} if few else None,
    }


def _fit_settings(result: Any) -> dict[str, Any]:
    priors = both(result.prior) if isinstance(result.prior, tuple) else (result.prior,)
    settings = result.provenance.settings
    return {
        "measure": result.measure_label,
        "average": result.average,
        "higher_is_better": result.measure.higher_is_better,
        "rope": list(result.rope),
        "hdi_prob": result.hdi_prob,
        "shrink": not result.is_pair and result.shrinks,
        "model": result.model.name,
        "engine": result.engine,
        "seed": result.seed,
        "sampling": {k: v for k, v in sorted(settings.items()) if k != "output_dir"},
        "prior": [asdict(prior) for prior in priors],
        "versions": dict(sorted(result.provenance.versions.items())),
        "run_again": run_again(result),
    }


def _comparison_rows(result: Comparison, categories: Sequence[str]) -> list[dict[Any, Any]]:
    rows = [r for r in result.summary().to_dict("records") if r["category"] in categories]
    for row in rows:
        e = result.evidence(row["category"])
        row |= {name: getattr(e, name) for name in EXTRA_FIELDS}
        for name in ("bf_sd_bound", "bf_rope_bound"):
            bound = getattr(e, name)
            row[name] = None if bound is None else bound._asdict()
        row["sentence"] = describe_comparison(result, e)
        row["what_would_change"] = describe_rope_flips(result, e)
    return rows


def _contest_rows(result: Contest, categories: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "category": category,
            "best": result.best(category),
            "tiers": result.tiers(category),
            "systems": result.summary(category).to_dict("records"),
            "ranks": {name: list(row) for name, row in result.ranks(category).T.items()},
            "pairs": result.pairs(category).to_dict("records"),
            "sentence": result.sentence(category),
        }
        for category in categories
    ]
