"""OUT: the rows that no grouping within the schema's limits can protect.

Rows may share a group only if they agree on the limit of every value, so groups lie within the
parts that the limits make of the table (the groups of MAM, the table at its limits).

*k-anonymity, distinct l-diversity, p-sensitive k-anonymity.*  A part that fails as a whole has too
few rows or too few distinct sensitive values, and so has each of its subsets: all its rows are
outside.  A part that holds is itself an allowed group: none of its rows is.  So OUT is exactly the
rows of the failing parts, the least set to suppress.

*Other models* (entropy and recursive diversity, t-closeness, beta-likeness, proximity).  A part
that fails may hold after losing some rows, for example those with the most frequent value.
Finding the fewest is hard in general; cells are left out one by one, those whose rows have the most
overrepresented values first, until the rest is allowed, and the whole part if it never is.  That is
an upper bound on OUT.  Suppressing rows changes the whole that some models compare groups with, so
it is repeated until nothing fails.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InfeasibleError
from shoal.privacy import DistinctDiversity, KAnonymity, PrivacyModel, PSensitive
from shoal.privacy._promise import infeasible_as_one_group
from shoal.privacy.compiled._condition_kernels import CompiledModel, add_cell, allowed
from shoal.tables import FrequencyTable
from shoal.typing import Floats

_WHOLE_PARTS = (KAnonymity, DistinctDiversity, PSensitive)


def is_exact(privacy: PrivacyModel) -> bool:
    """Whether OUT is exact: failing parts have no allowed subset."""
    return all(isinstance(part, _WHOLE_PARTS) for part in privacy.parts)


def thin_out(
    cells: FrequencyTable, compiled: CompiledModel, members: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Cells to leave out of a part until the rest is allowed; all of them if it never is."""
    order = members[np.argsort(-_overweight(cells, members), kind="stable")]
    histogram = np.zeros(compiled.n_codes, np.int64)
    for cell in members:
        add_cell(compiled, int(cell), 1, histogram)
    size = int(cells.sizes[members].sum())
    for number, cell in enumerate(order, 1):
        add_cell(compiled, int(cell), -1, histogram)
        size -= int(cells.sizes[cell])
        if size and allowed(compiled, size, histogram):
            return order[:number]
    return members


def _overweight(cells: FrequencyTable, members: NDArray[np.int64]) -> Floats:
    """How much more often each cell's values occur in the part than in the whole table."""
    weight = np.zeros(len(members))
    number = np.full(cells.n_groups, -1, np.int64)
    number[members] = 0
    for histogram in cells.histograms.values():
        inside = histogram.merge(number, 1).dense()[0]
        share = inside / max(int(inside.sum()), 1)
        whole = histogram.totals / max(int(histogram.totals.sum()), 1)
        excess = share - whole
        weight += histogram.sums(excess)[members] / np.maximum(cells.sizes[members], 1)
    return weight


def infeasible_as_a_whole(cells: FrequencyTable, privacy: PrivacyModel) -> InfeasibleError | None:
    """The error if all rows in one group do not keep the promise; None if they do."""
    whole = cells.merge(np.zeros(cells.n_groups, np.int64), 1)
    hint = "No partition can do better. Ask for less, or add rows."
    return infeasible_as_one_group(privacy, whole, "the whole table as one group", hint)


def infeasible_within_limits(
    cells: FrequencyTable, privacy: PrivacyModel, lost: int
) -> InfeasibleError:
    """What to say when rows cannot be protected within the schema's limits."""
    whole = infeasible_as_a_whole(cells, privacy) if lost == cells.n_rows else None
    if whole is not None:  # to leave all rows out is no advice
        return whole
    limited = [coding.name for coding in cells.codings if coding.is_limited]
    advice = f"Suppress {lost} rows ({lost / cells.n_rows:.2%}, max_suppression)"
    if limited:
        advice += f", or raise the limit of {', '.join(map(repr, limited))}, which binds"
    return InfeasibleError(
        privacy.describe(),
        required=cells.n_rows,
        achieved=cells.n_rows - lost,
        hint=f"These are rows that can be protected. {advice}.",
    )
