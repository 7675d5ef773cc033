"""Who fits a model: one of two parties, a helper of owners, or an owner.  All run the same code."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.secure._party import Party, Session
from shoal.secure.logarithm._fast_logarithm import logarithm_for
from shoal.secure.miners._aby3 import ABY3Party
from shoal.secure.miners._equals import EqualParty, RowsOfEquals
from shoal.secure.miners._joint_table import JointTable
from shoal.secure.miners._mpyc import MPyCParty
from shoal.secure.miners._mpyc_scores import MPyCScores
from shoal.secure.miners._spu import SPUParty, SPUScores
from shoal.secure.miners._table_part import Query, TablePart
from shoal.secure.miners._tree_scores import CircuitScores, TreeScores
from shoal.secure.owners._cells import HelperCells, OwnerCells
from shoal.secure.owners._counts import HelperCounts, OwnerCounts
from shoal.secure.owners._helper import Helper
from shoal.secure.owners._owner import Owner
from shoal.secure.owners._scores import AnnouncedScores, HeardScores

Seat: TypeAlias = Session | Helper | Owner | EqualParty


class SharedTable(Protocol):
    """A joint table seen from one seat."""

    part: TablePart
    n_rows: int
    """Rows of all, or a public bound on them."""

    def counts(self, queries: Sequence[Query]) -> list[NDArray[np.uint32]]:
        """Shares, held at this seat, of the contingency table of each query."""

    def require(self, k: int) -> None:
        """Raise unless the joint table has k rows."""


def open_table(part: TablePart, seat: Seat) -> SharedTable:
    """Agree on names and values, and return the joint table."""
    whole = part.split == "rows"
    if isinstance(seat, Owner):
        return OwnerCounts(part, seat) if whole else OwnerCells(part, seat)
    if isinstance(seat, Helper):
        return HelperCounts(part, seat) if whole else HelperCells(part, seat)
    return RowsOfEquals(part, seat) if isinstance(seat, EqualParty) else JointTable(part, seat)


def open_scores(kind: str, terms: int, seat: Seat, table: SharedTable) -> TreeScores:
    """What decides the nodes of a tree at this seat."""
    if isinstance(seat, Owner):
        return HeardScores(seat)
    if isinstance(seat, SPUParty | ABY3Party):
        return SPUScores(seat, table.n_rows)
    logarithm = logarithm_for(kind, table.n_rows, terms)
    if isinstance(seat, MPyCParty):
        return MPyCScores(seat, logarithm)
    party = party_of(seat)
    scores = CircuitScores(party, logarithm, table.n_rows.bit_length())
    return AnnouncedScores(scores, seat) if isinstance(seat, Helper) else scores


def party_of(seat: Seat) -> Party:
    """The session in which this seat computes."""
    party = seat.party if isinstance(seat, Helper) else seat
    if not isinstance(party, Party):
        raise ParameterError(
            "this takes a FirstParty, SecondParty, Helper, Owner or MPyCParty: SPU has trees only."
        )
    return party
