"""What an adapter hands to the audit: spans, bins, and words for both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.privacy.spans._spans import Bins, Spans

MOST_PATHS = 3


@dataclass(frozen=True, eq=False)
class ModelSpans:
    """One model over one table, seen as spans.

    Parameters
    ----------
    kind : str
        What the model is.
    spans : Spans
        Groups of training rows that an attacker can form.
    span_of_row : ndarray of int64
        Span of each row.
    bins : Bins
        Equivalence classes with their populations.
    method : str
        How spans were found: "exact", or what was enumerated or sampled.
    explain : callable
        Which tests, rules or centroids tell a span apart from the others.
    notes : tuple of str
        Whatever the reader of the report has to know.
    unread : tuple of str
        What of the model these spans do not show; nobody can call it safe then.
    held : tuple of str
        What the model tells of single people beside its spans.
    """

    kind: str
    spans: Spans
    span_of_row: NDArray[np.int64]
    bins: Bins
    explain: Callable[[int], tuple[str, ...]]
    method: str = "exact"
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    held: tuple[str, ...] = ()


def shorten(shown: list[str]) -> tuple[str, ...]:
    """The first few paths, and how many more there are."""
    if len(shown) <= MOST_PATHS:
        return tuple(shown)
    return (*shown[:MOST_PATHS], f"and {len(shown) - MOST_PATHS} more")
