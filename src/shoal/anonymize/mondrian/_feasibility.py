"""Whether any partition can satisfy the model: the coarsest one is asked before the first cut."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.anonymize.bounds._unprotectable import infeasible_as_a_whole
from shoal.errors import InfeasibleError
from shoal.privacy import PrivacyModel
from shoal.tables import FrequencyTable
from shoal.tables._frequency import group_keys


def require_whole(cells: FrequencyTable, privacy: PrivacyModel) -> None:
    """Raise unless the table, split as the schema's limits demand, satisfies the model."""
    whole = infeasible_as_a_whole(cells, privacy)
    if whole is not None:
        raise whole
    limited = [column for column, coding in enumerate(cells.codings) if coding.is_limited]
    if not limited:
        return
    failing = rows_beyond(cells, privacy, limited)
    if not failing:
        return
    binding = [  # each of them alone stands in the way
        column
        for column in limited
        if not rows_beyond(cells, privacy, [other for other in limited if other != column])
    ]
    names = ", ".join(repr(cells.names[column]) for column in binding or limited)
    raise InfeasibleError(
        f"rows released within the limits of {names}: {privacy.describe()}",
        required=cells.n_rows,
        achieved=cells.n_rows - failing,
        hint=f"Suppress the {failing} other rows first, or raise the limits of {names}.",
    )


def rows_beyond(cells: FrequencyTable, privacy: PrivacyModel, limited: Sequence[int]) -> int:
    """Rows in groups that fail although every value is as coarse as its limit allows."""
    if not limited:
        return 0
    coarsest = [cells.codings[column].ceiling[cells.keys[:, column]] for column in limited]
    group_of, n_groups = group_keys(np.column_stack(coarsest))
    groups = cells.merge(group_of, n_groups)
    return int(groups.sizes[~privacy.holds(groups)].sum())
