"""Which values a label covers: its own reading of what labels say."""

import datetime as dt
import re
from dataclasses import dataclass, field
from fractions import Fraction

from tests.judge.values import read_moment, read_number, says

_N = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_BAND = re.compile(rf"\[({_N})-({_N})([\])])")
_RANGE = re.compile(r"\[(.*?) to (.*)([\])])", re.DOTALL)
_OPEN = re.compile(rf"(<|<=|>|>=)({_N})")


@dataclass(frozen=True)
class Fact:
    """What is public of a column: its role, its kind and how its values may coarsen.

    `above` maps a value's text to the labels above it; `prefix` is (lengths, mask).
    """

    role: str
    kind: str = "categorical"
    above: dict = field(default_factory=dict)
    prefix: tuple | None = None
    order: tuple = ()


def tree_above(tree):
    """Labels above each leaf of a nested mapping whose leaves stand in lists, nearest first."""
    above = {}

    def walk(node, labels):
        for leaf in node if isinstance(node, list) else ():
            above[leaf] = labels
        for label, below in node.items() if isinstance(node, dict) else ():
            walk(below, (label, *labels))

    walk(tree, ())
    return above


def covers(text, value, fact, *, guessed=False):
    """Whether a released cell (`text`; None is missing) is true of a plain value."""
    if says(text, value, guessed=guessed) or re.fullmatch(r"\*( \[level \d+\])?", text or ""):
        return True  # the root has a longer name where "*" is a value
    if text is None or value is None:
        return False
    return (
        text in fact.above.get(_leaf(value), ())
        or _by_prefix(text, _leaf(value), fact)
        or (fact.kind == "date" and _by_period(text, value))
        or (fact.kind in ("numeric", "ordinal") and _by_band(text, value, guessed))
        or (fact.kind == "ordinal" and _by_order(text, value, fact))
        or (fact.kind == "categorical" and _by_alphabet(text, _leaf(value)))
    )


def _leaf(value):
    sort, held = value
    if sort == "truth":
        return str(held).lower()
    if sort == "number":
        whole = isinstance(held, str) or held.denominator == 1
        return str(held) if whole else repr(float(held))
    if sort == "moment":
        day = held.time() == dt.time()
        return held.date().isoformat() if day else held.isoformat(sep=" ")
    return held


def _by_prefix(text, leaf, fact):
    if fact.prefix is None:
        return False
    lengths, mask = fact.prefix
    return any(
        text == leaf[:keep] + mask * (len(leaf) - keep) for keep in lengths if len(leaf) > keep
    )


def _number_of(value, guessed):
    sort, held = value
    if sort == "number":
        return None if isinstance(held, str) else held
    return read_number(held) if sort == "text" and guessed else None


def _by_band(text, value, guessed):
    number = _number_of(value, guessed)
    if number is None:
        return False
    if open_end := _OPEN.fullmatch(text):
        end = _end(open_end[2])
        return {
            "<": number < end,
            "<=": number <= end,
            ">": number > end,
            ">=": number >= end,
        }[open_end[1]]
    if not (band := _BAND.fullmatch(text)):
        return False
    low, high = _end(band[1]), _end(band[2])
    return low <= number <= high and (band[3] == "]" or number < high)


def _end(text):
    return Fraction(read_number(text))


def _by_period(text, value):
    sort, held = value
    moment = held if sort == "moment" else read_moment(held) if sort == "text" else None
    if moment is None:
        return False
    if ends := _RANGE.fullmatch(text):
        low, high = _period(ends[1]), _period(ends[2])
        return bool(low and high) and low[0] <= moment < high[1] and low[0] <= high[0]
    period = _period(text)
    return period is not None and period[0] <= moment < period[1]


def _period(text):
    """First moment of a period, and the first one after it."""
    day, year = read_moment(text), r"(\d{4})"
    if day is not None:
        return day, day + (dt.timedelta(days=1) if len(text) == 10 else dt.timedelta.resolution)
    if parts := re.fullmatch(year + r"-(\d{2})", text):
        return _months(int(parts[1]), int(parts[2]), 1)
    if parts := re.fullmatch(year + r"-Q([1-4])", text):
        return _months(int(parts[1]), 3 * int(parts[2]) - 2, 3)
    if parts := re.fullmatch(year, text):
        return _months(int(parts[1]), 1, 12)
    if parts := re.fullmatch(year + "s", text):
        return _months(int(parts[1]), 1, 120)
    return None


def _months(year, month, count):
    last = year * 12 + month - 1 + count
    if not 1 <= month <= 12 or not year >= 1 or last // 12 > 9999:
        return None
    return dt.datetime(year, month, 1), dt.datetime(last // 12, last % 12 + 1, 1)


def _by_order(text, value, fact):
    place = {label: index for index, label in enumerate(fact.order)}
    inner = text[1:-1] if text[:1] == "[" and text[-1:] == "]" else ""
    for separator in (" to ", "-"):  # values may hold the separator: any way to read it will do
        parts = inner.split(separator)
        for cut in range(1, len(parts)):
            low = place.get(separator.join(parts[:cut]))
            high = place.get(separator.join(parts[cut:]))
            if None not in (low, high) and low <= place.get(_leaf(value), -1) <= high:
                return True
    return False


def _by_alphabet(text, leaf):
    """Texts without a hierarchy are ordered by their characters' numbers."""
    if not (text[:4] and text[0] == "[" and text[-1] == "]"):
        return False
    for separator in (" to ", "-"):  # a dash between texts that read as numbers
        parts = text[1:-1].split(separator)
        for cut in range(1, len(parts)):
            if separator.join(parts[:cut]) <= leaf <= separator.join(parts[cut:]):
                return True
    return False
