"""Microaggregation: groups of rows whose numbers are close, written as their means."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import NDArray

from shoal._checks import check_choice
from shoal.anonymize._anonymizer import Anonymizer
from shoal.anonymize._recoding import range_notes
from shoal.anonymize.bounds._unprotectable import infeasible_within_limits
from shoal.anonymize.clusters._group_loss import is_range_column, make_columns
from shoal.anonymize.clusters._group_recoding import (
    GroupRecoding,
    check_groups,
    make_group_recoding,
)
from shoal.anonymize.clusters._improve import improve, join_until_allowed
from shoal.anonymize.clusters._local_problem import parts_within_limits, solve_each, take_cells
from shoal.anonymize.cuts._grown_hierarchies import grow_hierarchies
from shoal.anonymize.numbers._bunch import Search, bunch, sum_of_squares
from shoal.anonymize.numbers._mean_recoding import MeanRecoding
from shoal.anonymize.numbers._space import make_space
from shoal.errors import ParameterError
from shoal.privacy import PrivacyModel
from shoal.schema import Schema
from shoal.tables import FrequencyTable, RowOptions
from shoal.tables._frequency import group_keys
from shoal.tables._recoded import SUPPRESSED
from shoal.tables.forms._forms import ORDERED
from shoal.tables.forms._means import mean_units
from shoal.typing import Native, Progress

_MEANS = RowOptions(form="means")


class Microaggregation(Anonymizer):
    """Gather rows whose quasi-identifiers are close, and write the means of each group.

    Numbers stay numbers and dates stay dates: a group is written with its mean, rounded to a public
    step; other columns are written with the label that covers the group.

    Parameters
    ----------
    schema : Schema
        Roles, hierarchies, weights, limits; `lines` of a numeric column is the step of its means.
    privacy : PrivacyModel or int
        What every released group has to meet; a number stands for k-anonymity.
    search : {"auto", "mdav", "exchange", "exact"}, default="auto"
        MDAV, MDAV improved by exchanges between neighbouring groups, or the grouping into runs of
        least squared error, which can be found for one column; where all values differ, no other
        grouping has a lower one.  "auto" is exact for one numeric or date column and exchanges
        otherwise.
    max_suppression : float, default=0.0
        Share of rows that may be left out where limits make it impossible to protect them.

    Attributes
    ----------
    release_ : Release
        The release, re-checked when it is handed out.
    recoding_ : GroupRecoding
        The recoding; :meth:`transform` applies it to new rows, as labels.
    lost_ : float
        Share of the squares around the mean of numbers and dates that lies within groups.

    Notes
    -----
    **Guarantee.**  Rows with equal values in all quasi-identifiers, as they are written, satisfy
    `privacy`.  Every mean is that of a whole group, so of at least k people; a group in which a
    value is missing has no mean of that column.

    **Does not promise** that nothing is learnt about numbers: whoever knows the values of all but
    one person in a group knows the last one's to within the step times the people in the group.

    **Departures from the papers.**  Rows with equal quasi-identifiers stay together, so a group may
    be larger than 2k - 1.  MDAV [DT05]_ looks at no more than 8,192 combinations at a time.
    Exchanges follow the idea of [SDM19]_ (points change groups, groups of k dissolve, groups of
    2k are cut) with the 12 nearest groups as candidates, so that time grows with the table and not
    with its square.  The exact search is that of [HM03]_ for weighted values.

    References
    ----------
    .. [DT05] J. Domingo-Ferrer, V. Torra.  Ordinal, continuous and heterogeneous k-anonymity
       through microaggregation.  Data Mining and Knowledge Discovery 11(2), 2005.
       doi:10.1007/s10618-005-0007-5
    .. [HM03] S. Hansen, S. Mukherjee.  A polynomial algorithm for optimal univariate
       microaggregation.  IEEE Transactions on Knowledge and Data Engineering 15(4), 2003.
       doi:10.1109/TKDE.2003.1209020
    .. [SDM19] J. Soria-Comas, J. Domingo-Ferrer, R. Mulero.  Efficient near-optimal variable-size
       microaggregation.  Modeling Decisions for Artificial Intelligence, 2019.

    Examples
    --------
    >>> schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
    >>> method = Microaggregation(schema, 2).fit({"age": [21, 22, 34, 61, 64]})
    >>> sorted(method.release_.table["age"].tolist())
    [26, 26, 26, 62, 62]
    """

    name = "microaggregation"
    summary = "groups of close numbers, written as their means"
    explanation = (
        "Rows with close numbers were gathered into groups, and numbers and dates of a group were "
        "replaced by their mean."
    )
    form = "means"

    def __init__(
        self,
        schema: Schema,
        privacy: PrivacyModel | int,
        *,
        search: Search = "auto",
        max_suppression: float = 0.0,
    ) -> None:
        self.schema = schema
        self.privacy = privacy
        self.search = search
        self.max_suppression = max_suppression

    def _check_params(self) -> None:
        check_choice("search", self.search, get_args(Search))
        if not 0 <= self.max_suppression <= 1:
            raise ParameterError(
                f"max_suppression must be between 0 and 1, got {self.max_suppression!r}: "
                "5 % is 0.05."
            )
        if self.search == "exact" and self._sought() != "exact":
            raise ParameterError(
                "search: the exact search is for one numeric or date quasi-identifier. "
                "Take search = 'auto'."
            )

    def _sought(self) -> Search:
        """What is searched with."""
        names = self.schema.quasi_identifiers
        one = len(names) == 1 and self.schema[names[0]].kind in ORDERED
        if self.search in ("auto", "exact"):
            return "exact" if one else "exchange"
        return self.search

    def fit(
        self, table: Native, y: Any = None, *, output: RowOptions | None = None, **options: Any
    ) -> Self:
        """Find groups and make the release; rows are given out with means unless said otherwise."""
        self._output = output or _MEANS
        return super().fit(table, y, output=self._output, **options)

    def _solve(
        self, cells: FrequencyTable, privacy: PrivacyModel, progress: Progress
    ) -> GroupRecoding:
        grown = grow_hierarchies(cells, None, max(privacy.minimum_size, 1))
        is_range = np.array([is_range_column(coding) for coding in cells.codings], np.bool_)
        codings = tuple(
            given if ranges else tree
            for given, tree, ranges in zip(cells.codings, grown.codings, is_range, strict=True)
        )
        blocks, kept, compiled = parts_within_limits(grown, privacy, thin=False)
        lost = int(cells.sizes[~kept].sum())
        if lost > self.max_suppression * cells.n_rows + 1e-9 or not kept.any():
            raise infeasible_within_limits(grown, privacy, lost)
        weights = np.array([self.schema[name].weight for name in cells.names], np.float64)
        points = make_space(cells, grown.codings, weights)
        columns = make_columns(codings, is_range, weights)
        keys = np.ascontiguousarray(cells.keys)

        def solve(block: NDArray[np.int64]) -> NDArray[np.int64]:
            first = bunch(points[block], cells.sizes[block], privacy.minimum_size, self._sought())
            part = take_cells(compiled, block)
            return improve(columns, part, keys[block], first, refine=False)[0]

        group_of = solve_each(blocks, cells.n_groups, solve, progress, "grouping")
        # means tell nothing of where labels end; labels that are written end on public lines
        exact = getattr(self, "_output", _MEANS).form == "means"

        def recode(group_of: NDArray[np.int64]) -> GroupRecoding:
            made = make_group_recoding(cells.keys, codings, is_range, group_of, exact=exact)
            # groups that are joined get another mean, which may be that of a third one
            while exact and (joined := join_alike(cells, made)) is not None:
                made = make_group_recoding(cells.keys, codings, is_range, joined, exact=True)
            return made

        recoding = join_until_allowed(columns, compiled, blocks, group_of, recode)
        self._say(cells, recoding, [] if exact else list(np.flatnonzero(is_range)))
        check_groups(recoding, compiled, privacy)
        return MeanRecoding.of_groups(recoding) if exact else recoding

    def _say(self, cells: FrequencyTable, recoding: GroupRecoding, ranged: list[int]) -> None:
        numeric = [column for column, coding in enumerate(cells.codings) if coding.kind in ORDERED]
        self.lost_ = share_within(cells, recoding.group_of, numeric)
        self._said = range_notes([cells.codings[column] for column in ranged], exact=False)
        if numeric and not ranged:
            # not for the manifest: beside the means it tells whether one of a group is far out
            lost = f"{self.lost_:.0%} of the squared spread of numbers lies within groups"
            self.aside_ = f"{lost} (for you alone: no file of the release says it)."


def join_alike(cells: FrequencyTable, recoding: GroupRecoding) -> NDArray[np.int64] | None:
    """Group of each cell once groups that are written alike are one; None where none are."""
    recoded = recoding.recode(cells)
    said = []
    for column, coding in enumerate(cells.codings):
        codes = recoded.codes[:, column].astype(np.int64)
        if coding.kind in ORDERED:
            units, missing = mean_units(recoded, column)
            codes = np.where(missing, units.max(initial=0) + 1, units)
        said.append(np.unique(codes, return_inverse=True)[1].ravel())
    same, n_same = group_keys(np.column_stack(said).astype(np.int32))
    if n_same == len(recoded.codes):
        return None
    return np.append(same, SUPPRESSED)[recoded.group_of]


def share_within(cells: FrequencyTable, group_of: NDArray[np.int64], columns: list[int]) -> float:
    """Squares around the means of groups over squares around the mean, over some columns."""
    kept = group_of >= 0
    if not columns or not kept.any():
        return 0.0
    codings = tuple(cells.codings[column] for column in columns)
    own = replace(cells, codings=codings, keys=cells.keys[:, columns])
    points = make_space(own, codings, np.ones(len(columns)))
    weights = cells.sizes[kept]
    whole = sum_of_squares(points[kept], weights, np.zeros(int(kept.sum()), np.int64))
    within = sum_of_squares(points[kept], weights, group_of[kept])
    return within / whole if whole > 0 else 0.0
