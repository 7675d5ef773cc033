"""Parties of whom none is special and more than half are honest: what their engines share."""

import hashlib
import ipaddress
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError, ProtocolError
from shoal.parties._wire import encode
from shoal.secure.miners._joint_table import MAX_ROWS, too_few
from shoal.secure.miners._table_part import Query, TablePart

DIGEST_BITS = 120


class EqualParty(ABC):
    """One of three or more equal parties; rows are split among them."""

    def agree(self, mine: dict[str, Any], what: str) -> None:
        """Check that all parties have the same public parameters."""
        digest = int.from_bytes(hashlib.sha256(encode(mine)).digest()[: DIGEST_BITS // 8], "little")
        if len(set(self.tell(digest))) != 1:
            raise ProtocolError(f"the parties have other {what}. Use the same everywhere.")

    def confirm(self) -> None:  # noqa: B027  the same for all
        """The engine's own messages are not compared."""

    @property
    @abstractmethod
    def traffic(self) -> dict[str, int]:
        """Messages and bytes, as far as the engine counts them."""

    @abstractmethod
    def tell(self, number: int) -> list[int]:
        """A public number of every party."""

    @abstractmethod
    def all_rows(self, mine: int) -> int:
        """Number of rows of all parties together; nobody learns another one's."""


class RowsOfEquals:
    """Rows of all parties as one table; what is returned is this party's part of each count."""

    def __init__(self, part: TablePart, party: EqualParty) -> None:
        self.part = part
        if part.split != "rows":
            raise ParameterError("this engine takes split rows only.")
        party.agree({"names": list(part.names), "values": [list(v) for v in part.values]}, "tables")
        self.n_rows = party.all_rows(len(part.codes))
        if not 0 < self.n_rows < MAX_ROWS:
            raise ParameterError(f"the joint table needs 1 to 2**31 - 1 rows, has {self.n_rows}.")

    def counts(self, queries: Sequence[Query]) -> list[NDArray[np.uint32]]:
        """Counts of this party's rows."""
        return [self.part.tabulate(columns, fixed) for columns, fixed in queries]

    def require(self, k: int) -> None:
        """Raise unless there are k rows; their number is public."""
        if self.n_rows < k:
            raise too_few(k)


def check_place(index: int, addresses: Sequence[str], engine: str, *, encrypted: bool) -> None:
    """Raise unless this party is one of three or more, on lines that nobody else can read."""
    if len(addresses) < 3:
        raise ParameterError(
            f"an honest majority needs at least three parties, got {len(addresses)}."
        )
    if not 0 <= index < len(addresses):
        raise ParameterError(f"index is 0 to {len(addresses) - 1}, got {index}.")
    for address in addresses:
        host, _, port = address.rpartition(":")
        if not port.isdigit() or not (encrypted or _is_local(host)):
            raise ParameterError(
                f"{engine}'s lines are in plain text: only loopback addresses HOST:PORT are taken."
            )


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
