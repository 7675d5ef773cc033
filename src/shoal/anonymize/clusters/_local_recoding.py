"""Local recoding: rows generalized no more than their own group needs."""

from __future__ import annotations

import time
from functools import partial
from numbers import Real
from typing import Literal

import numpy as np

from shoal._checks import check_choice, check_number
from shoal.anonymize._anonymizer import Anonymizer
from shoal.anonymize._recoding import range_notes
from shoal.anonymize.bounds._unprotectable import infeasible_within_limits
from shoal.anonymize.clusters._group_loss import is_range_column
from shoal.anonymize.clusters._group_recoding import (
    GroupRecoding,
    check_groups,
    make_group_recoding,
)
from shoal.anonymize.clusters._improve import join_until_allowed
from shoal.anonymize.clusters._local_problem import make_local_problem, parts_within_limits
from shoal.anonymize.clusters._local_solver import (
    block_size,
    cut_blocks,
    no_worse_than_regions,
    solve_blocks,
    walk_is_enough,
)
from shoal.anonymize.cuts._grown_hierarchies import grow_hierarchies
from shoal.errors import ParameterError
from shoal.privacy import PrivacyModel
from shoal.privacy.compiled._compile import allowed_groups
from shoal.schema import Schema
from shoal.tables import FrequencyTable
from shoal.typing import Progress


class LocalRecoding(Anonymizer):
    """Release every group of rows under the most specific labels that cover it.

    Parameters
    ----------
    schema : Schema
        Roles, hierarchies, weights and limits.
    privacy : PrivacyModel or int
        What every released group has to meet; a number is the k of k-anonymity.
    refine : bool or {"quick", "long"}, default=True
        Improve the groups after they are found.  "quick" tries fewer first groupings and one short
        round of improvement: it takes a third of the time or less and loses up to eight per cent
        more on the tables measured.  "long" takes five to ten times as long and loses about one per
        cent less.
    ranges : {"lines", "exact", "nodes"}, default="lines"
        How numeric, date and ordinal columns are released: as ranges between public lines, as
        ranges whose ends are values of people in the group (which tells that somebody has exactly
        these values), or as nodes of their hierarchies.  With "exact", texts without a hierarchy
        get ranges, too, in alphabetical order, as in Mondrian.
    max_suppression : float, default=0.0
        Share of rows that may be left out where limits make it impossible to protect them.
    time_limit : float or None, default=None
        Seconds after which the best grouping so far is released.

    Attributes
    ----------
    release_ : Release
        The release, re-checked when it is handed out.
    recoding_ : GroupRecoding
        The recoding; :meth:`transform` applies it to new rows.

    Notes
    -----
    **Guarantee.**  Every group of the released rows satisfies `privacy`; the output is counted
    again by code that shares nothing with the search.  Without a time limit the result depends on
    the table, the schema and the parameters alone.

    **How.**  Four ways to a first grouping compete, and the one that loses least is kept: a walk
    through generalizations in the order of their average loss, with windows of growing width on
    the numeric column that varies most; the generalization that pays best for the rows left, at a
    rising price; Mondrian's regions, cut by spread and by loss (and by the alphabet where texts
    have no hierarchy).  (With more than 131,072 cells the
    first two are compared on a part of them.)  Then, as long as loss falls: groups are given up
    when their cells cost less elsewhere, cells move to the group where they cost least, groups are
    split, and neighbouring groups are taken apart and built anew.  And labels are exchanged for
    others, first of all where groups are few and large.  Loss is that of
    :func:`shoal.metrics.measure`, weighted by the schema's column weights.  Tables of more than
    131,072 cells are cut into blocks first, which are solved by themselves.

    **Does not promise** the least possible loss, which is hard to find [MW04]_.  Rows with equal
    values may be released differently only when they differ in another quasi-identifier.

    References
    ----------
    .. [MW04] A. Meyerson, R. Williams.  On the complexity of optimal k-anonymity.  PODS 2004.
       doi:10.1145/1055558.1055591

    Examples
    --------
    >>> import duckdb
    >>> from shoal import Schema
    >>> from shoal.privacy import KAnonymity
    >>> people = duckdb.sql("SELECT * FROM (VALUES (31, 'flu'), (34, 'flu'), (52, 'cold'), "
    ...                     "(58, 'flu')) AS t(age, illness)")
    >>> schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"},
    ...                  "illness": {"role": "sensitive"}})
    >>> method = LocalRecoding(schema, KAnonymity(2)).fit(people)
    >>> sorted(method.release_.table.fetchall())
    [('[30-34]', 'flu'), ('[30-34]', 'flu'), ('[50-59]', 'cold'), ('[50-59]', 'flu')]
    """

    name = "local"
    summary = "every group as precise as it can be; least loss"
    explanation = (
        "Similar rows were gathered into groups and each group was given the least "
        "general labels that cover it."
    )

    def __init__(
        self,
        schema: Schema,
        privacy: PrivacyModel | int,
        *,
        refine: bool | Literal["quick", "long"] = True,
        ranges: Literal["lines", "exact", "nodes"] = "lines",
        max_suppression: float = 0.0,
        time_limit: float | None = None,
    ) -> None:
        self.schema = schema
        self.privacy = privacy
        self.refine = refine
        self.ranges = ranges
        self.max_suppression = max_suppression
        self.time_limit = time_limit

    def _check_params(self) -> None:
        check_choice("ranges", self.ranges, ("lines", "exact", "nodes"))
        if not isinstance(self.refine, bool) and self.refine not in ("quick", "long"):
            raise ParameterError(
                f'refine must be true, false, "quick" or "long", got {self.refine!r}.'
            )
        if not isinstance(self.max_suppression, Real) or not 0 <= self.max_suppression <= 1:
            raise ParameterError(
                f"max_suppression must be between 0 and 1, got {self.max_suppression!r}: "
                "5 % is 0.05."
            )
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, 0, above=True)

    def _solve(
        self, cells: FrequencyTable, privacy: PrivacyModel, progress: Progress
    ) -> GroupRecoding:
        deadline = time.perf_counter() + (self.time_limit or np.inf)
        grown = grow_hierarchies(cells, None, max(privacy.minimum_size, 1))
        ends_exact = self.ranges == "exact"  # then texts without a hierarchy have ranges, too
        is_range = np.array(
            [
                (ends_exact and coding.hierarchy is None)
                or (self.ranges != "nodes" and is_range_column(coding))
                for coding in cells.codings
            ],
            np.bool_,
        )
        codings = tuple(
            given if ranges else tree
            for given, tree, ranges in zip(cells.codings, grown.codings, is_range, strict=True)
        )
        # rows that suppression may leave out go by whole parts: this method promises no least set
        blocks, kept, compiled = parts_within_limits(grown, privacy, thin=False)
        lost = int(cells.sizes[~kept].sum())
        if lost > self.max_suppression * cells.n_rows + 1e-9 or not kept.any():
            raise infeasible_within_limits(grown, privacy, lost)
        weights = np.array([self.schema[name].weight for name in cells.names], np.float64)
        exact = self.ranges != "lines"
        problem = make_local_problem(
            grown, codings, is_range, weights, compiled, exact=exact, given=cells.codings
        )
        limit = block_size(problem)
        parts_of = [
            cut_blocks(problem, block, limit) if len(block) > limit else [block] for block in blocks
        ]
        parts = [part for own in parts_of for part in own]
        group_of, in_time = solve_blocks(
            problem, parts, refine=self.refine, deadline=deadline, exact=exact, progress=progress
        )
        was_cut = [block for block, own in zip(blocks, parts_of, strict=True) if len(own) > 1]
        # labelled as nodes regions are no release of Mondrian's, which this is not to fall behind
        if was_cut and not (self.refine == "quick" and walk_is_enough(problem)):
            group_of = no_worse_than_regions(
                problem, was_cut, group_of, exact=exact, deadline=deadline
            )
        self._said = ()
        if not in_time:
            self._said += ("The time limit ended the search for a better grouping.",)
        if len(parts) > len(blocks):
            self._said += (f"The table was cut into {len(parts)} blocks of cells.",)
        recode = partial(make_group_recoding, cells.keys, codings, is_range, exact=ends_exact)
        recoding = recode(group_of)
        if not allowed_groups(compiled, recoding.group_of, len(recoding.low)).all():
            recoding = join_until_allowed(problem.loss, compiled, blocks, group_of, recode)
            check_groups(recoding, compiled, privacy)
        self._said += range_notes(
            [coding for coding, ranges in zip(codings, is_range, strict=True) if ranges],
            exact=ends_exact,
        )
        return recoding
