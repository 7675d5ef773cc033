"""Scalar products of binary vectors: in how many rows are both parties' indicators set?

One correlated transfer per row: the second party's bit chooses whether the first party's is added.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.parties import Channel
from shoal.secure._extension import ExtensionReceiver, ExtensionSender
from shoal.secure._transfer import offer_lanes, take_lanes

_TRANSFERS = 2**19  # per message


def serve_counts(
    channel: Channel, sender: ExtensionSender, indicators: NDArray[np.bool_]
) -> NDArray[np.uint32]:
    """Share the scalar product of each row of `indicators` with the other party's same row.

    Run against :func:`ask_counts`.

    Notes
    -----
    **Reveals.**  Nothing; the shares are uniform modulo 2**32.

    **Assumes.**  What the extension of oblivious transfer assumes.

    **Costs.**  16 + 4 bytes per entry, one round per 2**19 entries.
    """
    amounts = indicators.reshape(-1, 1).astype(np.uint32)
    parts = [
        offer_lanes(channel, sender, amounts[start : start + _TRANSFERS])
        for start in range(0, len(amounts), _TRANSFERS)
    ]
    return -_row_sums(parts, indicators.shape)


def ask_counts(
    channel: Channel, receiver: ExtensionReceiver, indicators: NDArray[np.bool_]
) -> NDArray[np.uint32]:
    """Share the scalar product of each row of `indicators` with the other party's same row."""
    choices = indicators.ravel()
    parts = [
        take_lanes(channel, receiver, choices[start : start + _TRANSFERS], 1)
        for start in range(0, len(choices), _TRANSFERS)
    ]
    return _row_sums(parts, indicators.shape)


def _row_sums(parts: list[NDArray[np.uint32]], shape: tuple[int, ...]) -> NDArray[np.uint32]:
    flat = np.concatenate(parts)[:, 0] if parts else np.zeros(0, np.uint32)
    return flat.reshape(shape).sum(axis=1, dtype=np.uint32)
