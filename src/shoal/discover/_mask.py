"""Masking quasi-identifiers: the largest set of attributes that can be published together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from shoal.discover._remarks import remark_constant
from shoal.discover._results import MaskResult
from shoal.discover._sizes import sampled_beta
from shoal.discover.covers._coverage import AllPairs, Coverage, DistinctRows, SampledPairs
from shoal.discover.covers._deadline import TIME_LIMIT, begin
from shoal.discover.covers._far_coverage import FarCoverage
from shoal.discover.covers._greedy import hold
from shoal.discover.sources._checks import (
    RandomState,
    check_choice,
    check_count,
    check_share,
    check_weights,
    make_generator,
)
from shoal.discover.sources._far_sets import engine_of_far
from shoal.discover.sources._open import open_source
from shoal.discover.sources._source import Source, sample_pairs
from shoal.errors import InfeasibleError
from shoal.typing import Native

_CUT_SHORT = (
    "the time was up: further attributes may fit, which is undecided. Give more time for them."
)


def mask(
    table: Native,
    beta: float,
    kind: str = "distinct",
    *,
    sample: int | None = None,
    delta: float = 0.01,
    weights: Mapping[str, float] | None = None,
    columns: Sequence[str] | None = None,
    duplicates: str = "keep",
    bins: Mapping[str, float] | None = None,
    time_limit: float | None = TIME_LIMIT,
    random_state: RandomState = None,
) -> MaskResult:
    """Choose attributes to publish so that no set of them is a quasi-identifier beyond `beta`.

    Parameters
    ----------
    table : frame, path, engine or RowSample
        What would be published.
    beta : float in (0, 1)
        Largest ratio that the published attributes may have.
    kind : {"distinct", "separation"}
        Which ratio: distinct combinations per row, or share of the pairs of rows that differ.
    sample : int, optional
        Rows ("distinct") or pairs of rows ("separation") to examine; by default all.
    delta : float in (0, 1)
        Probability with which a sampled result may exceed `beta`.
    weights : mapping of str to float, optional
        Value of each attribute to the recipients; 1 for those not named.
    columns : sequence of str, optional
        Attributes to choose from; by default all.
    duplicates : {"keep", "drop"}
        What to do with rows that are equal on all columns.
    time_limit : float, optional
        Seconds after which the attributes found so far are returned, and the notes say so; None
        for no limit.
    bins, random_state
        As in :func:`shoal.discover.find_key`.

    Returns
    -------
    MaskResult

    Raises
    ------
    InfeasibleError
        When every single attribute exceeds `beta`.

    Notes
    -----
    **Guarantee.**  The published attributes together have a ratio of at most `beta`; with a
    sample, with probability 1 - delta.  Their number (value) is not proved to be the largest:
    that problem is as hard as finding dense subgraphs.

    **Departures from the paper.**  An attribute that does not fit is set aside and others are
    still tried, which matters when attributes differ in value.  Rows are sampled without
    replacement, so that the guarantee holds for every sample size, not only small ones.  The
    limit kept on the sample comes from the sharp form of Chernoff's bound and is a little higher
    than the paper's, with the same probability.

    References
    ----------
    .. [MX08] R. Motwani, Y. Xu.  Efficient algorithms for masking and finding quasi-identifiers.
       Workshop on practical privacy-preserving data mining (P3DM), 2008.

    Examples
    --------
    >>> table = {
    ...     "age": [20, 30, 40, 20, 40],
    ...     "sex": ["F", "F", "F", "M", "M"],
    ...     "state": ["CA", "CA", "TX", "NY", "CA"],
    ... }
    >>> mask(table, 0.8).published
    ('sex', 'state')
    """
    started = perf_counter()
    deadline = begin(time_limit)
    check_choice("kind", kind, ("distinct", "separation"))
    check_share("beta", beta)
    check_share("delta", delta)
    if sample is not None:
        check_count("sample", sample)
    source = open_source(table, columns=columns, duplicates=duplicates, bins=bins)
    values = check_weights(weights, source.names)
    examined = _examine(source, kind, sample, make_generator(random_state))
    used = beta
    if examined.is_sample:
        used = sampled_beta(beta, examined.size, len(source.names), delta)
    choice, finished = hold(examined.coverage, values, used, deadline)
    if not choice.columns:
        _raise_exceeded(examined, beta, used, kind)
    published = tuple(source.names[j] for j in choice.columns)
    what = f"{kind} ratio of the published attributes at most {beta:g}"
    return MaskResult(
        published=published,
        withheld=tuple(name for name in source.names if name not in published),
        ratios=tuple(covered / examined.coverage.total for covered in choice.covered),
        kind=kind,
        beta=beta,
        beta_used=used,
        value=float(values[list(choice.columns)].sum()),
        n_rows=source.n_rows,
        sample_size=examined.size,
        sample_unit=examined.unit,
        guarantee=f"with probability {1 - delta:g}: {what}"
        if examined.is_sample
        else f"exact: {what}",
        probability=1 - delta if examined.is_sample else 1.0,
        seconds=perf_counter() - started,
        notes=source.notes
        + remark_constant(source.names, examined.coverage)
        + (() if finished else (_CUT_SHORT,)),
    )


@dataclass(frozen=True, eq=False)
class _Examined:
    coverage: Coverage
    size: int
    unit: str
    is_sample: bool


def _examine(
    source: Source, kind: str, sample: int | None, generator: np.random.Generator
) -> _Examined:
    n, distinct = source.n_rows, kind == "distinct"
    if sample is None or sample >= (n if distinct else n * (n - 1) // 2):
        return _Examined(_examine_all(source, distinct=distinct), n, "rows", False)
    if distinct:
        rows = source.sample(sample, generator)
        return _Examined(DistinctRows.of(rows), sample, "rows", True)
    pairs = SampledPairs.of(sample_pairs(source, sample, generator))
    return _Examined(pairs, sample, "pairs", True)


def _examine_all(source: Source, *, distinct: bool) -> Coverage:
    far = engine_of_far(source)
    if far is not None:
        return FarCoverage(far, "combinations" if distinct else "pairs")
    return (DistinctRows if distinct else AllPairs).of(source.codes())


def _raise_exceeded(examined: _Examined, beta: float, used: float, kind: str) -> None:
    coverage = examined.coverage
    least = min(coverage.after(range(coverage.n_columns))) / max(coverage.total, 1)
    advice = "Raise beta, or coarsen a column first (bins, or a hierarchy)."
    if examined.is_sample:
        advice = f"The sample keeps {used:g}: take a larger one. {advice}"
    raise InfeasibleError(
        f"masking at {kind} ratio beta={beta:g}",
        required=used,
        achieved=least,
        hint=f"Every single attribute exceeds it. {advice}",
    )
