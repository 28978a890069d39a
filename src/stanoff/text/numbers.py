"""How numbers are written, the same in sentences, tables, figures and pages."""

from __future__ import annotations

import math
from math import floor, log10
from typing import TYPE_CHECKING

from stanoff._lib.arguments import Interval

if TYPE_CHECKING:
    from stanoff.inference.bayes_factor import Bound

SIGNIFICANT = 0.05


def digits_for(std: float) -> int:
    """Return how many decimals show two significant digits of a standard deviation.

    Below 1 these are at least 3.

    Examples
    --------
    >>> digits_for(0.0123), digits_for(0.00123), digits_for(12.3)
    (3, 4, 0)
    """
    if std <= 0 or math.isnan(std):
        return 3
    digits = 1 - floor(log10(std))
    return max(0, digits) if std >= 1 else max(3, digits)


def percent(probability: float) -> str:
    """Write a probability as a percentage; none reads as if it were certain.

    Examples
    --------
    >>> percent(0.5), percent(0.9995), percent(0.0)
    ('50.0%', '>99.9%', '<0.1%')
    """
    if probability < 0.0005:
        return "<0.1%"
    if probability >= 0.9995:
        return ">99.9%"
    return f"{100 * probability:.1f}%"


def whole_percent(probability: float) -> str:
    """Write per cent without a sign and decimals; none reads as if it were certain.

    Examples
    --------
    >>> whole_percent(0.5), whole_percent(0.996), whole_percent(0.0)
    ('50', '>99', '<1')
    """
    if probability < 0.005:
        return "<1"
    if probability >= 0.995:
        return ">99"
    return f"{100 * probability:.0f}"


def format_level(probability: float) -> str:
    """Write the probability of an interval, as in 95% HDI.

    Examples
    --------
    >>> format_level(0.95), format_level(0.995)
    ('95%', '99.5%')
    """
    return f"{100 * probability:g}%"


def format_interval(interval: Interval, digits: int | None = None) -> str:
    """Write the two ends of an interval of differences.

    Examples
    --------
    >>> format_interval((-0.05, 0.05)), format_interval((-0.0281, 0.0419), 3)
    ('[-0.05, +0.05]', '[-0.028, +0.042]')
    """
    low, high = interval
    if digits is None:
        return f"[{low:+g}, {high:+g}]"
    return f"[{low:+.{digits}f}, {high:+.{digits}f}]"


def format_rope(rope: Interval | str) -> str:
    """Write a ROPE as the option takes it: its ends, or a share of what was observed.

    Examples
    --------
    >>> format_rope((-0.05, 0.05)), format_rope("2% of mean")
    ('[-0.05, +0.05]', '±2% of the observed mean')
    """
    if isinstance(rope, str):
        return f"±{rope.replace('of', 'of the observed')}"
    return format_interval(rope)


def signed(x: float, digits: int) -> str:
    """Write a difference with its sign; what is rounded to 0 has none.

    Examples
    --------
    >>> signed(0.0314, 3), signed(-0.00004, 3)
    ('+0.031', '0.000')
    """
    text = f"{x:+.{digits}f}"
    return text if text.strip("+-0.") else text[1:]


def sides_of_zero(less: float, greater: float) -> str:
    """Write how much of the posterior is below and above 0, as the paper's "LG pct" does.

    Examples
    --------
    >>> sides_of_zero(0.957, 0.043)
    '95.7% < 0 < 4.3%'
    """
    return f"{100 * less:.1f}% < 0 < {100 * greater:.1f}%"


def half_width(width: float, digits: int) -> str:
    """Write the half-width of a ROPE with so many decimals at most, but never as 0.

    Examples
    --------
    >>> half_width(0.0419, 3), half_width(0.93, 3), half_width(0.0002, 3)
    ('±0.042', '±0.93', '±0.0002')
    """
    text = f"{width:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"±{text}" if text != "0" else f"±{float(f'{width:.1g}'):g}"


def bayes_factor(factor: float, bound: Bound | None = None) -> str:
    """Write a Bayes factor, or its bound, with the paper's marks: ‡ above 3, ⋆ below 1/3.

    Examples
    --------
    >>> bayes_factor(9.551), bayes_factor(0.075), bayes_factor(1.2), bayes_factor(0.0002)
    ('‡ 9.551', '⋆ 0.075', '1.200', '⋆ < 0.001')
    """
    if bound is not None:
        strong = bound.value > 3 if bound.side == ">" else bound.value < 1 / 3
        mark = ("‡ " if bound.side == ">" else "⋆ ") if strong else ""
        small = bound.side == "<" and bound.value <= 0.001
        return f"{mark}{'< 0.001' if small else bound}"
    if math.isnan(factor):
        return "undefined"
    mark = "‡ " if factor > 3 else "⋆ " if factor < 1 / 3 else ""
    if factor < 0.0005:
        return f"{mark}< 0.001"
    return f"{mark}{factor:,.0f}" if factor >= 1000 else f"{mark}{factor:.3f}"


def p_value(p: float) -> str:
    """Write a p-value with the paper's mark: ⋆ below 0.05; a dash where there is no test.

    Examples
    --------
    >>> p_value(0.0081), p_value(0.064), p_value(0.0004), p_value(math.nan)
    ('⋆ 0.008', '0.064', '⋆ <0.001', '–')
    """
    if math.isnan(p):
        return "–"
    text = "<0.001" if p < 0.001 else f"{p:.3f}"
    return f"⋆ {text}" if p < SIGNIFICANT else text


def rounded_documents(n: float) -> int:
    """Round a planned number of documents to what simulations can tell: two or three digits.

    Examples
    --------
    >>> rounded_documents(22012), rounded_documents(1764), rounded_documents(87)
    (22000, 1760, 87)
    """
    whole = math.ceil(n)
    digits = len(str(whole))
    return int(round(whole, -(digits - 3))) if digits > 3 else whole
