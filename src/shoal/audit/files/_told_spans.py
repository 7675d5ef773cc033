"""Spans of a model as plain data: numbers and words that another process may send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.audit._model_spans import ModelSpans
from shoal.audit._training_table import TrainingTable
from shoal.privacy.spans._spans import Bins, Spans

Header: TypeAlias = Mapping[str, Any]
MOST_NAMED = 1_000_000
"""Classes whose names are sent; of more they are numbered."""
WORDS = ("notes", "unread", "held")


def write_spans(read: ModelSpans, broken: Sequence[int]) -> tuple[dict[str, Any], list[bytes]]:
    """Plain words and bytes of arrays, with causes for some spans."""
    names = list(read.bins.names) if len(read.bins) <= MOST_NAMED else []
    arrays = (read.span_of_row, read.spans.start, read.spans.bins, read.bins.population)
    told = [np.ascontiguousarray(array, "<i8").tobytes() for array in arrays]
    header = {
        "kind": read.kind,
        "method": read.method,
        "names": list(map(str, names)),
        "causes": {str(span): list(map(str, read.explain(span))) for span in broken},
        **{name: list(map(str, getattr(read, name))) for name in WORDS},
        "sizes": [len(one) for one in told],
    }
    return header, told


def read_spans(header: Header, arrays: Sequence[bytes], table: TrainingTable) -> ModelSpans:
    """Spans of the rows of a table; raises `ValueError` for anything that is none."""
    span_of_row, start, bins, population = (np.frombuffer(own, "<i8") for own in arrays)
    n_spans, n_bins = len(start) - 1, len(population)
    _require(len(span_of_row) == table.n_rows and n_spans > 0)
    _require(_all_in(span_of_row, n_spans) and _all_in(bins, n_bins) and not (population < 0).any())
    _require(start[0] == 0 and start[-1] == len(bins) and bool((np.diff(start) > 0).all()))
    names = _texts(header["names"]) or tuple(f"class {number}" for number in range(n_bins))
    _require(len(names) == n_bins and isinstance(header["causes"], dict))
    causes = {int(span): _texts(said) for span, said in header["causes"].items()}
    kind, method = _texts([header["kind"], header["method"]])
    notes, unread, held = (_texts(header[name]) for name in WORDS)
    own = span_of_row.astype(np.int64)
    spans = Spans.from_members(own, start.astype(np.int64), bins.astype(np.int32), table.columns)
    return ModelSpans(
        kind,
        spans,
        own,
        Bins(names, population.astype(np.int64)),
        lambda span: causes.get(span, ()),
        method,
        notes,
        unread,
        held,
    )


def _all_in(numbers: NDArray[np.int64], end: int) -> bool:
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < end)


def _texts(said: Any) -> tuple[str, ...]:
    _require(isinstance(said, list) and all(type(one) is str for one in said))
    return tuple(said)


def _require(fits: bool) -> None:
    if not fits:
        raise ValueError("not what an audit sends")
