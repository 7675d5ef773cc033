"""Spans: the groups that a released model makes of the people behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.errors import GuaranteeError, ParameterError, SchemaError
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.tables._frequency import Histogram, group_keys
from shoal.typing import Codes, Counts, Flags, Floats

if TYPE_CHECKING:
    from shoal.privacy._model import PrivacyModel

PrivateColumns: TypeAlias = Mapping[str, tuple[Coding, Codes]]
"""Private columns of the training rows: what the codes mean, and one code per row."""


@dataclass(frozen=True, eq=False)
class Bins:
    """Equivalence classes of a model, with the training rows in each: what a release says.

    A model maps every point of the domain (public x private values) to an output.  The points with
    one output are a *bin*: one leaf and class value of a tree, one cluster of a clustering, one
    combination of "left side not met / met / rule met" of a rule set.

    Parameters
    ----------
    names : sequence of str
        How the model calls each bin.  Names speak of the model, never of a person.
    population : ndarray of int64
        Training rows in each bin.
    """

    names: Sequence[str]
    population: Counts

    @classmethod
    def count(cls, names: Sequence[str], bin_of_row: NDArray[np.integer[Any]]) -> Bins:
        """Count the rows of each bin."""
        counted = np.bincount(bin_of_row, minlength=len(names)).astype(np.int64)
        if len(counted) != len(names):
            raise ParameterError(f"{len(names)} bins are named, and a row is in bin {len(counted)}")
        return cls(names, counted)

    def __len__(self) -> int:
        return len(self.names)

    def to_dict(self) -> dict[str, Any]:
        """Names and populations."""
        return {"names": list(self.names), "population": self.population.tolist()}


@dataclass(frozen=True, eq=False)
class Spans:
    """The spans of a model that training rows have, and what the rows of each have in common.

    The *span* of a public tuple is the set of bins that it can fall in when its private values
    vary over their whole domain.  An attacker who knows the public values of everybody cannot tell
    two people of one span apart: a span is to a model what a group is to a table, and
    :attr:`groups` is the table on which every privacy model can be asked.

    Parameters
    ----------
    start : ndarray of int64
        Span s consists of the bins ``bins[start[s]:start[s + 1]]``.
    bins : ndarray of int32
        Bins of each span, rising within a span.
    groups : FrequencyTable
        One group per span: its population (training rows with that span) and, for every private
        column, how many of them have each value.

    Notes
    -----
    **Guarantee.**  A release is safe under a model when every span has a single bin or is an
    allowed group.  A span with a single bin says nothing private at all: whatever the private
    values are, the row is in that bin [FWS08]_ (claims 2 and 3).

    **Assumes** the attacker is given, beside the populations of bins, the histogram of private
    values within each span.  A release only gives the populations of bins, and bins may be shared
    between spans, so this is the stricter reading.

    References
    ----------
    .. [FWS08] A. Friedman, R. Wolff, A. Schuster.  Providing k-anonymity in data mining.
       The VLDB Journal 17, 2008.  doi:10.1007/s00778-006-0039-5

    Examples
    --------
    Three rows: two can be in bin 0 or 1, one is in bin 2 whatever its private values are.

    >>> reach = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]], bool)
    >>> spans, span_of_row = Spans.from_reach(reach)
    >>> spans.population.tolist(), spans.is_single.tolist(), spans.largest_k
    ([2, 1], [False, True], 2)
    """

    start: NDArray[np.int64]
    bins: Codes
    groups: FrequencyTable

    # -- builders ---------------------------------------------------------------------------

    @classmethod
    def from_reach(
        cls, reach: Flags, private: PrivateColumns | None = None
    ) -> tuple[Spans, NDArray[np.int64]]:
        """Spans from a table row x bin that says which bins each training row can fall in.

        Returns the spans, in order of first appearance, and the span of each row.
        """
        row, bins = np.nonzero(np.asarray(reach, np.bool_))
        start = np.zeros(len(reach) + 1, np.int64)
        np.cumsum(np.bincount(row, minlength=len(reach)), out=start[1:])
        packed = np.packbits(np.asarray(reach, np.bool_), axis=1).astype(np.int32)
        span_of_row, n_spans = group_keys(packed)
        return cls._of_members(span_of_row, n_spans, start, bins, private or {}), span_of_row

    @classmethod
    def from_lists(
        cls,
        start: NDArray[np.int64],
        bins: NDArray[np.integer[Any]],
        private: PrivateColumns | None = None,
    ) -> tuple[Spans, NDArray[np.int64]]:
        """Spans from the bins that each row can fall in, row after row, rising within a row.

        Row i can fall in ``bins[start[i]:start[i + 1]]``.  For models with many bins, of which
        each row can reach few.
        """
        words = np.ascontiguousarray(bins, np.int32)
        span_of: dict[bytes, int] = {}
        span_of_row = np.empty(len(start) - 1, np.int64)
        for row in range(len(start) - 1):
            own = words[start[row] : start[row + 1]].tobytes()
            span_of_row[row] = span_of.setdefault(own, len(span_of))
        spans = cls._of_members(span_of_row, len(span_of), start, words, private or {})
        return spans, span_of_row

    @classmethod
    def from_members(
        cls,
        span_of_row: NDArray[np.int64],
        start: NDArray[np.int64],
        bins: Codes,
        private: PrivateColumns | None = None,
    ) -> Spans:
        """Spans whose bins are known, from the span of each row."""
        return cls(start, bins, count_groups(span_of_row, len(start) - 1, private or {}))

    @classmethod
    def _of_members(
        cls,
        span_of_row: NDArray[np.int64],
        n_spans: int,
        row_start: NDArray[np.int64],
        row_bins: NDArray[np.integer[Any]],
        private: PrivateColumns,
    ) -> Spans:
        first = np.zeros(n_spans, np.int64)
        first[span_of_row[::-1]] = np.arange(len(span_of_row))[::-1]
        width = row_start[first + 1] - row_start[first]
        start = np.concatenate([[0], np.cumsum(width)]).astype(np.int64)
        index = np.repeat(row_start[first] - start[:-1], width) + np.arange(start[-1])
        return cls(
            start, row_bins[index].astype(np.int32), count_groups(span_of_row, n_spans, private)
        )

    # -- parts ------------------------------------------------------------------------------

    @property
    def n_spans(self) -> int:
        """Number of spans."""
        return len(self.start) - 1

    @property
    def population(self) -> Counts:
        """Training rows with each span."""
        return self.groups.sizes

    @cached_property
    def n_bins(self) -> Counts:
        """Bins of each span."""
        return np.diff(self.start)

    @property
    def is_single(self) -> Flags:
        """Which spans have one bin, so that the release says nothing private about their rows."""
        return self.n_bins == 1

    def bins_of(self, span: int) -> Codes:
        """Bins of one span."""
        return self.bins[self.start[span] : self.start[span + 1]]

    # -- what an attacker gets --------------------------------------------------------------

    def breaches(self, model: PrivacyModel) -> Flags:
        """Which spans break a privacy model: more than one bin, and not an allowed group."""
        return ~self.is_single & ~model.holds(self.groups)

    def require(self, model: PrivacyModel) -> None:
        """Raise :class:`GuaranteeError` unless the release is safe under a privacy model."""
        broken = self.breaches(model)
        if broken.any():
            raise GuaranteeError(
                f"{int(broken.sum())} of {self.n_spans} spans with "
                f"{int(self.population[broken].sum())} rows break the privacy model "
                f"({model.describe()}). The model is withheld; please report this."
            )

    @property
    def largest_k(self) -> int:
        """Largest k for which the release is k-anonymous; the number of rows when any k is."""
        several = self.population[~self.is_single & (self.population > 0)]
        return int(several.min(initial=self.groups.n_rows))

    def confidence(self, column: str) -> Floats:
        """Largest share of one value of a private column in each span; 0 where nothing is said."""
        if column not in self.groups.histograms:
            raise SchemaError(
                f"column {column!r} is not private. Private are: "
                f"{', '.join(map(repr, self.groups.histograms)) or 'none'}."
            )
        histogram = self.groups.histograms[column]
        most = np.zeros(self.n_spans, np.int64)
        np.maximum.at(most, histogram.group_of_entry, histogram.counts)
        share = most / np.maximum(self.population, 1)
        return np.where(self.is_single, 0.0, share)

    def exposed(self, column: str) -> Flags:
        """Which spans make a private value certain: all of their rows have it."""
        return self.confidence(column) == 1.0

    def exposed_rows(self, column: str) -> int:
        """Training rows whose value of a private column is certain."""
        return int(self.population[self.exposed(column)].sum())

    def to_dict(self) -> dict[str, Any]:
        """Bins, population and the histograms of private values of every span."""
        return {
            "bins": [self.bins_of(span).tolist() for span in range(self.n_spans)],
            "population": self.population.tolist(),
            "private": {
                name: histogram.dense().tolist()
                for name, histogram in self.groups.histograms.items()
            },
        }

    def __repr__(self) -> str:
        return f"Spans({self.n_spans} spans, {self.groups.n_rows} rows, k = {self.largest_k})"


def count_groups(
    group_of_row: NDArray[np.int64], n_groups: int, private: PrivateColumns
) -> FrequencyTable:
    """Count the rows of each group, and their values in the private columns.

    The table has no quasi-identifier columns: spans are groups by what a model makes of them.
    """
    sizes = np.bincount(group_of_row, minlength=n_groups).astype(np.int64)
    histograms = {
        name: _histogram(coding, group_of_row, n_groups, codes)
        for name, (coding, codes) in private.items()
    }
    return FrequencyTable((), np.empty((n_groups, 0), np.int32), sizes, histograms)


def _histogram(
    coding: Coding, group_of_row: NDArray[np.int64], n_groups: int, codes: Codes
) -> Histogram:
    entry = group_of_row * coding.n_codes + codes
    if n_groups * coding.n_codes <= 4 * len(codes):  # counting beats sorting
        dense = np.bincount(entry, minlength=n_groups * coding.n_codes)
        entries = np.flatnonzero(dense)
        counts = dense[entries]
    else:
        entries, counts = np.unique(entry, return_counts=True)
    start = np.searchsorted(entries, np.arange(n_groups + 1) * coding.n_codes)
    return Histogram(
        coding,
        start.astype(np.int64),
        (entries % coding.n_codes).astype(np.int32),
        counts.astype(np.int64),
    )
