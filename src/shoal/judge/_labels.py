"""Whether a released label is true of a value, read from the label's text and the hierarchy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from shoal.judge._values import canonical, moments, number, period, same_value

STAR = "*"
"""Stands for every value."""

_Ends = tuple[Any, Any]  # least and largest place that a text may stand for


@dataclass(frozen=True, eq=False)
class LabelReader:
    """Reads the labels of one column.

    Parameters
    ----------
    kind : str
        "numeric", "date", "ordinal" or "categorical".
    order : sequence of str
        Values of an ordinal column, rising.
    labels : sequence of str or None
        Nodes of the hierarchy, if there is one.
    parents : sequence of int
        Place of each node's parent; the root's is its own or negative.
    on_lines : bool
        Whether ranges are said to end on public lines.
    step : float, str or None
        What the schema says of such lines.

    Examples
    --------
    >>> ages = LabelReader("numeric")
    >>> ages.covers("[20-29]", "25.0"), ages.covers("[20-30)", "30"), ages.covers(">=65", "70")
    (True, False, True)
    """

    kind: str
    order: Sequence[str] = ()
    labels: Sequence[str | None] = ()
    parents: Sequence[int] = ()
    on_lines: bool = False
    step: float | str | None = None

    @cached_property
    def _nodes(self) -> dict[str | None, list[int]]:
        nodes: dict[str | None, list[int]] = {}
        for node, label in enumerate(self.labels):
            nodes.setdefault(canonical(label), []).append(node)
        return nodes

    def covers(self, label: str | None, value: str | None) -> bool:
        """Whether a label is true of a value."""
        if label == STAR or same_value(label, value):
            return True
        if label is None:
            return False
        if self._is_above(label, value):
            return True
        # Nothing may stand for an empty text, and "nan" may be one: they lie in ranges as others.
        text = value or ""
        return self._in_range(label, text) or _masked(label, text) or self._in_set(label, text)

    def _is_above(self, label: str, value: str | None) -> bool:
        """Whether the label is a node on the way from the value's leaf to the root."""
        for leaf in self._nodes.get(canonical(value), ()):
            node, above = leaf, self.parents[leaf]
            while above >= 0 and above != node:
                node, above = above, self.parents[above]
                if self.labels[node] == label:
                    return True
        return False

    def _in_range(self, label: str, value: str) -> bool:
        return any(_inside(label, value, parse) for parse in self._places())

    def _in_set(self, label: str, value: str) -> bool:
        if not (label.startswith("{") and label.endswith("}")):
            return False
        inner = label[1:-1]
        parts = [part.strip() for part in inner.split(",")]
        return f", {value}, " in f", {inner}, " or any(self.covers(part, value) for part in parts)

    def _places(self) -> Iterator[Callable[[str], _Ends | None]]:
        """Ways to put texts of this column on a line."""
        if self.kind == "numeric":
            yield _number_place
            yield _float_place
        elif self.kind == "date":
            yield _date_place
            yield _number_place
        elif self.order:
            ranks = {canonical(value): rank for rank, value in enumerate(self.order)}
            yield lambda text: _both(ranks.get(canonical(text)))
        else:
            yield _number_place
            yield _both


def _both(point: Any) -> _Ends | None:
    return None if point is None else (point, point)


def _number_place(text: str) -> _Ends | None:
    return _both(number(text))


def _float_place(text: str) -> _Ends | None:
    """A number in powers of ten is the short name of a float, and the float is what is stored."""
    plain = number(text)
    return _both(plain if plain is None or "e" not in text.lower() else Decimal(float(plain)))


def _date_place(text: str) -> _Ends | None:
    ends = period(text)
    if ends is not None:
        return ends
    guessed = sorted(moments(text))
    return (guessed[0], guessed[-1]) if guessed else None


def _inside(label: str, value: str, parse: Callable[[str], _Ends | None]) -> bool:
    own = parse(value)
    if own is None:
        return False
    low_text, high_text, is_open = None, None, False
    if label.startswith(">="):
        low_text = label[2:]
    elif label.startswith("<"):
        high_text, is_open = label[1:], True
    else:
        return any(
            low[0] <= own[0] and (own[1] < high[0] if opened else own[1] <= high[1])
            for low, high, opened in _splits(label, parse)
        )
    if low_text is not None:
        low = parse(low_text)
        return low is not None and bool(low[0] <= own[0])
    high = parse(high_text or "")
    return high is not None and bool(own[1] < high[0] if is_open else own[1] <= high[1])


def _splits(
    label: str, parse: Callable[[str], _Ends | None]
) -> Iterator[tuple[_Ends, _Ends, bool]]:
    """Every way to read a label as two ends; values may hold dashes themselves."""
    is_range = label.startswith("[") and label.endswith((")", "]"))
    inner = label[1:-1] if is_range else label
    whole = parse(inner)
    if whole is not None and parse is not _both:
        yield whole, whole, False  # a month, a year
    for sign in (" to ", "-"):
        split = inner.find(sign, sign == "-")  # a dash in front is a minus, nothing an empty text
        while split >= 0:
            low, high = parse(inner[:split]), parse(inner[split + len(sign) :])
            if low is not None and high is not None:
                yield low, high, label.endswith(")")
            split = inner.find(sign, split + 1)


def _masked(label: str, value: str) -> bool:
    """A code whose end is starred, as long as the value."""
    start = label.rstrip(STAR)
    return bool(start) and start != label and len(label) == len(value) and value.startswith(start)
