"""Mondrian that knows what the data is for: partitioning steered by priorities and the target."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from math import inf, isfinite
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal._checks import check_choice, check_number
from shoal.anonymize._anonymizer import Anonymizer
from shoal.anonymize._recoding import range_notes
from shoal.anonymize.mondrian._feasibility import require_whole
from shoal.anonymize.mondrian._partition import is_tree, partition
from shoal.anonymize.mondrian._preferences import Preferences
from shoal.anonymize.mondrian._region_recoding import RegionRecoding
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.privacy import PrivacyModel
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from shoal.schema import Schema
from shoal.tables import FrequencyTable
from shoal.typing import Flags, Progress

_SCORES = ("spread", "gain", "priority", "loss")


class Mondrian(Anonymizer):
    """Cut the table into ever smaller regions, along the columns that matter most.

    In each region every column gets a score, the weighted mean of up to four measures between 0
    and 1; the region is cut along the column with the highest score that the privacy model allows
    to be cut, at the median or by the children of the region's hierarchy node.

    Parameters
    ----------
    schema : Schema
        Roles, kinds, hierarchies, limits; the target, for `gain`.
    privacy : PrivacyModel or int
        What every released group has to meet; a number is the k of k-anonymity.
    weights : mapping of str to float, optional
        Priority of quasi-identifiers; those not named get 0.  The schema's weights unless given.
        :func:`shoal.workload.read_workload` learns them from queries.
    spread : float, default=1.0
        Weight of the share of a column's domain that the region still covers, in eighths: the
        classic rule.
    gain : float, default=0.0
        Weight of the share of the target's entropy in the region that the cut takes away.
    priority : float, default=1.0
        Weight of the columns' priorities.
    loss : float, default=0.0
        Weight of the drop in NCP that the cut brings for the bits that it spends, columns
        weighted by priority.  With ``spread=0, priority=0, loss=1`` releases lose least.
    splits : {"partial", "full"}, default="partial"
        Whether children that are too small stay together while others are split off, or forbid
        the split.
    relaxed : bool, default=False
        Also cut between rows with equal values of an ordered column, where that balances the parts
        better.  Released ranges may then overlap.
    cuts : mapping of str to sequence of numbers, optional
        Wanted cuts of numeric and date columns: each number is the least of the upper part.  They
        go before the median where they are allowed.
    ranges : {"lines", "exact"}, default="lines"
        Whether ranges end on public lines, or at values of people in the region, which tells that
        somebody has exactly these values.
    time_limit : float or None, default=None
        Seconds after which regions are released as they are, cut no further.

    Attributes
    ----------
    release_ : Release
        The release, re-checked when it is handed out.
    recoding_ : RegionRecoding
        The regions; :meth:`transform` sends new rows to theirs.

    Notes
    -----
    **Guarantee.**  Every group of the released rows satisfies `privacy`.  Regions cover every
    combination of values exactly once, so each row has one possible home.  With ``ranges="exact"``
    the labels of strict releases do not overlap; on public lines neighbours may.  No region has a
    cut left that the model allows (for models of which two allowed groups make an allowed one).

    **Departures from the paper.**  Information gain is the drop in class entropy (the paper prints
    the remaining entropy), relative to the region's.  Weights are divided by the largest.  Small
    siblings may stay together ("partial"; if they are too few, they get as few rows as possible
    from below the others).  The measure `loss` is ours, and breaks ties.  A cut of an ordered
    column is the allowed one nearest to the median, not the median or nothing.  Rows that agree on
    all quasi-identifiers are never separated, relaxed or not.  Columns that have an order are
    released as ranges also when they have a hierarchy, which then only sets limits.

    References
    ----------
    .. [XR08] L. Xiong, K. Rangachari.  Towards application-oriented data anonymization.
       SIAM Workshop on Practical Privacy-Preserving Data Mining, 2008.
    .. [LDR06] K. LeFevre, D. DeWitt, R. Ramakrishnan.  Mondrian multidimensional k-anonymity.
       ICDE 2006.  doi:10.1109/ICDE.2006.101

    Examples
    --------
    >>> import duckdb
    >>> from shoal import Schema
    >>> from shoal.privacy import KAnonymity
    >>> people = duckdb.sql("SELECT * FROM (VALUES (25, 'M', 53710), (28, 'F', 53712), "
    ...                     "(28, 'M', 53711), (26, 'F', 53712)) AS t(age, sex, zip)")
    >>> schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"},
    ...                  "sex": {"role": "quasi-identifier"},
    ...                  "zip": {"role": "quasi-identifier", "kind": "numeric"}})
    >>> method = Mondrian(schema, KAnonymity(2), weights={"sex": 1}).fit(people)
    >>> for row in sorted(method.release_.table.fetchall()):
    ...     print(row)
    ('[25-29]', 'F', '53712')
    ('[25-29]', 'F', '53712')
    ('[25-29]', 'M', '[53710-53714]')
    ('[25-29]', 'M', '[53710-53714]')
    """

    name = "mondrian"
    summary = "regions of the data, priorities from a workload"
    explanation = "The rows were cut into ever smaller regions as long as the promise held."

    def __init__(
        self,
        schema: Schema,
        privacy: PrivacyModel | int,
        *,
        weights: Mapping[str, float] | None = None,
        spread: float = 1.0,
        gain: float = 0.0,
        priority: float = 1.0,
        loss: float = 0.0,
        splits: Literal["partial", "full"] = "partial",
        relaxed: bool = False,
        cuts: Mapping[str, Sequence[float]] | None = None,
        ranges: Literal["lines", "exact"] = "lines",
        time_limit: float | None = None,
    ) -> None:
        self.schema = schema
        self.privacy = privacy
        self.weights = weights
        self.spread = spread
        self.gain = gain
        self.priority = priority
        self.loss = loss
        self.splits = splits
        self.relaxed = relaxed
        self.cuts = cuts
        self.ranges = ranges
        self.time_limit = time_limit

    def _check_params(self) -> None:
        check_choice("ranges", self.ranges, ("lines", "exact"))
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, 0, above=True)
        for name in _SCORES:
            _check_weight(name, getattr(self, name))
        if not any(getattr(self, name) for name in _SCORES):
            raise ParameterError(f"all of {', '.join(_SCORES)} are 0. Give one of them a weight.")
        if self.splits not in ("partial", "full"):
            raise ParameterError(f"splits must be 'partial' or 'full', got {self.splits!r}.")
        if self.gain and self.schema.target is None:
            raise SchemaError("gain needs a target. Give one column `target = true` in the schema.")
        _check_names("weights of columns", self.weights, self.schema)
        _check_names("cuts", self.cuts, self.schema)
        for name, weight in (self.weights or {}).items():
            _check_weight(f"weights of columns: {name!r}", weight)
        if not any(self._priorities().values()):
            raise ParameterError(
                "weights of columns: all are 0. Give a quasi-identifier a positive weight."
            )

    def _priorities(self) -> dict[str, float]:
        names = self.schema.quasi_identifiers
        if self.weights is None:
            return {name: self.schema[name].weight for name in names}
        return {name: float(self.weights.get(name, 0.0)) for name in names}

    def _solve(
        self, cells: FrequencyTable, privacy: PrivacyModel, progress: Progress
    ) -> RegionRecoding:
        deadline = time.perf_counter() + (self.time_limit or inf)
        require_whole(cells, privacy)
        weights = self._priorities()
        weight = np.array([weights[name] for name in cells.names])
        preferences = Preferences(
            weight=weight / weight.max(),
            spread=float(self.spread),
            gain=float(self.gain),
            priority=float(self.priority),
            loss=float(self.loss),
            target=cells.histograms[self.schema.target]
            if self.gain and self.schema.target
            else None,
            cuts=wanted_cuts(cells, self.cuts or {}),
            partial=self.splits == "partial",
            relaxed=bool(self.relaxed),
        )
        compiled = compile_model(privacy, cells)
        regions, low, high, leaf = partition(cells, compiled, preferences, progress, deadline)
        self._late_ = time.perf_counter() > deadline
        recoding = RegionRecoding(cells.codings, regions, low, high, self.ranges == "exact")
        recoding.expect(cells, leaf)
        if not privacy.is_monotone:  # regions whose labels are equal are one group
            recoded = recoding.recode(cells)
            fine = allowed_groups(compiled, recoded.group_of, len(recoded.codes))
            if not fine.all():
                raise InfeasibleError(
                    f"{privacy.describe()}, in regions released alike",
                    required=len(fine),
                    achieved=int(fine.sum()),
                    hint="Set relaxed=False, or lift the limits of ordered columns.",
                )
        self._single_ = [
            name
            for name, codes in zip(cells.names, cells.keys.T, strict=True)
            if len(codes) and codes.min() == codes.max()
        ]
        self._ranges_ = range_notes(
            [coding for coding in cells.codings if not is_tree(coding)],
            exact=self.ranges == "exact",
        )
        return recoding

    @property
    def looks_at_target(self) -> bool:
        """Whether cuts are chosen by the target, too."""
        return bool(self.gain)

    def _notes(self) -> tuple[str, ...]:
        late = ("The time limit ended the cutting of regions.",) if self._late_ else ()
        return (
            late
            + self._ranges_
            + tuple(
                f"column {name!r} has one value only, so it never splits anything."
                for name in self._single_
            )
        )


def wanted_cuts(cells: FrequencyTable, cuts: Mapping[str, Sequence[float]]) -> dict[str, Flags]:
    """After which codes of each column a cut is wanted."""
    wanted_after = {}
    for coding in cells.codings:
        if coding.name not in cuts:
            continue
        if coding.kind not in ("numeric", "date"):
            raise ParameterError(f"cuts: column {coding.name!r} is neither numeric nor a date.")
        n_values = coding.n_codes - (coding.missing >= 0)
        first: NDArray[Any] = np.searchsorted(
            coding.numbers[:n_values], np.asarray(list(cuts[coding.name]), np.float64)
        )
        wanted = np.zeros(coding.n_codes, np.bool_)
        # a cut is named by the first value above it, and kept with the code below it
        wanted[first[(first > 0) & (first < n_values)] - 1] = True
        wanted_after[coding.name] = wanted
    return wanted_after


def _check_weight(name: str, value: Any) -> None:
    if not isinstance(value, Real) or isinstance(value, bool) or not isfinite(value) or value < 0:
        raise ParameterError(f"{name} must be a number of at least 0, got {value!r}.")


def _check_names(parameter: str, mapping: Mapping[str, Any] | None, schema: Schema) -> None:
    unknown = [name for name in mapping or {} if name not in schema.quasi_identifiers]
    if unknown:
        shown = ", ".join(map(repr, unknown))
        raise ParameterError(
            f"{parameter}: {shown} not among the quasi-identifiers "
            f"{', '.join(map(repr, schema.quasi_identifiers))}."
        )
