"""Counts of rows that owners hold: shared out by owners, added up by helpers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.parties._expect import Array
from shoal.secure.logarithm._counts import count_bits
from shoal.secure.miners._joint_table import too_few
from shoal.secure.miners._table_part import Query, TablePart
from shoal.secure.owners._checks import WORD, Answered, at_most, find_wrong
from shoal.secure.owners._helper import Helper
from shoal.secure.owners._ledger import HELPERS
from shoal.secure.owners._owner import Owner

Table = NDArray[np.uint32]

SHARES = "uniform shares of every owner's counts"

WITHIN = "whether the rows of all owners are within the agreed bound"
ENOUGH = "whether all owners together have fewer than k rows"


class OwnerCounts:
    """The owner's end: every question is answered with shares."""

    def __init__(self, part: TablePart, owner: Owner) -> None:
        self.part, self._owner = part, owner
        self.n_rows = owner.terms.most_rows
        if len(part.codes) > self.n_rows:
            raise ParameterError(
                f"the table has more rows than all owners together may have ({self.n_rows})."
            )
        owner.agree(public_table(part), "tables")
        owner.answer(np.array([len(part.codes)], np.uint32))
        if not owner.hear(1, 0, 2, WITHIN)[0]:
            raise too_many(self.n_rows)

    def require(self, k: int) -> None:
        """Raise unless all owners together have k rows; only that bit is opened."""
        if self._owner.hear(1, 0, 2, ENOUGH)[0]:
            raise too_few(k)

    def counts(self, queries: Sequence[Query]) -> list[Table]:
        """Send shares of the answers; what is returned is this owner's own."""
        tables = [self.part.tabulate(columns, fixed) for columns, fixed in queries]
        self._owner.answer(np.concatenate([table.ravel() for table in tables]))
        return tables


class HelperCounts:
    """The helper's end: shares of the sums over all owners."""

    def __init__(self, part: TablePart, helper: Helper) -> None:
        self.part, self._helper = part, helper
        self.n_rows = helper.terms.most_rows
        helper.agree(public_table(part), "tables")
        self._rows = helper.collect(Array("a share of a number", np.uint32, (1,)))
        self._said = {name: Answered(rows.reshape(())) for name, rows in self._rows.items()}
        helper.ledger.note(HELPERS, SHARES, len(self._rows))
        if not self._rows_at_most(self.n_rows, WITHIN):
            raise too_many(self.n_rows)

    def counts(self, queries: Sequence[Query]) -> list[Table]:
        """Shares, modulo 2**32, of the contingency table of each query."""
        shapes = [tuple(self.part.arities[c] for c in columns) for columns, _ in queries]
        sizes = [int(np.prod(shape)) for shape in shapes]
        answers = self._helper.collect(Array("shares of counts", np.uint32, (sum(sizes),)))
        self._helper.ledger.note(HELPERS, SHARES, sum(sizes) * len(answers))
        split = {
            name: [
                part.reshape(shape)
                for part, shape in zip(np.split(flat, np.cumsum(sizes)[:-1]), shapes, strict=True)
            ]
            for name, flat in answers.items()
        }
        if self._helper.terms.check_inputs:
            width = self._helper.terms.width
            wrong = find_wrong(self._helper.party, split, queries, width, self._said)
            self._helper.refuse(wrong)
        kept = [split[name] for name in self._helper.owners]
        return [np.sum(tables, axis=0, dtype=np.uint32) for tables in zip(*kept, strict=True)]

    def require(self, k: int) -> None:
        """Raise unless all owners together have k rows; only that bit is opened."""
        if self._rows_at_most(k - 1, ENOUGH):
            raise too_few(k)

    def _rows_at_most(self, bound: int, what: str) -> bool:
        rows = [self._rows[name] for name in self._helper.owners]
        total = np.sum(rows, axis=0, dtype=np.uint32).reshape(1, 1)
        opened = self._helper.party.run(at_most(bound), count_bits(total, WORD)).opened
        self._helper.announce([int(opened.all())], what)
        return bool(opened.all())


def public_table(part: TablePart) -> dict[str, object]:
    """What all must agree on about a table."""
    return {
        "names": list(part.names),
        "values": [list(values) for values in part.values],
        "split": part.split,
    }


def too_many(bound: int) -> ParameterError:
    """The error at every end when the rows are more than what was agreed on."""
    return ParameterError(
        f"the owners have more rows than the {bound} that were agreed on. Agree on a higher bound."
    )
