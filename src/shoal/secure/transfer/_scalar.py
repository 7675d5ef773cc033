"""Shared contingency tables across a split: in how many rows do both parties' parts match?

One correlated transfer per row and value of the second party: its bit chooses whether the first
party's row, one count per value of the first party, is added.  With one value each this is the
scalar product of two binary vectors.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.parties._channel import Channel
from shoal.secure._ring import Bits, Limbs
from shoal.secure.transfer._extension import ExtensionReceiver, ExtensionSender
from shoal.secure.transfer._transfer import Lanes, chosen_lanes, offer_lanes

_TRANSFERS = 2**19  # per message, with one lane


class Margin(NamedTuple):
    """One party's side of a table: its value in every row, -1 where the row does not count."""

    own: NDArray[np.int32]
    n_first: int
    n_second: int


def serve_tables(
    channel: Channel, sender: ExtensionSender, margins: list[Margin]
) -> list[NDArray[np.uint32]]:
    """Share, for each table, how many rows have each pair of values.

    Run against :func:`ask_tables` with margins of the same shapes.

    Returns
    -------
    list of ndarray of shape (n_second, n_first)
        This party's shares, modulo 2**32.

    Notes
    -----
    **Reveals.**  Nothing; the shares are uniform.

    **Assumes.**  What the extension of oblivious transfer assumes.

    **Costs.**  Per row and value of the second party 16 bytes one way and 4 bytes per value of the
    first party the other way; one round per 2**19 counts.
    """

    def run(blocks: Iterable[_Block]) -> Iterator[Lanes]:
        for own, _, lanes in blocks:
            amounts = (own[:, None] == np.arange(lanes, dtype=np.int32)).astype(np.uint32)
            yield -offer_lanes(channel, sender, amounts)

    return _tables(margins, run)


def ask_tables(
    channel: Channel, receiver: ExtensionReceiver, margins: list[Margin]
) -> list[NDArray[np.uint32]]:
    """Share, for each table, how many rows have each pair of values."""

    def ask(block: _Block) -> tuple[Bits, Limbs, int]:
        choices: Bits = block.own == block.value
        return choices, receiver.extend(choices), block.lanes

    def take(asked: tuple[Bits, Limbs, int]) -> Lanes:
        choices, rows, lanes = asked
        return chosen_lanes(channel, rows, choices, lanes)

    return _tables(margins, lambda blocks: receiver.ahead(blocks, ask, take))


class _Block(NamedTuple):
    """Rows of one message: a party's own values, the second party's value that is asked for."""

    own: NDArray[np.int32]
    value: NDArray[np.int32]
    lanes: int


def _tables(
    margins: list[Margin], run: Callable[[Iterable[_Block]], Iterator[Lanes]]
) -> list[NDArray[np.uint32]]:
    """Run all tables of equal width together, whatever their number of rows."""
    results = [np.zeros((margin.n_second, margin.n_first), np.uint32) for margin in margins]
    for lanes in sorted({margin.n_first for margin in margins}):
        same = [i for i, margin in enumerate(margins) if margin.n_first == lanes]
        index = np.concatenate([np.tile(margins[i].own, margins[i].n_second) for i in same])
        value = np.concatenate(
            [np.repeat(np.arange(margins[i].n_second), len(margins[i].own)) for i in same]
        ).astype(np.int32)
        sizes = np.concatenate([np.full(margins[i].n_second, len(margins[i].own)) for i in same])
        segment = np.repeat(np.arange(len(sizes)), sizes)
        sums = np.zeros((len(sizes), lanes), np.uint32)
        # A message may end in the middle of a table: rows know their table (segment), and each
        # part adds what it has to the sums.
        step = max(1, _TRANSFERS // lanes)
        parts = [slice(start, start + step) for start in range(0, len(index), step)]
        blocks = (_Block(index[part], value[part], lanes) for part in parts)
        for part, shares in zip(parts, run(blocks), strict=True):
            own = segment[part]
            first = np.flatnonzero(np.r_[True, own[1:] != own[:-1]])
            sums[own[first]] += np.add.reduceat(shares, first, axis=0, dtype=np.uint32)
        ends = np.cumsum([margins[i].n_second for i in same])[:-1]
        for i, table in zip(same, np.split(sums, ends), strict=True):
            results[i][:] = table
    return results


def binary_margins(indicators: NDArray[np.bool_]) -> list[Margin]:
    """One table of one cell per row of indicators."""
    index = indicators.astype(np.int32) - 1
    return [Margin(row, 1, 1) for row in index]
