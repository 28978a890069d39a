"""What can go wrong, in one sentence that names the parameter, the rule and the value."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MAX_SHOWN = 200  # characters of a value
MAX_COLUMNS = 20  # that are listed


class StanoffError(Exception):
    """Base of every error that stanoff raises on purpose."""


class InputError(StanoffError, ValueError):
    """The caller gave something that cannot be used.

    Parameters
    ----------
    message : str
        The sentence that Python shows, with the hint.
    parameter : str, optional
        Which parameter it is about; the command line speaks of the option of that name.
    rule : str
        What completes "must be ..."; empty for an error that is no broken rule.
    value : str
        What it was, as it is shown; "None" for what is missing.
    hint : str
        What else helps, such as the nearest known name; it begins with a space.
    """

    def __init__(
        self,
        message: str,
        *,
        parameter: str | None = None,
        rule: str = "",
        value: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.parameter, self.rule, self.value, self.hint = parameter, rule, value, hint


class OptionError(InputError, TypeError):
    """A keyword that a function does not have."""


class JointPosteriorError(InputError, AttributeError):
    """What only systems that are judged together have."""


class ToolchainError(StanoffError, RuntimeError):
    """CmdStan, the compiler or the cache is missing or does not work."""


class SamplingWarning(UserWarning):
    """The sampler had trouble: the numbers may be off."""


def invalid(parameter: str, rule: str, value: object, hint: str = "") -> InputError:
    """Build the error for a parameter that breaks a rule.

    Examples
    --------
    >>> print(invalid("hdi_prob", "between 0 and 1", 95))
    The 'hdi_prob' parameter must be between 0 and 1. Got 95 instead.
    """
    shown = _shown(value)
    message = f"The {parameter!r} parameter must be {rule}. Got {shown} instead.{hint}"
    return InputError(message, parameter=parameter, rule=rule, value=shown, hint=hint)


def _shown(value: object) -> str:
    """Show a value on one line of bearable length."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a whole number of too many digits, or a foreign object
        return f"a {type(value).__name__} that cannot be shown"
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


def unknown(parameter: str, value: object, known: Iterable[str]) -> InputError:
    """Build the error for a name that is not among the known ones, with the nearest of them.

    Examples
    --------
    >>> print(unknown("measure", "recal", ["precision", "recall"]))
    The 'measure' parameter must be one of precision, recall. Got 'recal' instead. \
Did you mean 'recall'?
    """
    names = [str(name) for name in known]
    near = nearest(value, names)
    hint = f" Did you mean {near!r}?" if near else ""
    return invalid(parameter, f"one of {', '.join(names)}", value, hint)


def no_column(where: str, role: str, column: object, known: Iterable[object]) -> InputError:
    """Build the error for a column that a table does not have, with the nearest that it has."""
    names = [str(name) for name in known]
    near = nearest(column, names)
    others = f" and {len(names) - MAX_COLUMNS} more" if len(names) > MAX_COLUMNS else ""
    hint = (
        f"did you mean {near!r}?" if near else f"it has {', '.join(names[:MAX_COLUMNS])}{others}."
    )
    return InputError(f"{where} has no column {column!r} for {role!r}; {hint}", parameter=role)


def no_option(function: str, name: str, known: Iterable[str]) -> OptionError:
    """Build the error for a keyword that a function does not have.

    Examples
    --------
    >>> print(no_option("compare", "ropee", ["rope", "seed"]))
    compare() has no option 'ropee'; did you mean 'rope'?
    """
    near = nearest(name, list(known))
    hint = f"; did you mean {near!r}?" if near else "."
    return OptionError(f"{function}() has no option {name!r}{hint}")


def nearest(value: object, names: list[str]) -> str | None:
    """Return the name that is spelled most like a value, if one is, or that begins like it."""
    longer = [name for name in names if str(value) and name.startswith(f"{value}_")]
    return next(iter([*get_close_matches(str(value), names, n=1), *longer]), None)
