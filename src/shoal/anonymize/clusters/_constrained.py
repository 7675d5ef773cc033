"""Constrained k-anonymity: never coarser than the owner allows, suppressing what that costs."""

from __future__ import annotations

import time
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._checks import check_choice, check_number
from shoal.anonymize._anonymizer import Anonymizer
from shoal.anonymize._recoding import range_notes
from shoal.anonymize.bounds._unprotectable import infeasible_within_limits, is_exact
from shoal.anonymize.clusters._group_kernels import make_groups
from shoal.anonymize.clusters._group_loss import GroupColumns, is_range_column, make_columns
from shoal.anonymize.clusters._group_recoding import (
    GroupRecoding,
    check_groups,
    make_group_recoding,
)
from shoal.anonymize.clusters._improve import improve, join_until_allowed
from shoal.anonymize.clusters._k_member_kernels import k_member
from shoal.anonymize.clusters._local_problem import (
    Block,
    is_allowed,
    parts_within_limits,
    solve_each,
    take_cells,
)
from shoal.anonymize.cuts._grown_hierarchies import grow_hierarchies
from shoal.errors import ParameterError
from shoal.metrics._measure import Measure
from shoal.privacy import PrivacyModel
from shoal.privacy.compiled._compile import allowed_groups
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.schema import Schema
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.typing import Codes, Flags, Progress

EXACT_CELLS = 40_000
"""Cells of one maximum-allowed group up to which every cell is compared with every other."""

PIECE = 16_384
"""Cells that are compared with one another beyond that."""

COSTS: dict[str, Measure] = {"height": "height", "leaves": "ncp"}

_HURRIED = 1_024
"""The same where there is a time limit: nothing looks at the clock while a piece is clustered."""

_SAMPLE = 2 * PIECE


class ConstrainedKMember(Anonymizer):
    """Greedy k-member clustering within the schema's limits.

    Parameters
    ----------
    schema : Schema
        Roles, hierarchies, and the limits (`limit`, `limit_level`) beyond which no value may be
        generalized.  Without limits this is plain greedy k-member clustering.
    privacy : PrivacyModel or int
        What every released group has to meet; a number is the k of k-anonymity.
    refine : bool, default=True
        Improve the greedy clusters by moving cells, dissolving groups and splitting groups.
    metric : {"leaves", "height"}, default="leaves"
        What clusters should lose least of: the share of values that a label covers (NCP), or the
        paper's information loss (height of the released node in its hierarchy).
    neighbours : {"auto", "exact", "pieces"}, default="auto"
        Compare every cell with every other ("exact"), or only within pieces of 16,384 cells that
        are alike ("pieces").  "auto" is exact for up to 40,000 cells in one group of the table
        at its limits.
    ranges : {"lines", "exact", "nodes"}, default="lines"
        How numeric, date and ordinal columns are released: as the least range between public
        lines, as the least range between values of people in the group (which tells that somebody
        has exactly these; the paper's), or as nodes of their hierarchy.  None reaches beyond a
        limit.
    time_limit : float or None, default=None
        Seconds to search.  Cells are then compared within pieces of 1,024 ("exact" aside), and
        pieces that are not clustered by then become one group each; the manifest says so.

    Attributes
    ----------
    release_ : Release
        The release, re-checked when it is handed out.
    recoding_ : GroupRecoding
        The recoding; :meth:`transform` applies it to new rows.
    n_outside_ : int
        Rows that no grouping within the limits can protect; exactly these are suppressed.
    pieces_cost_ : float or None
        How much more is lost, as a share, by looking within pieces of a large table; measured on
        a sample, None where nothing was cut.

    Notes
    -----
    **Guarantee.**  Every group of the released rows satisfies `privacy`, and no value is
    generalized beyond its limit.  Rows that can share a group agree on the limit of every value,
    so the table is first split by the limits; a part that the model does not allow as a whole
    cannot be mended within the limits.  What is suppressed is the least possible for k-anonymity,
    distinct l-diversity and p-sensitive k-anonymity: in these, whatever a part lacks, all its
    subsets lack.  For other models it is an upper bound (the argument is in `_unprotectable`).

    **Departures from the paper.**  Clusters are made of cells, so rows with equal quasi-identifiers
    stay together and a cluster may be larger than k; a cell that is allowed by itself is released
    as it is.  The first seed is the first cell, not a random row.  The paper's clusters are those
    of ``refine=False, metric="height"``.

    References
    ----------
    .. [MCT08] J. Miller, A. Campan, T. M. Truta.  Constrained k-anonymity: privacy with
       generalization boundaries.  Workshop on Practical Privacy-Preserving Data Mining, 2008.
    .. [BKBL07] J. Byun, A. Kamra, E. Bertino, N. Li.  Efficient k-anonymization using clustering
       techniques.  DASFAA 2007.  doi:10.1007/978-3-540-71703-4_18

    Examples
    --------
    >>> import duckdb
    >>> from shoal import Schema
    >>> from shoal.privacy import KAnonymity
    >>> people = duckdb.sql("SELECT * FROM (VALUES ('Wichita'), ('Kansas City'), ('Lincoln'), "
    ...                     "('Lincoln')) AS t(city)")
    >>> schema = Schema({"city": {"role": "quasi-identifier", "limit": ["Kansas", "Midwest"],
    ...     "hierarchy": {"tree": {"Midwest": {"Kansas": ["Wichita", "Kansas City"],
    ...                                        "Nebraska": ["Lincoln"]}}}}})
    >>> ConstrainedKMember(schema, KAnonymity(2)).fit_transform(people).fetchall()
    [('Kansas',), ('Kansas',), ('Lincoln',), ('Lincoln',)]
    """

    name = "constrained"
    summary = "clusters within limits, suppresses the least"
    explanation = (
        "Similar rows were gathered into groups and each group was given common labels "
        "within the limits of the schema."
    )

    def __init__(
        self,
        schema: Schema,
        privacy: PrivacyModel | int,
        *,
        refine: bool = True,
        metric: Literal["leaves", "height"] = "leaves",
        neighbours: Literal["auto", "exact", "pieces"] = "auto",
        ranges: Literal["lines", "exact", "nodes"] = "lines",
        time_limit: float | None = None,
    ) -> None:
        self.schema = schema
        self.privacy = privacy
        self.refine = refine
        self.metric = metric
        self.neighbours = neighbours
        self.ranges = ranges
        self.time_limit = time_limit

    def _check_params(self) -> None:
        check_choice("ranges", self.ranges, ("lines", "exact", "nodes"))
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, 0, above=True)
        if self.metric not in COSTS:
            raise ParameterError(f"metric must be one of {', '.join(COSTS)}, got {self.metric!r}.")
        if self.neighbours not in ("auto", "exact", "pieces"):
            raise ParameterError(
                f"neighbours must be auto, exact or pieces, got {self.neighbours!r}."
            )

    def _solve(
        self, cells: FrequencyTable, privacy: PrivacyModel, progress: Progress
    ) -> GroupRecoding:
        deadline = time.perf_counter() + (self.time_limit or np.inf)
        grown = grow_hierarchies(cells, None, max(privacy.minimum_size, 1))
        blocks, kept, compiled = parts_within_limits(grown, privacy, thin=not is_exact(privacy))
        if not kept.any():
            raise infeasible_within_limits(grown, privacy, cells.n_rows)
        self.n_outside_ = int(cells.sizes[~kept].sum())
        codings, is_range = self._released_as(cells, grown)
        exact = self.ranges == "exact"
        problem = make_member_problem(
            grown, compiled, COSTS[self.metric], codings, is_range, exact=exact
        )
        pieces = [piece for block in blocks for piece in self._pieces(problem, block)]
        ranged = [coding for coding, ranges in zip(codings, is_range, strict=True) if ranges]
        self._said = self._compare(problem, blocks, pieces) + range_notes(ranged, exact=exact)

        def recode(group_of: NDArray[np.int64]) -> GroupRecoding:
            return make_group_recoding(grown.keys, codings, is_range, group_of, exact=exact)

        def cluster(refine: bool) -> GroupRecoding:
            group_of = solve_pieces(problem, pieces, deadline, refine=refine, progress=progress)
            return join_until_allowed(problem.loss, compiled, blocks, group_of, recode)

        recoding = cluster(self.refine)
        if self.refine and not _all_allowed(compiled, recoding):
            # moves may leave people of the population in a group where nobody of the table is
            recoding = cluster(False)
        if time.perf_counter() > deadline:
            self._said += ("The time limit ended the search for better groups.",)
        check_groups(recoding, compiled, privacy)
        return recoding

    def _released_as(
        self, cells: FrequencyTable, grown: FrequencyTable
    ) -> tuple[tuple[Coding, ...], Flags]:
        """How each column is coded for release, and whether it is released as ranges."""
        # lines of a column with a limit are the finest bands of its hierarchy, which nest in the
        # limits, so that a range of values under one limit never reaches beyond it
        is_range = [self.ranges != "nodes" and is_range_column(coding) for coding in cells.codings]
        codings = tuple(
            given if ranges else tree
            for given, tree, ranges in zip(cells.codings, grown.codings, is_range, strict=True)
        )
        return codings, np.array(is_range, np.bool_)

    def _pieces(self, problem: MemberProblem, block: Block) -> list[Block]:
        hurried = self.time_limit is not None
        few = self.neighbours == "auto" and len(block) <= EXACT_CELLS and not hurried
        most = _HURRIED if hurried else PIECE
        if self.neighbours == "exact" or few or len(block) <= most:
            return [block]
        return cut_into_pieces(problem, block, most)

    def _compare(
        self, problem: MemberProblem, blocks: list[Block], pieces: list[Block]
    ) -> tuple[str, ...]:
        """What an approximation costs, measured on a part of the largest block."""
        self.pieces_cost_ = None
        if len(pieces) == len(blocks):
            return ()
        if self.time_limit is not None:  # comparing takes as long as clustering does
            return (f"Clusters were sought within {len(pieces)} pieces of the table.",)
        sample = max(cut_into_pieces(problem, max(blocks, key=len), _SAMPLE), key=len)
        exact = information_loss_of(problem, [sample], refine=self.refine)
        parts = cut_into_pieces(problem, sample, PIECE)
        approximate = information_loss_of(problem, parts, refine=self.refine)
        # a figure of raw values: it stays in the house
        self.pieces_cost_ = approximate / exact - 1 if exact > 0 else 0.0
        return (
            f"Clusters were sought within {len(pieces)} pieces of at most {PIECE} cells: comparing "
            "all of them may lose less (pieces_cost_ of the method says how much on a sample).",
        )


def _all_allowed(compiled: CompiledModel, recoding: GroupRecoding) -> bool:
    return bool(allowed_groups(compiled, recoding.group_of, len(recoding.low)).all())


class MemberProblem(NamedTuple):
    """Cells with the information loss of every column."""

    keys: Codes
    compiled: CompiledModel
    loss: GroupColumns


def make_member_problem(
    cells: FrequencyTable,
    compiled: CompiledModel,
    measure: Measure = "height",
    codings: tuple[Coding, ...] | None = None,
    is_range: Flags | None = None,
    *,
    exact: bool = True,
) -> MemberProblem:
    """Prepare the cells; by default a node costs its height's share of its hierarchy's.

    A range costs the share of its column's range, with `exact` false between public lines; without
    `is_range` there are nodes only.
    """
    n_columns = len(cells.codings)
    ranges = np.zeros(n_columns, np.bool_) if is_range is None else is_range
    columns = make_columns(
        codings or cells.codings, ranges, np.ones(n_columns), measure, exact=exact
    )
    return MemberProblem(np.ascontiguousarray(cells.keys), compiled, columns)


def solve_pieces(
    problem: MemberProblem,
    pieces: list[Block],
    deadline: float = np.inf,
    *,
    refine: bool,
    progress: Progress,
) -> NDArray[np.int64]:
    """Cluster every piece by itself; the longest first, which keeps all cores busy.

    Whoever's turn comes after the deadline is one group: every piece is allowed as a whole.
    """

    def solve(piece: Block) -> NDArray[np.int64]:
        if time.perf_counter() > deadline:
            return np.zeros(len(piece), np.int64)
        return solve_piece(problem, piece, deadline, refine=refine)

    ordered = sorted(pieces, key=len, reverse=True)
    return solve_each(ordered, len(problem.keys), solve, progress, "clustering")


def solve_piece(
    problem: MemberProblem, piece: Block, deadline: float = np.inf, *, refine: bool
) -> NDArray[np.int64]:
    """Groups of the cells of one piece, which is allowed as a whole."""
    keys = np.ascontiguousarray(problem.keys[piece])
    compiled = take_cells(problem.compiled, piece)
    clusters = k_member(problem.loss, compiled, keys)
    group_of, _ = improve(problem.loss, compiled, keys, clusters, refine=refine, deadline=deadline)
    return group_of


def information_loss_of(problem: MemberProblem, pieces: list[Block], *, refine: bool) -> float:
    """Information loss of clustering some pieces."""
    total = 0.0
    for piece in pieces:
        group_of = solve_piece(problem, piece, refine=refine)
        keys = np.ascontiguousarray(problem.keys[piece])
        compiled = take_cells(problem.compiled, piece)
        n_groups = int(group_of.max(initial=-1)) + 1
        groups = make_groups(problem.loss, compiled, keys, group_of, n_groups)
        total += float((groups.size * groups.loss).sum())
    return total


def cut_into_pieces(problem: MemberProblem, block: Block, most: int) -> list[Block]:
    """Halve a block in the middle of its widest column, recursively.

    Cells with equal codes stay together, so halves may be uneven; halves that the model does not
    allow are not made.
    """
    if len(block) <= most:
        return [block]
    keys = problem.keys[block]
    spreads = [len(np.unique(codes)) for codes in keys.T]
    for column in np.argsort(spreads)[::-1].tolist():
        codes = keys[:, column]
        middle = np.sort(codes)[len(codes) // 2]
        # when over half of the cells have the least code, nothing lies below the middle
        left = codes < middle if (codes < middle).any() else codes <= middle
        parts = [block[left], block[~left]]
        if all(len(part) and is_allowed(problem.compiled, part) for part in parts):
            return [piece for part in parts for piece in cut_into_pieces(problem, part, most)]
    return [block]
