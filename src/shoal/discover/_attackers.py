"""The worst that an attacker with few attributes can do, found or bounded."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.discover._results import AttributeSetRisk
from shoal.discover._uniqueness import n_sets, uniqueness
from shoal.discover.covers._counting import most_unique
from shoal.discover.covers._deadline import Deadline
from shoal.discover.sources._partition import CodeTable, Partition
from shoal.typing import Progress

LOOKS = 1_000_000_000
"""Rows times attribute sets that one size may take: some seconds."""


@dataclass(frozen=True)
class Attackers:
    """What attackers with 1, 2, ... attributes can do.

    Parameters
    ----------
    columns : tuple of AttributeSetRisk
        Each column alone.
    worst : tuple of AttributeSetRisk
        The worst set found of each size.
    bounds : tuple of int
        No set of that size makes more rows unique.
    means : tuple of float
        Mean share of unique rows over all sets, up to the last size that was looked at in full.
    """

    columns: tuple[AttributeSetRisk, ...]
    worst: tuple[AttributeSetRisk, ...]
    bounds: tuple[int, ...]
    means: tuple[float, ...]

    @property
    def exhaustive_size(self) -> int:
        """Largest size for which every set was examined."""
        return len(self.means)


def find_attackers(
    table: CodeTable, max_size: int, deadline: Deadline, tell: Progress
) -> Attackers:
    """Look at every set while that takes reasonable time, and at the most telling ones beyond.

    Which sets are looked at depends on the counts of rows and columns alone, unless the time is up
    before; a size of which some set was not looked at has a bound instead of a proof.
    """
    size = fitting_size(table.n_rows, table.n_columns, max_size)
    profile = uniqueness(
        table, size, max_sets=n_sets(table.n_columns, size), time_limit=deadline.share(0.5)
    )
    rows = profile.by_size()
    full = [row for row in rows if row["sets"] == n_sets_of(table.n_columns, row["size"])]
    worst = [profile.worst(row["size"]) for row in rows]
    telling = sorted(profile.of_size(1), key=_harm, reverse=True)
    limit = min(max_size, table.n_columns)
    for wanted in range(len(full) + 1, limit + 1):
        candidates = [_extend(table, worst[wanted - 2], deadline)]
        if not deadline.passed:
            candidates += _among_telling(table, telling, wanted, deadline)
        candidates += worst[wanted - 1 : wanted]
        worst[wanted - 1 : wanted] = [max(candidates, key=_harm)]
        unique = worst[wanted - 1].unique
        tell(1, 3, f"sets of {wanted} attributes: up to {unique:,} unique rows so far")
    bounds = most_unique(table, limit)
    bounds[: len(full)] = [risk.unique for risk in worst[: len(full)]]
    return Attackers(
        profile.of_size(1), tuple(worst), tuple(bounds), tuple(row["mean"] for row in full)
    )


def n_sets_of(n_columns: int, size: int) -> int:
    """Number of sets of one size."""
    return n_sets(n_columns, size) - n_sets(n_columns, size - 1)


def fitting_size(n_rows: int, n_columns: int, max_size: int, looks: int | None = None) -> int:
    """Largest size up to `max_size` at which looking at every set takes reasonable time."""
    size, looks = 1, looks or LOOKS
    while size < min(max_size, n_columns) and n_sets(n_columns, size + 1) * n_rows <= looks:
        size += 1
    return size


def _harm(risk: AttributeSetRisk) -> tuple[int, float]:
    return risk.unique, risk.separation_ratio


def _extend(table: CodeTable, risk: AttributeSetRisk, deadline: Deadline) -> AttributeSetRisk:
    """The worst that one more attribute makes of a set; at least one is tried."""
    known = [table.names.index(name) for name in risk.attributes]
    partition = Partition.whole(table).by(known)
    candidates: list[AttributeSetRisk] = []
    pairs = max(table.n_pairs, 1)
    for j in range(table.n_columns):
        if j in known:
            continue
        if candidates and deadline.passed:
            break
        split = partition.split(j)
        candidates.append(
            AttributeSetRisk(
                tuple(table.names[i] for i in sorted([*known, j])),
                split.unique,
                split.unique / table.n_rows,
                split.distinct / table.n_rows,
                (pairs - split.together) / pairs,
            )
        )
    return max(candidates, key=_harm)


def _among_telling(
    table: CodeTable, telling: list[AttributeSetRisk], size: int, deadline: Deadline
) -> tuple[AttributeSetRisk, ...]:
    """Sets of one size among as many of the most telling columns as time allows."""
    width = size
    while width < len(telling) and n_sets(width + 1, size) * table.n_rows <= LOOKS:
        width += 1
    chosen = {risk.attributes[0] for risk in telling[:width]}
    profile = uniqueness(
        table,
        size,
        columns=[name for name in table.names if name in chosen],
        max_sets=n_sets(width, size),
        time_limit=deadline.share(0.5),
    )
    return profile.of_size(size)
