"""Searching a stream: a uniform sample of the rows seen so far, kept up batch by batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.discover.sources._checks import (
    RandomState,
    check_columns,
    check_count,
    check_widths,
    make_generator,
)
from shoal.discover.sources._partition import CodeTable
from shoal.discover.sources._source import CodedSource
from shoal.errors import ParameterError, TableError
from shoal.frames._frame import Frame
from shoal.typing import Codes, Counts, Native


class RowSample:
    """A random sample of a stream of rows, for searches over tables too large to hold.

    Pass it to :func:`find_key` or :func:`mask` in place of a table once the stream has ended, or at
    any time in between: the result is about the rows seen so far.

    Parameters
    ----------
    size : int
        Rows to keep.  A search by pairs needs twice as many rows as pairs; see
        :func:`pairs_for_key` and :func:`rows_for_key`.
    columns : sequence of str, optional
        Columns to keep; by default all of the first batch.
    bins : mapping of str to float, optional
        Width of the bins into which numbers of a column are put before they are compared.
    random_state : int, Generator or RandomState, optional
        Source of the sample.

    Attributes
    ----------
    n_rows_seen_ : int
        Rows of all batches.
    feature_names_in_ : tuple of str
        The columns.

    Notes
    -----
    **Guarantee.**  After every batch each set of `size` rows among those seen is equally likely
    to be the one kept: the number of rows that a batch contributes is hypergeometric.  Pairs
    drawn from the reservoir have the law of independent pairs of the whole stream.

    **Costs.**  Memory follows `size`, not the length of the stream, but for one dictionary per
    column with the values that were ever in the reservoir.

    Examples
    --------
    >>> from shoal.discover import find_key
    >>> sample = RowSample(1_000, random_state=0)
    >>> for start in range(0, 10_000, 1_000):
    ...     batch = {"a": [i % 100 for i in range(start, start + 1_000)],
    ...              "b": [i // 100 for i in range(start, start + 1_000)],
    ...              "c": [i % 2 for i in range(start, start + 1_000)]}
    ...     sample = sample.partial_fit(batch)
    >>> sample.n_rows_seen_
    10000
    >>> sorted(find_key(sample, "separation", eps=0.02, random_state=0).attributes)
    ['a', 'b']
    """

    def __init__(
        self,
        size: int,
        *,
        columns: Sequence[str] | None = None,
        bins: Mapping[str, float] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.size = size
        self.columns = columns
        self.bins = bins
        self.random_state = random_state
        self.n_rows_seen_ = 0
        self.feature_names_in_: tuple[str, ...] = ()
        self._codes: Codes = np.empty((0, 0), np.int32)
        self._code_of: list[dict[Any, int]] = []
        self._widths: dict[str, float] = {}

    def partial_fit(self, batch: Native) -> Self:
        """Offer further rows to the sample: a frame, or a mapping of names to sequences."""
        rows = _Batch(batch)
        if not self.feature_names_in_:
            self._start(rows)
        absent = [name for name in self.feature_names_in_ if name not in rows.names]
        if absent:
            shown = ", ".join(map(repr, absent))
            raise TableError(f"a batch lacks the columns {shown}. All batches need the same ones.")
        seen, held = self.n_rows_seen_, self._codes.shape[1]
        size = min(self.size, seen + rows.n_rows)
        n_new = int(self._generator.hypergeometric(rows.n_rows, seen, size)) if size else 0
        kept = self._generator.choice(held, size - n_new, replace=False)
        taken = self._generator.choice(rows.n_rows, n_new, replace=False)
        self._codes = np.concatenate([self._codes[:, kept], self._code(rows, taken)], axis=1)
        self.n_rows_seen_ = seen + rows.n_rows
        return self

    def source(
        self, columns: Sequence[str] | None, bins: Mapping[str, float] | None
    ) -> SampledSource:
        """The sample as the searches read it."""
        if not self.feature_names_in_:
            raise ParameterError("the sample has seen no rows yet. Call partial_fit first.")
        if bins:
            raise ParameterError("a sample is binned when it is taken: give bins to RowSample.")
        names = self.feature_names_in_
        held = SampledSource(CodeTable(names, self._codes), self.n_rows_seen_)
        return held.select(check_columns(columns, names))

    def _start(self, rows: _Batch) -> None:
        check_count("size", self.size, 2)
        names = check_columns(self.columns, rows.names)
        self._widths = check_widths(self.bins, names, rows.types)
        self._generator = make_generator(self.random_state)
        self._code_of = [{} for _ in names]
        self._codes = np.empty((len(names), 0), np.int32)
        self.feature_names_in_ = names

    def __repr__(self) -> str:
        return f"RowSample({self._codes.shape[1]} of {self.n_rows_seen_} rows)"

    def _code(self, rows: _Batch, taken: NDArray[np.intp]) -> Codes:
        coded = np.empty((len(self.feature_names_in_), len(taken)), np.int32)
        for column, (name, code_of) in enumerate(
            zip(self.feature_names_in_, self._code_of, strict=True)
        ):
            codes, values = rows.take(name, taken, self._widths.get(name))
            values = [*values, None]  # a missing value's code is -1
            table = np.array([code_of.setdefault(value, len(code_of)) for value in values])
            coded[column] = table[codes]
        return coded


@dataclass(frozen=True, eq=False)
class SampledSource:
    """A reservoir in place of a table: what it holds can be drawn, the rest is gone."""

    table: CodeTable
    n_rows: int
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.table.names

    def codes(self) -> CodeTable:
        """Every row, if every row is still there."""
        self._require(self.n_rows, "looking at every row")
        return self.table

    def sample(self, size: int, generator: np.random.Generator) -> CodeTable:
        """Some of the rows held."""
        size = min(size, self.n_rows)
        self._require(size, "this guarantee")
        return self.table.take(generator.choice(self.table.n_rows, size, replace=False))

    def group_sizes(self) -> tuple[Counts, Counts]:
        """Sizes of the groups of equal rows, if every row is still there."""
        return CodedSource(self.codes()).group_sizes()

    def distinct(self) -> SampledSource:
        """Raise: equal rows may have passed unseen."""
        raise ParameterError(
            "rows of a stream cannot be made distinct. Leave duplicates='keep', or drop them "
            "before they reach the sample."
        )

    def select(self, names: Sequence[str]) -> SampledSource:
        """Only some of the columns."""
        table = CodedSource(self.table).select(names).table
        return SampledSource(table, self.n_rows, self.notes)

    def _require(self, size: int, purpose: str) -> None:
        if size > self.table.n_rows:
            raise ParameterError(
                f"{purpose} needs {size} rows, the sample holds {self.table.n_rows} of "
                f"{self.n_rows}. Keep more rows (size={size}), or ask for less (a larger eps, a "
                "smaller sample, another kind)."
            )


class _Batch:
    """Rows of one batch, whichever way they came."""

    def __init__(self, native: Native) -> None:
        self._columns = native if isinstance(native, Mapping) else None
        self._frame = None if isinstance(native, Mapping) else Frame(native)
        self.names = tuple(native) if self._frame is None else self._frame.names
        lengths = {len(native[name]) for name in self.names} if self._frame is None else set()
        if len(lengths) > 1:
            raise TableError("the columns differ in length. Give every column as many rows.")
        self.n_rows = max(lengths, default=0) if self._frame is None else self._frame.n_rows

    @property
    def types(self) -> Mapping[str, str]:
        if self._frame is not None:
            return self._frame.types
        assert self._columns is not None
        kinds = {name: np.asarray(values).dtype.kind for name, values in self._columns.items()}
        return {name: "number" if kind in "iuf" else "text" for name, kind in kinds.items()}

    def take(
        self, name: str, rows: NDArray[np.intp], width: float | None
    ) -> tuple[Codes, list[Any]]:
        if self._frame is not None:
            frame = self._frame.select([name]).take(rows)
            return (frame.binned({name: width}) if width else frame).factorize(name)
        assert self._columns is not None
        values = [self._columns[name][row] for row in rows.tolist()]
        if width:
            values = np.floor(np.array(values, np.float64) / width).tolist()
        code_of: dict[Any, int] = {}
        codes = [
            -1 if value is None or value != value else code_of.setdefault(value, len(code_of))
            for value in values
        ]
        return np.array(codes, np.int32), list(code_of)
