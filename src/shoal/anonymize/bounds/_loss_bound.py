"""A loss that no grouping of a table can go below, beside that of a release."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._resources import n_threads
from shoal.anonymize.bounds._bound_kernels import pair_bounds, row_bounds
from shoal.anonymize.bounds._priced_loss import priced_loss
from shoal.anonymize.clusters._group_loss import GroupColumns, is_range_column, make_columns
from shoal.metrics._measure import label_loss
from shoal.tables._recoded import Recoded
from shoal.typing import Codes, Counts, Flags, Floats

CONFIDENCE = 0.99
"""Of a bound from drawn rows: so many of a hundred draws give one that is true."""

_LOOKS = 100_000_000  # pairs of cells that are compared
_LEAST_DRAWN, _MOST_DRAWN = 200, 800
_MOST_CELLS = 4_000  # all of these are looked at
_TOO_MANY_CELLS = 2_000_000  # comparing a row with all of them takes too long
_BUDGET = 1_200_000_000  # steps of the search for the least covers of all rows: some seconds
_FEW_COLUMNS = 25  # with more, that search ends without a result
_WIDE_LOOKS = 200_000_000  # values that are compared then
_WIDE_DRAWN = 40
_PILOT = 200  # drawn rows that say whether others can come to more than prices did

WORK = 15_000
"""For each cell, how many cells are looked at to find prices: two seconds for 20,000 cells."""

_MOST_WORK = 600_000_000
_MOST_PRICED = 100_000  # cells: more are too many to go through all boxes
_FEW_CELLS = 5_000  # fewer have fewer groupings, and less work each
_NEAR = 0.7  # of the release's loss: no other bound is looked for


@dataclass(frozen=True)
class LossBound:
    """The loss of a release, and a lower bound on that of every release of its kind.

    Parameters
    ----------
    loss : float
        Mean loss of the release, as :func:`shoal.metrics.measure` has it.
    least : float
        No release loses less whose groups have as many rows and whose labels are of the same kind
        (nodes of the same hierarchies, ranges where it has ranges).
    confidence : float
        How sure that is: 1 when every row was looked at, else the share of draws it is true of.
    drawn : int
        Rows that were drawn; 0 when all were looked at.
    """

    loss: float
    least: float
    confidence: float = 1.0
    drawn: int = 0

    @property
    def times(self) -> float | None:
        """How many times the least possible loss this is at most; None if that may be 0."""
        if self.loss <= 0:
            return 1.0
        return self.loss / self.least if self.least > 0 else None

    def describe(self) -> str:
        """One sentence."""
        if self.loss <= 0:
            return "Nothing is lost, so nothing can be better."
        if self.times is None:
            return "How little could be lost at best is not known for this table."
        sure = (
            "" if self.drawn == 0 else f" ({self.confidence:.0%} sure, {self.drawn:,} rows drawn)"
        )
        return (
            f"It loses at most {math.ceil(100 * self.times) / 100:.2f} times the least possible, "
            f"which is at least {math.floor(1e4 * self.least) / 100:.2f} % of the detail{sure}."
        )

    def told(self, *, of_few: bool = False) -> dict[str, Any]:
        """What may be published: losses of many digits tell values that labels hide.

        And what could be lost at least tells the values `of_few` rows that are left out.
        """
        times = None if self.times is None or of_few else math.ceil(100 * self.times) / 100
        return {"times": times, "confidence": self.confidence, "drawn": self.drawn}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self) | {"times": self.times}


def bound_loss(
    recoded: Recoded,
    minimum_size: int,
    is_range: Flags | None = None,
    *,
    exact: bool = True,
    work: int = WORK,
) -> LossBound:
    """Lower bound on the loss of any release whose groups have at least `minimum_size` rows.

    `is_range` says which columns may be released as ranges; by default all that have an order.
    Those end at any value if `exact`, else on public lines.  `work` is how many
    cells may be looked at to find prices, for each cell of the table.

    Notes
    -----
    **Guarantee.**  The better of two bounds.  Prices: no group costs less than the prices of its
    rows (:mod:`shoal.anonymize.bounds._priced_loss`); that is checked of every box that a group
    could be released as, so nothing is drawn.  Where it takes more than `work` to check, or people
    have several rows, the least loss of each row is left
    (:mod:`shoal.anonymize.bounds._bound_kernels`), whose mean over the rows is a bound.  Large
    tables: rows are drawn, each as likely as it loses, so that the mean share of its loss that a
    row cannot avoid estimates the share of the whole.
    With more than 25 columns fewer are drawn, and a row's bound is the weaker one, its k-th nearest
    row.  The share lies between 0 and 1, and :func:`least_mean` of the draws is above the true
    one in no more than ``1 - confidence`` of all draws.
    """
    cells = recoded.cells
    # of a row of each cell, summed over columns; all of it where the row is left out
    per_group = np.zeros(len(recoded.codes))
    for labels, codes in zip(recoded.labels, recoded.codes.T, strict=True):
        per_group += label_loss(labels)[codes]
    losses = np.where(
        recoded.group_of >= 0, per_group[recoded.group_of], float(len(recoded.labels))
    )
    total = float((cells.sizes * losses).sum())
    scale = max(1, cells.n_rows * len(cells.names))
    if total <= 0:
        return LossBound(0.0, 0.0)
    least = max(1, minimum_size)
    priced = 0.0
    is_small = len(cells.names) <= _FEW_COLUMNS and cells.n_groups <= _MOST_PRICED
    if is_small and np.array_equal(cells.sizes, cells.row_counts):
        columns, keys = _group_columns(recoded, is_range, exact=exact)
        share = min(1.0, cells.n_groups / _FEW_CELLS)
        looks = min(_MOST_WORK * max(1, work // WORK), int(share * work * cells.n_groups))
        priced = priced_loss(columns, keys, cells.sizes, least, losses, looks) / scale
    if priced * scale >= _NEAR * total:
        return LossBound(total / scale, min(priced, total / scale))
    by_row = _bound_by_rows(recoded, losses, is_range, least, priced)
    # prices are certain: a bound from drawn rows has to be better to be told
    return by_row if by_row.least > priced else LossBound(total / scale, priced)


def _bound_by_rows(
    recoded: Recoded, losses: Floats, is_range: Flags | None, least: int, known: float
) -> LossBound:
    """What each row loses at least, or drawn ones; it does not know of public lines.

    It ends early, with nothing, where the first of many draws promise less than what is `known`.
    """
    cells = recoded.cells
    total = float((cells.sizes * losses).sum())
    scale = max(1, cells.n_rows * len(cells.names))
    losing = np.flatnonzero(losses > 0)
    drawn = _n_drawn(len(losing), cells.n_groups, len(cells.names))
    if drawn is None:
        return LossBound(total / scale, 0.0)
    chosen: NDArray[np.int64] = losing
    if drawn > 0:
        weight = cells.sizes[losing] * losses[losing]
        draw = np.random.default_rng(0)
        chosen = draw.choice(losing, drawn, p=weight / weight.sum())
    counts = np.maximum(cells.row_counts, cells.sizes)
    columns, keys = _group_columns(recoded, is_range, exact=True)
    budget = _BUDGET // len(chosen)  # for those that only show whether it is worth it, too
    bounds_of = partial(_row_bounds, columns, keys, counts, least=least, budget=budget)
    if known > 0 and drawn > _PILOT:
        first = chosen[:_PILOT]
        shares = bounds_of(first, losses[first]) / losses[first]
        most = float(shares.mean()) + 3 * float(shares.std()) / math.sqrt(_PILOT)
        if most * total / scale <= known:
            return LossBound(total / scale, 0.0)
    bounds = bounds_of(chosen, losses[chosen])
    if drawn == 0:
        return LossBound(total / scale, float((cells.sizes[chosen] * bounds).sum()) / scale)
    share = least_mean(bounds / losses[chosen], 1 - CONFIDENCE)
    return LossBound(total / scale, share * total / scale, CONFIDENCE, drawn)


def least_mean(shares: Floats, doubt: float) -> float:
    """A number that the mean behind drawn shares (from 0 to 1) is not below, but for a doubt.

    The better of Hoeffding's inequality and of Maurer and Pontil's, which gains where shares vary
    little; each has half of the doubt.

    Examples
    --------
    >>> least_mean(np.full(2000, 0.5), 0.01) > 0.49, least_mean(np.zeros(9), 0.01)
    (True, 0.0)
    """
    n = len(shares)
    apart = math.log(2 / doubt) / (2 * n)
    both = math.log(4 / doubt)
    varied = math.sqrt(2 * float(shares.var(ddof=1)) * both / n) + 7 * both / (3 * (n - 1))
    return max(0.0, float(shares.mean()) - min(math.sqrt(apart), varied))


def _n_drawn(n_losing: int, n_cells: int, n_columns: int) -> int | None:
    """Rows to draw: 0 to look at all that lose, None where even a few take too long."""
    if n_columns <= _FEW_COLUMNS:
        if n_cells > _TOO_MANY_CELLS:
            return None
        return (
            0 if n_losing <= _MOST_CELLS else min(_MOST_DRAWN, max(_LEAST_DRAWN, _LOOKS // n_cells))
        )
    drawn = max(_WIDE_DRAWN, _WIDE_LOOKS // (n_cells * n_columns))
    if drawn * n_cells * n_columns > 5 * _WIDE_LOOKS:
        return None
    return 0 if drawn >= n_losing else drawn


def _group_columns(
    recoded: Recoded, is_range: Flags | None, *, exact: bool
) -> tuple[GroupColumns, Codes]:
    """What labels lose, and the cells; columns with most values first, so that looks end early."""
    cells = recoded.cells
    # labels know hierarchies that were built for them
    codings = [
        labels.coding if labels.coding.n_codes == given.n_codes else given
        for labels, given in zip(recoded.labels, cells.codings, strict=True)
    ]
    ranges = np.array(
        [
            coding.hierarchy is None
            or (is_range_column(coding) if is_range is None else bool(is_range[column]))
            for column, coding in enumerate(codings)
        ]
    )
    order = sorted(range(len(codings)), key=lambda column: -codings[column].n_codes)
    ordered = [codings[column] for column in order]
    columns = make_columns(ordered, ranges[order], np.ones(len(order)), exact=exact)
    return columns, np.ascontiguousarray(cells.keys[:, order])


def _row_bounds(
    columns: GroupColumns,
    keys: Codes,
    counts: Counts,
    chosen: NDArray[np.int64],
    most: Floats,
    least: int,
    budget: int,
) -> Floats:
    """Least loss of a row of each chosen cell, which loses `most` in the release."""
    n_pieces = max(1, min(n_threads(), len(chosen)))
    pieces = np.array_split(chosen, n_pieces), np.array_split(most, n_pieces), repeat(least)
    with ThreadPoolExecutor(n_pieces) as pool:
        if keys.shape[1] <= _FEW_COLUMNS:
            bounds = pool.map(partial(row_bounds, columns, keys, counts), *pieces, repeat(budget))
        else:
            bounds = pool.map(partial(pair_bounds, columns, keys, counts), *pieces)
        return np.concatenate(list(bounds))
