"""Are an owner's answers counts?  Decided on shares: only whether they are is opened."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from shoal.secure._party import Party
from shoal.secure.circuits._circuit import Builder
from shoal.secure.circuits._library import add, any_of, constant, less
from shoal.secure.circuits._yao import Program
from shoal.secure.logarithm._counts import count_bits
from shoal.secure.miners._table_part import Query

Table = NDArray[np.uint32]

WORD = 32
"""Bits of a share of a count."""


def find_wrong(
    party: Party, answers: Mapping[str, list[Table]], queries: Sequence[Query], width: int
) -> set[str]:
    """Owners whose answers are no counts, or count different rows in different tables.

    Notes
    -----
    **Reveals.**  Nothing about an owner whose answers are counts; of another one, which of its
    numbers fail.

    **Costs.**  Two rounds; per owner and count ``63 - width`` AND gates, and 31 per margin.

    A count has at most `width` bits.  Tables with the same fixed values have the same total, and
    the same counts of their last column if they end with the same one.  An owner that lies within
    these limits cannot be told from one with other rows.
    """
    counts = np.stack([np.concatenate([t.ravel() for t in tables]) for tables in answers.values()])
    zeros = np.stack([_differences(tables, queries) for tables in answers.values()])
    # A sum is 0 when one share is minus the other, which takes no adder.
    zeros = zeros if party.is_first else -zeros
    wrong = np.zeros(len(counts), np.bool_)
    for program, values in ((_too_large(width), counts), (_different(), zeros)):
        opened = party.run(program, count_bits(values.reshape(-1, 1), WORD)).opened
        wrong |= opened.reshape(values.shape).any(axis=1)
    return {name for name, bad in zip(answers, wrong, strict=True) if bad}


def _differences(tables: list[Table], queries: Sequence[Query]) -> Table:
    """Shares of numbers that are 0 if all tables of the same rows agree."""
    found: dict[object, Table] = {}
    differences = [np.zeros(0, np.uint32)]
    for table, (columns, fixed) in zip(tables, queries, strict=True):
        rows, last = frozenset(fixed.items()), columns[-1]
        margin = table.reshape(-1, table.shape[-1]).sum(axis=0, dtype=np.uint32)
        total = margin.sum(keepdims=True, dtype=np.uint32)
        for key, value in (((rows, last), margin), (rows, total)):
            if key in found:
                differences.append(value - found[key])
            else:
                found[key] = value
    return np.concatenate(differences)


@lru_cache(maxsize=32)
def _too_large(width: int) -> Program:
    b = Builder(WORD, WORD)
    total, _ = add(b, b.first, b.second)
    return Program(b.finish([any_of(b, total[width:])]), 1)


@lru_cache(maxsize=1)
def _different() -> Program:
    b = Builder(WORD, WORD)
    unequal = [b.xor(p, q) for p, q in zip(b.first, b.second, strict=True)]
    return Program(b.finish([any_of(b, unequal)]), 1)


@lru_cache(maxsize=32)
def at_most(bound: int) -> Program:
    """Opens whether a shared number is at most a public one."""
    b = Builder(WORD, WORD)
    total, _ = add(b, b.first, b.second)
    return Program(b.finish([b.not_(less(b, constant(bound, WORD), total))]), 1)
