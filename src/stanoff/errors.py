"""What can go wrong, in one sentence that names the parameter, the rule and the value."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MOST_SHOWN = 200  # characters of a value
MOST_NAMES = 20  # columns that are listed


class StanoffError(Exception):
    """Base of every error that stanoff raises on purpose."""


class InputError(StanoffError, ValueError):
    """The caller gave something that cannot be used."""


class ToolchainError(StanoffError, RuntimeError):
    """CmdStan, the compiler or the cache is missing or does not work."""


class SamplingWarning(UserWarning):
    """The sampler had trouble: the numbers may be off."""


def invalid(parameter: str, rule: str, value: object) -> InputError:
    """Build the error for a parameter that breaks a rule.

    Examples
    --------
    >>> print(invalid("hdi_prob", "between 0 and 1", 95))
    The 'hdi_prob' parameter must be between 0 and 1. Got 95 instead.
    """
    return InputError(f"The {parameter!r} parameter must be {rule}. Got {_shown(value)} instead.")


def _shown(value: object) -> str:
    """Show a value on one line of bearable length."""
    try:
        told = " ".join(repr(value).split())
    except Exception:  # a whole number of too many digits, or a foreign object
        return f"a {type(value).__name__} that cannot be shown"
    return told if len(told) <= MOST_SHOWN else f"{told[:MOST_SHOWN]}..."


def unknown(parameter: str, value: object, known: Iterable[str]) -> InputError:
    """Build the error for a name that is not among the known ones, with the nearest of them.

    Examples
    --------
    >>> print(unknown("measure", "recal", ["precision", "recall"]))
    The 'measure' parameter must be one of precision, recall. Got 'recal' instead. \
Did you mean 'recall'?
    """
    names = [str(name) for name in known]
    near = get_close_matches(str(value), names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return InputError(f"{invalid(parameter, 'one of ' + ', '.join(names), value)}{hint}")


def no_column(where: str, part: str, column: object, known: Iterable[object]) -> InputError:
    """Build the error for a column that a table does not have, with the nearest that it has."""
    names = [str(name) for name in known]
    near = get_close_matches(str(column), names, n=1)
    others = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    listed = ", ".join(names[:MOST_NAMES]) + others
    hint = f"did you mean {near[0]!r}?" if near else f"it has {listed}."
    return InputError(f"{where} has no column {column!r} for {part!r}; {hint}")
