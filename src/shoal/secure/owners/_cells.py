"""Cells that owners hold of the same rows: shared out once, and counted by the helpers.

An owner shares, for each column, which value each row has, and zeros where it does not hold the
cell.  Exclusive or of all owners' shares is the whole table, however its cells are split; neither
helper, nor any owner, learns who holds which cell.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ProtocolError
from shoal.parties._expect import Array, Whole
from shoal.secure._ring import Bits
from shoal.secure.circuits._circuit import Builder
from shoal.secure.circuits._library import any_of
from shoal.secure.circuits._yao import Program
from shoal.secure.miners._joint_table import too_few
from shoal.secure.miners._table_part import Query, TablePart
from shoal.secure.miners._tree_scores import several
from shoal.secure.owners._counts import public_table, too_many
from shoal.secure.owners._helper import Helper
from shoal.secure.owners._ledger import HELPERS
from shoal.secure.owners._owner import Owner
from shoal.secure.transfer._bits import multiply_bits

Table = NDArray[np.uint32]
Assignment = frozenset[tuple[int, int]]  # columns and their values

HELD = "for each column whether every cell is held by exactly one owner"


class OwnerCells:
    """The owner's end: all is said at the start."""

    def __init__(self, part: TablePart, owner: Owner) -> None:
        self.part, self.n_rows = part, len(part.codes)
        if self.n_rows > owner.terms.most_rows:
            raise too_many(owner.terms.most_rows)
        owner.tell(self.n_rows)
        owner.agree({**public_table(part), "rows": self.n_rows}, "tables")
        bits = [part.codes[:, c, None] == np.arange(arity) for c, arity in enumerate(part.arities)]
        owner.answer_bits(np.concatenate(bits, axis=1).T)
        if not all(owner.hear(len(part.names), 0, 2, HELD)):
            raise _badly_held()

    def counts(self, queries: Sequence[Query]) -> list[Table]:
        """Nothing is asked of an owner any more."""
        shapes = [[self.part.arities[c] for c in columns] for columns, _ in queries]
        return [np.zeros(shape, np.uint32) for shape in shapes]

    def require(self, k: int) -> None:
        """Raise unless there are k rows; their number is public."""
        if self.n_rows < k:
            raise too_few(k)


class HelperCells:
    """The helper's end: counts are sums of products of shared bits.

    Notes
    -----
    **Reveals.**  The number of rows, and whether every cell is held once.  **Costs.**  Per row one
    transfer for each vector that enters a product, and one for each count; vectors and counts are
    kept.  Of a column with a values a - 1 are counted: the last one is what remains.
    """

    def __init__(self, part: TablePart, helper: Helper) -> None:
        self.part, self._helper = part, helper
        told = helper.collect(Whole("a number of rows", helper.terms.most_rows + 1))
        if len(set(told.values())) != 1:
            raise ProtocolError("the owners have tables of different numbers of rows.")
        self.n_rows = int(next(iter(told.values())))
        helper.agree({**public_table(part), "rows": self.n_rows}, "tables")
        size = (sum(part.arities) * self.n_rows + 7) // 8
        answers = helper.collect(Array("shares of cells", np.uint8, (size,)))
        if helper.lost:  # cells that are missing cannot be done without
            helper.stop()
        helper.ledger.note(
            HELPERS, "uniform shares of every owner's cells", 8 * size * len(answers)
        )
        packed = np.bitwise_xor.reduce(list(answers.values()), axis=0)
        bits = np.unpackbits(packed, count=sum(part.arities) * self.n_rows) > 0
        self._bits: Bits = bits.reshape(sum(part.arities), self.n_rows)
        self._start = np.cumsum([0, *part.arities]).tolist()
        self._vectors: dict[Assignment, Bits] = {}
        self._counts: dict[Assignment, int] = {}
        self._check_held()

    def require(self, k: int) -> None:
        """Raise unless there are k rows; their number is public."""
        if self.n_rows < k:
            raise too_few(k)

    def counts(self, queries: Sequence[Query]) -> list[Table]:
        """Shares, modulo 2**32, of the contingency table of each query."""
        needed: set[Assignment] = set()
        for columns, fixed in queries:
            needed |= _needed(self.part.arities, columns, fixed)
        self._prepare(needed - self._counts.keys())
        tables = [self._table(columns, dict(fixed)) for columns, fixed in queries]
        return [table.astype(np.uint32) for table in tables]

    def _check_held(self) -> None:
        party, held = self._helper.party, []
        for start, end in pairwise(self._start):
            held.append(1)
            if self._helper.terms.check_inputs:
                own = np.ascontiguousarray(self._bits[start:end].T)
                held[-1] = int(party.run(_exactly_one(end - start), own).opened.all())
        self._helper.announce(held, HELD)
        if not all(held):
            raise _badly_held()

    def _prepare(self, needed: set[Assignment]) -> None:
        """Multiply and count what is not known yet, all assignments of one size together."""
        wanted = sorted(needed, key=sorted)
        if not wanted:
            return
        # A product is made of a shorter one, which need not be counted.
        vectors = {frozenset(sorted(a)[:i]) for a in wanted for i in range(1, len(a) + 1)}
        vectors -= self._vectors.keys()
        for size in range(1, 1 + max(map(len, vectors), default=0)):
            same = sorted((a for a in vectors if len(a) == size), key=sorted)
            if size == 1:
                self._vectors.update({a: self._vector(a) for a in same})
            elif same:
                self._multiply(same)
        shares = np.array([self._vectors[a] for a in wanted])
        both = self._helper.party.count_products(shares)
        # A bit is x + y - 2 x y of its two shares.
        totals = shares.sum(axis=1) - 2 * both.astype(np.int64)
        self._counts.update(zip(wanted, totals.tolist(), strict=True))

    def _multiply(self, wanted: list[Assignment]) -> None:
        split = [(a - {max(a)}, frozenset({max(a)})) for a in wanted]
        lefts, rights = (sorted({pair[i] for pair in split}, key=sorted) for i in (0, 1))
        products = multiply_bits(
            self._helper.party,
            np.array([self._vectors[a] for a in lefts]),
            np.array([self._vector(a) for a in rights]),
            [(lefts.index(one), rights.index(two)) for one, two in split],
        )
        self._vectors.update(zip(wanted, products, strict=True))

    def _vector(self, single: Assignment) -> Bits:
        ((column, value),) = single
        vector: Bits = self._bits[self._start[column] + value]
        return vector

    def _table(self, columns: Sequence[int], fixed: dict[int, int]) -> NDArray[np.int64]:
        """The table of columns; what is left over after all other values has the last one."""
        for column, value in fixed.items():
            if value == self.part.arities[column] - 1:
                rest = {c: v for c, v in fixed.items() if c != column}
                total = self._table(columns, rest)
                for other in range(value):
                    total = total - self._table(columns, {**rest, column: other})
                return total
        if not columns:
            first = self._helper.party.is_first  # one of the two adds what is public
            count = self._counts[frozenset(fixed.items())] if fixed else self.n_rows * first
            return np.array(count, np.int64)
        column, others = columns[0], columns[1:]
        arity = self.part.arities[column]
        slices = [self._table(others, {**fixed, column: v}) for v in range(arity - 1)]
        remains = self._table(others, fixed)
        for one in slices:
            remains = remains - one
        return np.stack([*slices, remains])


def _needed(
    arities: list[int], columns: Sequence[int], fixed: Mapping[int, int]
) -> set[Assignment]:
    """Assignments, without last values, whose counts make up a table."""
    assignments: set[Assignment] = {frozenset()}
    for column in [*fixed, *columns]:
        last = arities[column] - 1
        values = range(last)
        if column in fixed and fixed[column] != last:
            assignments = {a | {(column, fixed[column])} for a in assignments}
        else:
            assignments |= {a | {(column, value)} for a in assignments for value in values}
    return assignments - {frozenset()}


@lru_cache(maxsize=64)
def _exactly_one(arity: int) -> Program:
    b = Builder(arity, arity)
    bits = [b.xor(p, q) for p, q in zip(b.first, b.second, strict=True)]
    return Program(b.finish([b.and_(any_of(b, bits), b.not_(several(b, bits)))]), 1)


def _badly_held() -> ProtocolError:
    return ProtocolError(
        "some cells are held by no owner or by several. Each cell needs one holder; give missing "
        "values a category of their own."
    )
