"""Top-down specialization: from the root down, as long as the privacy model holds."""

from __future__ import annotations

import time
from contextlib import suppress
from math import inf
from typing import Literal

from shoal._checks import check_choice, check_number
from shoal.anonymize._anonymizer import Anonymizer
from shoal.anonymize._recoding import CutRecoding
from shoal.anonymize.cuts._suppression import infeasible, make_recoding
from shoal.anonymize.greedy._cut_history import CutHistory
from shoal.anonymize.greedy._sequence import SequenceMixin
from shoal.anonymize.greedy._top_down_search import TopDownSearch
from shoal.errors import InfeasibleError
from shoal.privacy import PrivacyModel
from shoal.schema import Schema
from shoal.tables import FrequencyTable
from shoal.typing import Progress


class TopDownSpecialization(SequenceMixin, Anonymizer):
    """Specialize step by step, each time where the most information is gained per anonymity lost.

    Parameters
    ----------
    schema : Schema
        Roles, hierarchies, limits; the target, if the release is for classification.
    privacy : PrivacyModel or int
        What every released group has to meet; a number is the k of k-anonymity.
    metric : {"information", "ncp", "discernibility", "weighted"}, optional
        What a step gains: class information (default with a target that is not sensitive), or a
        fall of the normalised certainty penalty (default otherwise), of squared group sizes, or of
        NCP weighted by the schema's weights.  "information" with a sensitive target reveals
        something about it (a minimality attack); the manifest then says so.
    max_suppression : float, default=0.0
        Share of rows that may be left out so that others can be released in more detail.
    ranges : {"lines", "exact"}, default="lines"
        Whether bands of numeric and date columns without a hierarchy end on public lines, or are
        cut out of the data and end at values of people.
    time_limit : float or None, default=None
        Seconds to search.  The cut reached by then is released: it keeps the promise, as every cut
        on the way does, and the manifest says so.

    Attributes
    ----------
    release_ : Release
        The release, re-checked when it is handed out.
    steps_ : list of Step
        Every step with its scores and what it reached.
    recoding_ : CutRecoding
        The recoding; :meth:`transform` applies it to new rows.

    Notes
    -----
    **Guarantee.**  Every group of the released rows satisfies `privacy`; the output is counted
    again by code that shares nothing with the search.

    **Departures from the paper.**  A numeric column without a hierarchy is split in two at the
    point of best gain; since gain depends on that column alone, the whole tree of splits is grown
    before the search and the search then treats it like any other.  There is one group of
    quasi-identifiers, so the anonymity lost needs no averaging.

    References
    ----------
    .. [FWY05] B. C. M. Fung, K. Wang, P. S. Yu.  Top-down specialization for information and
       privacy preservation.  ICDE 2005.  doi:10.1109/ICDE.2005.143

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
    >>> method = TopDownSpecialization(schema, KAnonymity(2)).fit(people)
    >>> [(step.node, step.anonymity) for step in method.steps_]
    [('*', 2), ('[20-39]', 2), ('[40-59]', 2)]
    """

    _late = False
    name = "top-down"
    summary = "one cut per column, refined for the class"
    explanation = (
        "Everything was made as coarse as possible, then finer step by step as long as "
        "the promise held."
    )

    def __init__(
        self,
        schema: Schema,
        privacy: PrivacyModel | int,
        *,
        metric: str | None = None,
        max_suppression: float = 0.0,
        ranges: Literal["lines", "exact"] = "lines",
        time_limit: float | None = None,
    ) -> None:
        self.schema = schema
        self.privacy = privacy
        self.metric = metric
        self.max_suppression = max_suppression
        self.ranges = ranges
        self.time_limit = time_limit

    def _check_params(self) -> None:
        check_choice("ranges", self.ranges, ("lines", "exact"))
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, 0, above=True)

    def _notes(self) -> tuple[str, ...]:
        return ("The time limit ended the search for finer labels.",) if self._late else ()

    def _solve(
        self, cells: FrequencyTable, privacy: PrivacyModel, progress: Progress
    ) -> CutRecoding:
        deadline = time.perf_counter() + (self.time_limit or inf)
        problem = self._prepare(cells, privacy)
        search = TopDownSearch(problem)
        if search.state.failing > problem.budget:
            raise infeasible(problem, search.state)
        self.steps_ = []
        self._cuts = CutHistory(search.cut)
        self._late = False
        while (chosen := search.best()) is not None:
            if time.perf_counter() > deadline:
                self._late = True
                break
            self.steps_.append(search.make(chosen, len(self.steps_) + 1))
            self._cuts.append(search.cut)
            progress(len(self.steps_), len(self.steps_) + len(search.candidates), "specializing")
        for cut in reversed(self._cuts):
            # some models compare groups with the whole table, which changes when rows are left
            # out of it: then the cut before may do
            with suppress(InfeasibleError):
                return make_recoding(problem, cut)
        raise infeasible(problem, search.state)
