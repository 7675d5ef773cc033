"""Shares of several sites, checked against one another and ready to be trained on."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from shoal.errors import ParameterError, ProtocolError
from shoal.federated.kernels._random_kernel import RandomKernel
from shoal.federated.kernels._shares import Share
from shoal.typing import Floats


def check_agreement(shares: Sequence[Share]) -> None:
    """Raise unless all shares come from one kernel, one kind of outcome and different sites."""
    if not shares:
        raise ProtocolError("no shares were found.")
    first = shares[0]
    for share in shares[1:]:
        if share.fingerprint != first.fingerprint:
            raise ProtocolError(
                f"sites '{first.site}' and '{share.site}' used different random kernels "
                f"({first.fingerprint[:16]} and {share.fingerprint[:16]}). Exchange the kernel "
                "again; nothing was written."
            )
        if share.outcome != first.outcome:
            raise ProtocolError(
                f"sites '{first.site}' and '{share.site}' published different kinds of outcome."
            )


def stack_shares(shares: Iterable[Share], outcome: str, kernel: RandomKernel | None) -> list[Share]:
    """Shares checked for training on `outcome`, also against the kernel where one is given."""
    shares = list(shares)
    check_agreement(shares)
    names = [share.site for share in shares]
    if len(set(names)) < len(names):
        raise ProtocolError("two shares come from the same site.")
    if shares[0].outcome != outcome:
        raise ProtocolError(f"the shares hold outcome '{shares[0].outcome}', not '{outcome}'.")
    if kernel is not None:
        kernel.check_peer(shares[0].fingerprint, f"site '{shares[0].site}'")
    return shares


def row_weights(shares: Sequence[Share], site_weights: Mapping[str, float] | None) -> Floats | None:
    """Weight of every stacked row, None when all are equal."""
    if site_weights is None:
        return None
    unknown = set(site_weights) ^ {share.site for share in shares}
    if unknown:
        raise ParameterError(f"site_weights and shares differ in sites: {sorted(unknown)}.")
    if any(not weight > 0 for weight in site_weights.values()):
        raise ParameterError("site_weights must be above 0.")
    return np.concatenate(
        [np.full(len(share.projection), float(site_weights[share.site])) for share in shares]
    )
