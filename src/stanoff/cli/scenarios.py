"""Scenarios and studies, as ``stanoff power`` and ``stanoff plan`` read them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from stanoff.cli.options import given
from stanoff.errors import InputError

if TYPE_CHECKING:
    from stanoff.planning.scenario import AnyScenario

AUCS = ("auc_a", "auc_b")
RATES = ("mu", "rho_pos", "rho_neg")


def scenarios(
    names: tuple[str, ...], values: dict[str, Any], *, name: str = ""
) -> list[AnyScenario | str]:
    """Read the scenarios that are named, and one of the user's own from its rates."""
    from stanoff.planning.scenario import Scenario

    own = {part: values.pop(part) for part in RATES}
    correlation = values.pop("correlation")
    aucs = {part: values.pop(part) for part in (*AUCS, "positives")}
    if any(value is not None for value in aucs.values()):
        if names or any(value is not None for value in own.values()):
            raise InputError("Pass either AUCs or a scenario of labels.")
        return [_of_aucs(given(aucs), correlation, name)]
    missing = [part for part, value in own.items() if value is None]
    if len(missing) == len(own):
        if correlation is not None:
            raise InputError(
                "--correlation goes with --mu, --rho-pos and --rho-neg, or --auc-a and --auc-b."
            )
        if not names:
            raise InputError(
                "Pass a scenario: --scenario a, or --mu, --rho-pos and --rho-neg, or --auc-a and "
                "--auc-b."
            )
        return list(names)
    if missing:
        told = ", ".join(f"--{part.replace('_', '-')}" for part in missing)
        raise InputError(f"A scenario of your own needs {told} as well.")
    return [*names, Scenario.from_rates(**own, correlation=correlation or 0.0, name=name)]


def _of_aucs(aucs: dict[str, Any], correlation: float | None, name: str) -> AnyScenario:
    """Read a scenario of two AUCs."""
    from stanoff.planning.scenario import AucScenario

    for part in AUCS:
        if part not in aucs:
            raise InputError(f"A scenario of AUCs needs --{part.replace('_', '-')} as well.")
    return AucScenario(**aucs, correlation=correlation or 0.0, name=name)


def studied(values: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a study as the API takes them."""
    same_documents = not values.pop("two_test_sets")
    return given(values) | {"same_documents": same_documents, "progress": sys.stderr.isatty()}
