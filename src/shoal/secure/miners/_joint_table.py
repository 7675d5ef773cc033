"""Both parties' parts as one table: its counts come out as shares."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError, ProtocolError
from shoal.parties._expect import Array, Whole
from shoal.secure._party import Party, Session
from shoal.secure.miners._table_part import MISSING, Query, TablePart
from shoal.secure.transfer._scalar import Margin

MAX_ROWS = 2**31
BATCH_TRANSFERS = 2**23  # some hundred megabytes


class JointTable:
    """Both parts seen from one end: counts come out as shares.

    Parameters
    ----------
    part : TablePart
        What this party holds.
    party : Party
        This end of the session.

    Notes
    -----
    **Reveals.**  Names, values, the number of rows (of each party for split rows), and for split
    cells which party holds each cell.

    **Assumes.**  Semi-honest parties; what transfers assume, for split cells.

    **Costs.**  Nothing for split rows; for split cells see :func:`serve_tables`.

    Examples
    --------
    Two people are ill in all; each party has a share of that count, and neither the count.

    >>> from shoal.parties import run_parties
    >>> from shoal.secure import FirstParty, SecondParty, TablePart
    >>> def shares_of_ill(kind, codes):
    ...     part = TablePart(["ill"], [["no", "yes"]], np.array(codes))
    ...     return lambda line: JointTable(part, kind(line)).counts([((0,), {})])[0]
    >>> first, second = run_parties(
    ...     shares_of_ill(FirstParty, [[1], [0]]), shares_of_ill(SecondParty, [[1]])
    ... )
    >>> (first + second).tolist()
    [1, 2]
    """

    def __init__(self, part: TablePart, party: Session) -> None:
        self.part, self.party = part, party
        party.agree(
            {
                "names": list(part.names),
                "values": [list(values) for values in part.values],
                "split": part.split,
                **({"rows": len(part.codes)} if part.split == "cells" else {}),
            },
            "tables",
        )
        if part.split == "rows":
            other = party.exchange(
                len(part.codes), Whole("the other party's number of rows", MAX_ROWS)
            )
            self.n_rows = len(part.codes) + other
        else:
            self.n_rows = len(part.codes)
            self._mine = self._ownership()
        if not 0 < self.n_rows < MAX_ROWS:
            raise ParameterError(f"the joint table needs 1 to 2**31 - 1 rows, has {self.n_rows}.")

    def _ownership(self) -> NDArray[np.bool_]:
        """Exchange who holds which cell; each must be held by exactly one party."""
        mine = self.part.codes != MISSING
        packed = np.packbits(mine)
        theirs = self.party.exchange(
            packed, Array("which cells the other party holds", np.uint8, packed.shape)
        )
        other = np.unpackbits(theirs, count=mine.size).reshape(mine.shape) > 0
        for name, both, none in zip(
            self.part.names, (mine & other).sum(axis=0), (~mine & ~other).sum(axis=0), strict=True
        ):
            if both or none:
                raise ProtocolError(
                    f"column {name!r}: {both} cells are held by both parties, {none} by neither. "
                    "Each cell needs one holder; give missing values a category of their own."
                )
        return mine

    def counts(self, queries: Sequence[Query]) -> list[NDArray[np.uint32]]:
        """Shares, modulo 2**32, of the contingency table of each query.

        A query is the columns to tabulate and the columns fixed to a value.  The result has one
        axis per tabulated column.  All queries are answered in one batch.
        """
        arities = self.part.arities
        shapes = [tuple(arities[c] for c in columns) for columns, _ in queries]
        results = [np.zeros(shape, np.uint32) for shape in shapes]
        if self.part.split == "rows":
            for (columns, fixed), result in zip(queries, results, strict=True):
                result += self.part.tabulate(columns, fixed)
            return results
        batch = _Batch(self.party, queries, results, arities)
        for number, (columns, fixed) in enumerate(queries):
            for rows, owned in self._patterns([*columns, *fixed]):
                if all(owned.values()):
                    results[number] += self.part.tabulate(columns, fixed, rows)
                elif any(owned.values()):  # what is all the other party's is counted there
                    first = [c for c in columns if owned[c] == self.party.is_first]
                    second = [c for c in columns if owned[c] != self.party.is_first]
                    margin = self._margin(rows, columns, fixed, owned)
                    batch.add(margin, number, first, second)
        batch.flush()
        return results

    def require(self, k: int) -> None:
        """Raise unless there are k rows; their number is public."""
        if self.n_rows < k:
            raise too_few(k)

    def _patterns(self, columns: list[int]) -> list[tuple[NDArray[np.bool_], dict[int, bool]]]:
        """Rows grouped by who holds these columns, in an order that both parties share."""
        # Sorted by what the *first* party holds: both ends know that, and it is the same at both.
        mine = self._mine[:, columns]
        held_by_first = mine if self.party.is_first else ~mine
        keys = held_by_first @ (1 << np.arange(len(columns)))
        groups = []
        for key in np.unique(keys).tolist():
            owned = {c: (key >> i & 1) == self.party.is_first for i, c in enumerate(columns)}
            groups.append((keys == key, owned))
        return groups

    def _matching(
        self, rows: NDArray[np.bool_], fixed: Mapping[int, int], owned: Mapping[int, bool]
    ) -> NDArray[np.bool_]:
        match = rows.copy()
        for column, value in fixed.items():
            if owned[column]:
                match &= self.part.codes[:, column] == value
        return match

    def _margin(
        self,
        rows: NDArray[np.bool_],
        columns: Sequence[int],
        fixed: Mapping[int, int],
        owned: Mapping[int, bool],
    ) -> Margin:
        """Return this party's side of the table over rows that both hold parts of."""
        sizes = {
            side: math.prod(self.part.arities[c] for c in columns if owned[c] == side)
            for side in (True, False)
        }
        match = self._matching(rows, fixed, owned)
        cells = self.part.index([c for c in columns if owned[c]])
        index = ((cells + 1) * match - 1)[rows]  # MISSING where nothing matches, at no other pace
        is_first = self.party.is_first
        return Margin(index.astype(np.int32), sizes[is_first], sizes[not is_first])


def too_few(k: int) -> ParameterError:
    """The error at every seat where the joint table is smaller than k."""
    return ParameterError(f"the joint table has fewer than k={k} rows. Take a smaller k.")


class _Batch:
    """Tables across the split, run together until they fill the memory set aside for them."""

    def __init__(
        self,
        party: Session,
        queries: Sequence[Query],
        results: list[NDArray[np.uint32]],
        arities: list[int],
    ) -> None:
        if not isinstance(party, Party):
            raise ParameterError("this engine takes split rows only.")
        self._party, self._queries, self._results = party, queries, results
        self._arities = arities
        self._margins: list[Margin] = []
        self._targets: list[tuple[int, list[int], list[int]]] = []
        self._size = 0

    def add(self, margin: Margin, number: int, first: list[int], second: list[int]) -> None:
        """Note one table; sizes are public, so both parties flush at the same places."""
        self._margins.append(margin)
        self._targets.append((number, first, second))
        self._size += len(margin.own) * margin.n_second
        if self._size > BATCH_TRANSFERS:
            self.flush()

    def flush(self) -> None:
        """Run what was noted and add it to the results."""
        tables = self._party.tables(self._margins)
        for (number, first, second), table in zip(self._targets, tables, strict=True):
            columns = list(self._queries[number][0])
            self._results[number] += _arranged(table, columns, first, second, self._arities)
        self._margins, self._targets, self._size = [], [], 0


def _arranged(
    table: NDArray[np.uint32],
    columns: list[int],
    first: list[int],
    second: list[int],
    arities: list[int],
) -> NDArray[np.uint32]:
    """Bring a table of second-party values by first-party values into the order of the columns."""
    order = [*second, *first]
    cube = table.reshape([arities[c] for c in order])
    return cube.transpose([order.index(c) for c in columns])
