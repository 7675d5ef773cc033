"""Bottom-up generalization: from the raw values up, until the privacy model holds."""

from __future__ import annotations

from contextlib import suppress
from typing import Literal

import numpy as np

from shoal._checks import check_choice
from shoal.anonymize._anonymizer import Anonymizer
from shoal.anonymize._recoding import CutRecoding
from shoal.anonymize.cuts._cut_problem import CutProblem
from shoal.anonymize.cuts._suppression import infeasible, make_recoding
from shoal.anonymize.greedy._anneal import anneal
from shoal.anonymize.greedy._bottom_up_search import BottomUpSearch
from shoal.anonymize.greedy._cut_history import CutHistory
from shoal.anonymize.greedy._sequence import SequenceMixin
from shoal.errors import InfeasibleError, ParameterError
from shoal.privacy import PrivacyModel
from shoal.schema import Schema
from shoal.tables import FrequencyTable
from shoal.typing import Progress


class BottomUpGeneralization(SequenceMixin, Anonymizer):
    """Generalize step by step, each time where the least information is lost per anonymity gained.

    Parameters
    ----------
    schema : Schema
        Roles, hierarchies, limits; the target, if the release is for classification.
    privacy : PrivacyModel or int
        What every released group has to meet; a number is the k of k-anonymity.
    metric : {"information", "ncp", "discernibility", "weighted"}, optional
        What a step loses: class information (default with a target that is not sensitive),
        normalised certainty penalty (default otherwise), squared group sizes, or NCP weighted by
        the schema's weights.  "information" with a sensitive target reveals something about it (a
        minimality attack); the manifest then says so.
    max_suppression : float, default=0.0
        Share of rows that may be left out instead of generalizing further.
    partial : bool, default=False
        Let a node absorb only some of its children.
    search : {"greedy", "anneal"}, default="greedy"
        "anneal" continues from the greedy result with simulated annealing over all cuts.
    iterations : int, default=5000
        Moves that annealing tries.
    random_state : int or None, default=0
        Seed of annealing.
    prune : bool, default=True
        Try only generalizations that can raise the anonymity; the result is the same.
    ranges : {"lines", "exact"}, default="lines"
        Whether bands of numeric and date columns without a hierarchy end on public lines, or are
        cut out of the data and end at values of people.

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
    again by code that shares nothing with the search.  All rows are recoded alike, so the release
    cannot be undone by comparing its rows.

    **Departures from the paper.**  Where the privacy model is more than k, or rows may be
    suppressed, a step's gain is the number of rows that become allowed.  Numeric columns without a
    hierarchy get one grown from the data.  Ties go to the smaller loss, then the larger gain, then
    schema order.

    References
    ----------
    .. [WYC04] K. Wang, P. S. Yu, S. Chakraborty.  Bottom-up generalization: a data mining solution
       to privacy protection.  ICDM 2004.  doi:10.1109/ICDM.2004.10110

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
    >>> method = BottomUpGeneralization(schema, KAnonymity(2)).fit(people)
    >>> sorted(method.release_.table.fetchall())
    [('[30-39]', 'flu'), ('[30-39]', 'flu'), ('[50-59]', 'cold'), ('[50-59]', 'flu')]
    """

    name = "bottom-up"
    summary = "one cut per column, keeps class information"
    explanation = (
        "Values were made coarser step by step, the best step first, until the promise held."
    )

    def __init__(
        self,
        schema: Schema,
        privacy: PrivacyModel | int,
        *,
        metric: str | None = None,
        max_suppression: float = 0.0,
        partial: bool = False,
        search: Literal["greedy", "anneal"] = "greedy",
        iterations: int = 5_000,
        random_state: int | None = 0,
        prune: bool = True,
        ranges: Literal["lines", "exact"] = "lines",
    ) -> None:
        self.schema = schema
        self.privacy = privacy
        self.metric = metric
        self.max_suppression = max_suppression
        self.partial = partial
        self.search = search
        self.iterations = iterations
        self.random_state = random_state
        self.prune = prune
        self.ranges = ranges

    def _check_params(self) -> None:
        check_choice("ranges", self.ranges, ("lines", "exact"))
        if self.search not in ("greedy", "anneal"):
            raise ParameterError(f"search must be 'greedy' or 'anneal', got {self.search!r}.")
        if self.iterations < 0:
            raise ParameterError(f"iterations must not be negative, got {self.iterations}.")

    def _solve(
        self, cells: FrequencyTable, privacy: PrivacyModel, progress: Progress
    ) -> CutRecoding:
        problem = self._prepare(cells, privacy)
        recoding = self._climb(problem, progress)
        if self.search == "anneal":
            rng = np.random.default_rng(self.random_state)
            cut = anneal(problem, list(recoding.node_of), self.iterations, rng, progress)
            # a model that compares groups with the whole table may fail once rows are left out of
            # it: then the greedy result, which holds, stays
            with suppress(InfeasibleError):
                recoding = make_recoding(problem, cut)
        return recoding

    def _climb(self, problem: CutProblem, progress: Progress) -> CutRecoding:
        search = BottomUpSearch(problem, partial=self.partial)
        self.steps_ = []
        self._cuts = CutHistory(search.cut)
        at_first = search.state.failing
        while True:
            if search.state.failing <= problem.budget:
                # some models compare groups with the whole table, which changes when rows are
                # left out of it: then generalize further
                with suppress(InfeasibleError):
                    return make_recoding(problem, search.cut)
            chosen = search.best(prune=self.prune)
            if chosen is None:
                raise infeasible(problem, search.state)
            self.steps_.append(search.make(chosen, len(self.steps_) + 1))
            self._cuts.append(search.cut)
            progress(at_first - search.state.failing, at_first - problem.budget, "generalizing")
