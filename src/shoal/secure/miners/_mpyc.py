"""The same miners among three or more equals, through MPyC: an honest majority, no helper.

MPyC shares secrets by Shamir's scheme: as long as fewer than half of the parties put their shares
together, they learn nothing.  It is fed with counts, never with rows.
"""

import asyncio
import importlib
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import MissingExtraError, ProtocolError, TimeLimitError
from shoal.secure.miners._equals import EqualParty, check_place

WORD = 128  # bits of numbers that are compared in the clear


class MPyCParty(EqualParty):
    """One of three or more equal parties; rows are split among them.

    Parameters
    ----------
    index : int
        Place of this party in `addresses`.
    addresses : sequence of str
        ``HOST:PORT`` of every party, in an order that all use.
    timeout : float, default=60
        Longest wait for the others, in seconds.

    Notes
    -----
    **Reveals.**  What the miner opens, and the number of rows of all parties together.

    **Assumes.**  Semi-honest parties of which fewer than half collude, and MPyC's promises, which
    Shoal does not check: in particular its masks hide values up to a chance of 2**-30.  MPyC's
    lines are not encrypted here, so only loopback addresses are taken: for more than one machine,
    tunnel them.  MPyC is run such that it never unpickles what a peer sends.

    **Costs.**  Rounds of all-to-all messages; some hundred times the time of two parties.

    One process can be one party only: MPyC has one runtime.

    Examples
    --------
    >>> MPyCParty(0, ["127.0.0.1:11001", "127.0.0.1:11002"])
    Traceback (most recent call last):
    shoal.errors.ParameterError: an honest majority needs at least three parties, got 2.
    """

    def __init__(self, index: int, addresses: Sequence[str], *, timeout: float = 60.0) -> None:
        check_place(index, addresses, "MPyC", encrypted=False)
        self.index, self.size, self.timeout = index, len(addresses), timeout
        self.runtime = _runtime(index, addresses)
        self.run(self.runtime.start(), "waiting for the other parties")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up, without the exchange of pickled objects with which MPyC would say goodbye."""
        for peer in self.runtime.parties:
            if peer.pid != self.index and hasattr(peer.protocol, "close_connection"):
                peer.protocol.close_connection()

    @property
    def traffic(self) -> dict[str, int]:
        """Bytes sent; MPyC counts no others."""
        peers = [peer for peer in self.runtime.parties if peer.pid != self.index]
        sent = sum(getattr(peer.protocol, "nbytes_sent", 0) for peer in peers)
        return {"rounds": 0, "bytes_sent": sent, "bytes_received": 0}

    def run(self, task: Any, what: str = "waiting for a result") -> Any:
        """Wait for a result of MPyC's, within the time limit."""
        try:
            return self.runtime.run(asyncio.wait_for(task, self.timeout))
        except TimeoutError:
            raise TimeLimitError(f"waited {self.timeout:g} s {what}.") from None
        except (OSError, EOFError, AttributeError, AssertionError, ValueError, TypeError):
            raise ProtocolError("MPyC failed: another party ended, or sent nonsense.") from None

    def tell(self, number: int) -> list[int]:
        """A public number of every party."""
        kind = self.runtime.SecInt(WORD)
        return [int(n) for n in self.run(self.runtime.output(self.runtime.input(kind(number))))]

    def all_rows(self, mine: int) -> int:
        """Number of rows of all parties together."""
        return int(self.open(self.total(np.array([mine]), WORD))[0])

    def total(self, mine: NDArray[Any], bits: int) -> Any:
        """Secret sum of all parties' arrays, as numbers of `bits` bits."""
        kind = self.runtime.SecInt(bits)
        arrays = self.runtime.input(kind.array(np.array(mine, object)))
        return sum(arrays[1:], arrays[0])

    def open(self, secret: Any) -> NDArray[np.int64]:
        """Let all learn an array."""
        return np.array(self.run(self.runtime.output(secret)), object).astype(np.int64)


def _runtime(index: int, addresses: Sequence[str]) -> Any:
    options = [f"-P{address}" for address in addresses]
    # For platforms that differ MPyC sends arrays as plain bytes; otherwise it would unpickle them,
    # and a peer's pickle is a peer's code.
    options += [f"-I{index}", "--no-log", "--mix32-64bit"]
    with _unchanged([sys.argv[0], *options]):
        try:
            module = importlib.import_module("mpyc.runtime")
        except ImportError:
            raise MissingExtraError("mpyc", "mpyc", "three or more equal parties") from None
        sys.argv = [sys.argv[0], *options]  # the import took them off
        runtime = module.setup()
    if (len(runtime.parties), runtime.pid) != (len(addresses), index):
        raise ProtocolError("MPyC did not take the parties that it was given.")
    return runtime


@contextmanager
def _unchanged(arguments: list[str]) -> Iterator[None]:
    """MPyC reads the command line, sets variables and logging when it is imported: undo that."""
    saved, environment, handlers = sys.argv, dict(os.environ), list(logging.root.handlers)
    level = logging.root.level
    sys.argv = arguments
    try:
        yield
    finally:
        sys.argv = saved
        for name in set(os.environ) - set(environment) - {"MPYC_MAXWORKERS"}:  # it reads that one
            del os.environ[name]
        logging.root.handlers[:] = handlers
        logging.root.setLevel(level)
