"""Are an owner's answers counts?  Decided on shares: only whether they are is opened."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from shoal.secure._party import Party
from shoal.secure.circuits._circuit import Builder
from shoal.secure.circuits._library import add, any_of, constant, less
from shoal.secure.circuits._yao import Program
from shoal.secure.logarithm._counts import count_bits, unequal
from shoal.secure.miners._table_part import Query

Table = NDArray[np.uint32]
Rows = frozenset[tuple[int, int]]  # those with these values in these columns

WORD = 32
"""Bits of a share of a count."""


class Answered:
    """What one owner has said so far, as one helper's shares: tables of rows by columns.

    Parameters
    ----------
    rows : array
        A share of how many rows the owner has.
    """

    def __init__(self, rows: Table) -> None:
        self._known: dict[tuple[Rows, tuple[int, ...]], Table] = {(frozenset(), ()): rows}

    def differences(self, tables: Iterable[Table], queries: Sequence[Query]) -> Table:
        """Shares of numbers that are 0 if tables agree with one another and with those before."""
        differences = [np.zeros(0, np.uint32)]
        for table, (columns, fixed) in zip(tables, queries, strict=True):
            order = tuple(int(i) for i in np.argsort(columns))
            ascending = tuple(columns[i] for i in order)
            differences += self._compare(
                frozenset(fixed.items()), ascending, table.transpose(order)
            )
        return np.concatenate(differences)

    def _compare(self, rows: Rows, columns: tuple[int, ...], table: Table) -> list[Table]:
        """A table less what was said before; its margins, if nothing was said about it."""
        known = self._said(rows, columns)
        if known is not None:
            return [np.ravel(table) - np.ravel(known)]
        self._known[rows, columns] = table
        differences = []
        for i in range(len(columns)):
            margin = table.sum(axis=i, dtype=np.uint32)
            differences += self._compare(rows, columns[:i] + columns[i + 1 :], margin)
        return differences

    def _said(self, rows: Rows, columns: tuple[int, ...]) -> Table | None:
        """A table that is known, or is a part of one of more rows."""
        if (rows, columns) in self._known:
            return self._known[rows, columns]
        for column, value in sorted(rows):
            wider = tuple(sorted((*columns, column)))
            whole = self._known.get((rows - {(column, value)}, wider))
            if whole is not None:
                return np.asarray(whole.take(value, axis=wider.index(column)))
        return None


def find_wrong(
    party: Party,
    answers: Mapping[str, list[Table]],
    queries: Sequence[Query],
    width: int,
    said: Mapping[str, Answered],
) -> set[str]:
    """Owners whose answers are no counts, or contradict each other or what was said before.

    Notes
    -----
    **Reveals.**  Nothing about an owner whose answers are counts; of another one, which of its
    numbers fail.

    **Costs.**  Two rounds; per owner and count ``63 - width`` AND gates, and 31 per number that
    was said before.

    A count has at most `width` bits.  Whatever follows from two tables by adding up must be the
    same: the number of rows, that of a group and of the split that made it, every common margin.
    An owner that lies within these limits is not found out; many such lies are other rows.
    """
    counts = np.stack([np.concatenate([t.ravel() for t in tables]) for tables in answers.values()])
    zeros = np.stack([said[name].differences(tables, queries) for name, tables in answers.items()])
    zeros = zeros if party.is_first else -zeros
    wrong = np.zeros(len(counts), np.bool_)
    for program, values in ((_too_large(width), counts), (unequal(WORD), zeros)):
        opened = party.run(program, count_bits(values.reshape(-1, 1), WORD)).opened
        wrong |= opened.reshape(values.shape).any(axis=1)
    return {name for name, bad in zip(answers, wrong, strict=True) if bad}


@lru_cache(maxsize=32)
def _too_large(width: int) -> Program:
    b = Builder(WORD, WORD)
    total, _ = add(b, b.first, b.second)
    return Program(b.finish([any_of(b, total[width:])]), 1)


@lru_cache(maxsize=32)
def at_most(bound: int) -> Program:
    """Opens whether a shared number is at most a public one."""
    b = Builder(WORD, WORD)
    total, _ = add(b, b.first, b.second)
    return Program(b.finish([b.not_(less(b, constant(bound, WORD), total))]), 1)
