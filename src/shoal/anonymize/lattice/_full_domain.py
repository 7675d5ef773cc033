"""Full-domain recoding: the best single level for every column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Literal

from shoal._checks import check_choice
from shoal.anonymize._anonymizer import Anonymizer
from shoal.anonymize._recoding import CutRecoding
from shoal.anonymize.cuts._cut_problem import make_problem
from shoal.anonymize.cuts._grown_hierarchies import grow_hierarchies
from shoal.anonymize.cuts._suppression import infeasible, make_recoding
from shoal.anonymize.lattice._hardened import fixed_levels, require_public
from shoal.anonymize.lattice._heuristic_search import search_heuristic
from shoal.anonymize.lattice._lattice_problem import METRICS, LatticeProblem
from shoal.anonymize.lattice._optimal_search import MOST_NODES, search_optimal
from shoal.errors import ParameterError, SchemaError
from shoal.privacy import PrivacyModel
from shoal.privacy._projection import rungs_beside
from shoal.schema import Schema
from shoal.tables import FrequencyTable
from shoal.typing import Progress


class FullDomain(Anonymizer):
    """Generalize every column to one level of its hierarchy: the best combination of levels.

    Parameters
    ----------
    schema : Schema
        Roles, hierarchies, limits; the target for ``metric="classification"``.
    privacy : PrivacyModel or int
        What every released group has to meet; a number is the k of k-anonymity.
    metric : {"loss", "ncp", "precision", "entropy", "discernibility", "classification"}
        What the chosen combination of levels minimizes; a suppressed row costs the most that the
        metric can.  See :mod:`shoal.metrics`.
    max_suppression : float, default=0.0
        Share of rows that may be left out.
    search : {"optimal", "heuristic"}, default="optimal"
        "heuristic" goes down from the top and stops at the time limit; lattices of more than
        2,000,000 nodes are always searched that way.
    time_limit : float or None, default=None
        Seconds for the heuristic search.
    hardened : bool, default=False
        Do not search: release every column at the level that `levels` gives, and leave out the
        rows whose groups are not allowed, however many.  No label then depends on any row.
    levels : mapping of str to int, optional
        With `hardened`, the level of each column; 1, the finest bands, for columns that are not
        named.
    ranges : {"lines", "exact"}, default="lines"
        Whether bands of numeric and date columns without a hierarchy end on public lines, or are
        cut out of the data and end at values of people.

    Attributes
    ----------
    release_ : Release
        The release, re-checked when it is handed out.
    lattice_ : Lattice
        The nodes looked at, with their losses, and how far from the optimum the result may be.
    recoding_ : CutRecoding
        The recoding; :meth:`transform` applies it to new rows.

    Notes
    -----
    **Guarantee.**  Every group of the released rows satisfies `privacy`; the output is counted
    again by code that shares nothing with the search.  With ``search="optimal"`` no other
    combination of levels within the limits and the share of suppressed rows has a lower metric.
    This does not hold for promises on the whole table, such as an average risk, nor if people have
    several rows: the search then uses a condition that implies the promise, and `lattice_.proven`
    is false.

    With `hardened`, the label of a row depends on its own values and the schema alone: taking any
    other row away changes no label (it may leave rows out whose group gets too small).  A method
    that looks at the rows cannot promise that: between a table and an empty one, some step of
    taking a row away must change labels.

    **How.**  Predictive tagging: what is finer than a failing node fails, as far as the privacy
    model is monotone, or by group sizes alone.  Levels stop at the schema's limits: a value whose
    limit is reached stays there while others go on.

    **Optimum.**  With ``metric="loss"`` a value released as m of M leaves costs (m-1)/(M-1) and a
    suppressed row 1 in every column.  The least mean over rows and columns is the optimum that ARX
    3.9.2 reports for its Loss metric on Adult, with and without suppression [PEK14]_.

    References
    ----------
    .. [PEK14] F. Prasser, F. Kohlmayer, R. Lautenschläger, K. Kuhn.  ARX: a comprehensive tool for
       anonymizing biomedical data.  AMIA 2014.

    Examples
    --------
    >>> import duckdb
    >>> from shoal import Schema
    >>> from shoal.privacy import KAnonymity
    >>> people = duckdb.sql("SELECT * FROM (VALUES (31, 'flu'), (34, 'flu'), (52, 'cold'), "
    ...                     "(58, 'flu')) AS t(age, illness)")
    >>> schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric",
    ...                          "hierarchy": {"intervals": [10, 20]}},
    ...                  "illness": {"role": "sensitive"}})
    >>> method = FullDomain(schema, KAnonymity(2)).fit(people)
    >>> sorted(method.release_.table.fetchall())
    [('[30-39]', 'flu'), ('[30-39]', 'flu'), ('[50-59]', 'cold'), ('[50-59]', 'flu')]
    >>> method.lattice_.proven
    True
    """

    name = "full-domain"
    summary = "one level per column, the proven best"
    explanation = (
        "Every column was brought to one level of its hierarchy; the best combination of "
        "levels was searched for."
    )

    _counts_projections = True

    def __init__(
        self,
        schema: Schema,
        privacy: PrivacyModel | int,
        *,
        metric: str = "loss",
        max_suppression: float = 0.0,
        search: Literal["optimal", "heuristic"] = "optimal",
        time_limit: float | None = None,
        ranges: Literal["lines", "exact"] = "lines",
        hardened: bool = False,
        levels: Mapping[str, int] | None = None,
    ) -> None:
        self.schema = schema
        self.privacy = privacy
        self.metric = metric
        self.max_suppression = max_suppression
        self.search = search
        self.time_limit = time_limit
        self.ranges = ranges
        self.hardened = hardened
        self.levels = levels

    def _check_params(self) -> None:
        check_choice("ranges", self.ranges, ("lines", "exact"))
        if self.metric not in METRICS:
            raise ParameterError(
                f"metric must be one of {', '.join(METRICS)}, got {self.metric!r}."
            )
        if self.search not in ("optimal", "heuristic"):
            raise ParameterError(f"search must be 'optimal' or 'heuristic', got {self.search!r}.")
        if self.metric == "classification" and self.schema.target is None:
            raise SchemaError(
                "metric='classification' needs a class column. Mark one with target = true in the "
                "schema, or choose metric='loss'."
            )
        if self.hardened:
            require_public(self.schema)
        elif self.levels is not None:
            raise ParameterError("levels are for hardened=True. Leave one of them out.")
        limit = self.time_limit
        if limit is not None and (not isinstance(limit, Real) or not limit > 0):
            raise ParameterError(f"time_limit must be a number of seconds above 0, got {limit!r}.")

    @property
    def looks_at_target(self) -> bool:
        """Whether levels are chosen by the target."""
        return self.metric == "classification"

    def _notes(self) -> tuple[str, ...]:
        if self.hardened:
            return ("hardened: no label depends on any row, only which rows are left out.",)
        if self.lattice_.proven:
            return ()
        if not self._is_asked:
            return (
                "other levels may keep the promise and lose less: the search went by a condition "
                "that implies it.",
            )
        return (
            f"{self.lattice_.n_assessed} of {self.lattice_.n_nodes} combinations of levels were "
            "looked at; others may lose less (lattice_.gap of the method says how much at most).",
        )

    def _solve(
        self, cells: FrequencyTable, privacy: PrivacyModel, progress: Progress
    ) -> CutRecoding:
        # only what the metric asks for looks at the target: its values may be sensitive
        steers = self.schema.target if self.looks_at_target else None
        least = max(privacy.minimum_size, 1)
        cells = grow_hierarchies(cells, steers, least, exact=self.ranges == "exact")
        cut = make_problem(
            cells,
            privacy,
            target=self.schema.target,
            metric="ncp",
            max_suppression=1.0 if self.hardened else self.max_suppression,
            weights=[1.0] * len(cells.codings),
        )
        problem = LatticeProblem(cut, self.metric)
        if self.hardened:
            levels = fixed_levels(cells.names, problem.shape, self.levels)
            return make_recoding(cut, problem.node_of(list(levels)))
        if self.search == "optimal" and problem.n_nodes <= MOST_NODES:
            lattice = search_optimal(problem, progress)
        else:
            lattice = search_heuristic(problem, self.time_limit, progress)
        if lattice is None:
            top = problem.node_of(problem.top)
            group_of, n_groups = cut.group(top)
            sizes = cells.merge(group_of, n_groups).sizes
            raise infeasible(cut, cut.assess(group_of, sizes, top))
        # a promise on the whole table, or to people, may be kept where what implies it is not
        promise = self._bind()
        of_groups = tuple(rungs_beside(promise, cells.n_rows)) == (promise,)
        self._is_asked = of_groups and self.schema.subject is None
        if not self._is_asked and lattice.loss[lattice.best] > 0:
            lattice = replace(lattice, proven=False, bound=0.0)
        self.lattice_ = lattice
        return make_recoding(cut, problem.node_of(lattice.levels[lattice.best].tolist()))
