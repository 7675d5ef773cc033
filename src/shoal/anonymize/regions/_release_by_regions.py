"""From a table larger than memory to its release: plan, key, join, solve, write."""

from __future__ import annotations

import time
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Literal

from shoal.anonymize._recoding import range_notes
from shoal.anonymize.clusters._group_loss import is_range_column
from shoal.anonymize.cuts._first_cuts import domain_columns
from shoal.anonymize.cuts._grown_hierarchies import with_root_apart
from shoal.anonymize.regions._figures import add_regions
from shoal.anonymize.regions._join_parts import join_parts, whole_of
from shoal.anonymize.regions._plan_cuts import plan_cuts, sample_size
from shoal.anonymize.regions._region_solver import RegionSolver, with_whole
from shoal.anonymize.regions._regional_release import RegionalRelease
from shoal.anonymize.regions._search_coarse import search_coarse
from shoal.errors import InfeasibleError, ParameterError
from shoal.privacy import PrivacyModel
from shoal.privacy._population_model import PopulationModel
from shoal.privacy._projection import split_promise
from shoal.schema._coding import Coding
from shoal.tables import RowOptions
from shoal.tables._engine import Engine
from shoal.tables._frequency import CodingOptions
from shoal.tables.engines._spark_engine import SparkEngine
from shoal.tables.engines.regions._cuts import regions_of
from shoal.tables.engines.regions._open_regions import (
    fits_one_search,
    most_cells,
    open_regions,
    rows_of_a_region,
)
from shoal.tables.engines.regions._region_rows import RegionRows
from shoal.typing import Progress

if TYPE_CHECKING:
    from shoal.anonymize._anonymizer import Anonymizer

METHODS_BY_REGION = ("mondrian", "local", "constrained")
"""Methods that release a group by itself: each region is searched by itself."""

METHODS_BY_COLUMN = ("bottom-up", "top-down", "full-domain")
"""Methods that recode a column alike in all rows: coarse columns are searched, rows labelled."""

FORMS_OF_LABELS = ("labels", "intervals", "midpoints")
"""Forms that labels alone decide: rows of any region can be written so."""

LEAST_GROUPS = 100
"""Groups of the least size that a region has room for: where it has fewer, borders cost much."""

Regions = int | Literal["auto"]


def release_by_regions(
    estimator: Anonymizer,
    engine: Engine,
    privacy: PrivacyModel,
    options: CodingOptions,
    output: RowOptions,
    regions: Regions | None,
    progress: Progress,
) -> RegionalRelease | None:
    """Release a table region by region; None where that is not asked for and not needed.

    Parameters
    ----------
    estimator : Anonymizer
        The method.
    engine : Engine
        The table.
    privacy : PrivacyModel
        Bound to the schema's sensitive columns.
    options, output
        How columns are coded, and rows given out.
    regions : int, "auto" or None
        How many regions to aim for.  With None the table is cut only if it has to be.
    progress : callable
        Called as ``progress(done, total, what)``.
    """
    if isinstance(regions, bool) or not (
        regions in (None, "auto") or (isinstance(regions, int) and regions > 0)
    ):
        raise ParameterError(f"regions must be a whole number above 0, or auto, got {regions!r}.")
    reason = _refusal(estimator, engine, privacy, output)
    if regions is None and reason:
        return None
    if regions in (None, "auto") and fits_one_search(engine, estimator.schema):
        return None
    if reason:
        raise ParameterError(reason)
    started = time.perf_counter()
    progress(0, 0, "coding")
    rows = open_regions(engine, estimator.schema, options)
    target = rows_of_a_region(engine)
    if isinstance(regions, int):
        # recodings alike in all rows have no borders; one region is one search, whatever its size
        least = LEAST_GROUPS * privacy.minimum_size if estimator.name in METHODS_BY_REGION else 1
        target = max(-(-rows.n_rows // regions), least)
    most = most_cells(engine)
    return _solve(estimator, rows, privacy, output, (target, most), started, progress)


def _refusal(
    estimator: Anonymizer, engine: Engine, privacy: PrivacyModel, output: RowOptions
) -> str:
    """Why a release cannot be made by regions, with advice; empty where it can."""
    schema = estimator.schema
    if estimator.name not in METHODS_BY_REGION + METHODS_BY_COLUMN:
        known = ", ".join(METHODS_BY_REGION + METHODS_BY_COLUMN)
        return (
            f"method {estimator.name or type(estimator).__name__} needs all rows in one place, not "
            f"in regions. Use {known}, or leave regions out."
        )
    if any(isinstance(part, PopulationModel) and part.counts_population for part in privacy.parts):
        return (
            "conditions that count a population are searched for in the whole table, not in "
            "regions. Leave regions out, or ask for groups of people in the table (k)."
        )
    if split_promise(privacy)[1]:
        return (
            "conditions on some of the columns are counted over the whole table, not in regions. "
            "Leave regions out, or ask for groups over all quasi-identifiers (k)."
        )
    if schema.subject is not None:
        return (
            f"people with several rows (column {schema.subject!r}) are counted over the whole "
            "table, not in regions. Leave regions out; a table too large for that needs one row "
            "for each person first, such as the last one, or columns that sum them up."
        )
    forms = ("labels",) if isinstance(engine, SparkEngine) else FORMS_OF_LABELS
    keyed = output.key is not None or schema.shifted or schema.pseudonym is not None
    asked = {
        f"the form {output.form!r}": output.form not in forms,
        "numbers of ranges": bool(output.ranges),
        "pseudonyms or shifted dates": bool(keyed),
    }
    if others := [what for what, is_asked in asked.items() if is_asked]:
        return (
            f"releases by regions are written as {' or '.join(forms)}, without "
            f"{' and '.join(others)}. Leave regions out, or leave that out: ends and middles of "
            "ranges can be read from labels."
        )
    return ""


def _solve(
    estimator: Anonymizer,
    rows: RegionRows,
    privacy: PrivacyModel,
    output: RowOptions,
    sizes: tuple[int, int],
    started: float,
    progress: Progress,
) -> RegionalRelease:
    """Plan, count and solve; `sizes` are rows of a region, and combinations of one search."""
    schema, names = estimator.schema, estimator.schema.quasi_identifiers
    codings = tuple(rows.columns[name].coding for name in names)
    (target, most), recoding, coarsened = sizes, None, None
    progress(0, 0, "planning regions")
    sample = rows.sample(sample_size(rows.n_rows, target), 0)
    weights = [schema[name].weight for name in names]
    columns = domain_columns(codings, weights, [is_range_column(coding) for coding in codings])
    # the sample is cut where its share of a region's rows would be one
    cut = plan_cuts(columns, sample, int(target * len(sample) / max(1, rows.n_rows)))
    n_leaves = 1 + max(regions_of(cut))
    asked = privacy.rungs(rows.n_rows)[-1]
    if estimator.name in METHODS_BY_COLUMN:
        recoding, coarsened = search_coarse(estimator, rows, sample, asked, most, progress)
        codings = recoding.codings
    progress(0, 0, "counting regions")
    parts = rows.partition(cut)
    # rows that are only labelled may lie in any region
    region_of = (
        join_parts(cut, parts, asked, n_leaves, target)
        if recoding is None
        else list(range(n_leaves))
    )
    counted = time.perf_counter()
    solver = RegionSolver(
        copy(estimator),
        with_whole(asked, whole_of(parts)),
        codings,
        {name: column.coding for name, column in rows.columns.items()},
        tuple(rows.columns[name].counts for name in names),
        recoding,
    )
    figures = rows.solve(region_of, solver, progress)
    n_regions = len(figures)
    totals = add_regions(figures)
    _require_whole_unchanged(asked, totals.n_suppressed, totals.n_rows)
    seconds = {"compress": counted - started, "solve": time.perf_counter() - counted}
    if coarsened is not None:
        notes = (*_asked_notes(privacy, asked), coarsened.note())
    else:
        ranges = range_notes(_ranges(estimator, codings), exact=_ends(estimator) == "exact")
        notes = (*_notes(n_regions, privacy, asked), *ranges)
    notes = estimator.note_target() + notes
    return RegionalRelease(
        method=type(estimator).__name__,
        parameters={
            name: value
            for name, value in estimator.get_params(deep=False).items()
            if name not in ("schema", "privacy")
            and isinstance(value, str | int | float | bool | type(None) | dict | list | tuple)
        },
        schema=schema,
        privacy=privacy,
        asked=asked,
        rows=rows,
        totals=totals,
        n_regions=n_regions,
        codings=tuple(map(with_root_apart, codings)),
        coarsened=coarsened,
        output=output,
        notes=notes,
        seconds=seconds,
    )


def _require_whole_unchanged(asked: PrivacyModel, n_suppressed: int, n_rows: int) -> None:
    """Raise where rows are left out and groups were compared with a whole that has them."""
    if n_suppressed and not asked.judges_groups_alone:
        raise InfeasibleError(
            f"{asked.describe()}, in regions with all rows kept",
            required=n_rows,
            achieved=n_rows - n_suppressed,
            hint="Leaving rows out changes the whole that groups are compared with. Raise the "
            "limits, leave these rows out before, or leave regions out.",
        )


def _notes(n_regions: int, privacy: PrivacyModel, asked: PrivacyModel) -> tuple[str, ...]:
    """Notes on how the table was cut, for the reader."""
    notes = [f"the table was solved in {n_regions} regions, each by itself"]
    notes += _asked_notes(privacy, asked)
    if not privacy.is_monotone:
        notes.append("two allowed groups may make one that is not: all rows are one region")
    return tuple(notes)


def _asked_notes(privacy: PrivacyModel, asked: PrivacyModel) -> tuple[str, ...]:
    if asked == privacy:
        return ()
    return (f"every group was asked that {asked.describe()}, which implies the promise",)


def _ends(estimator: Anonymizer) -> str:
    return str(getattr(estimator, "ranges", "lines"))


def _ranges(estimator: Anonymizer, codings: Sequence[Coding]) -> list[Coding]:
    """Columns that are released as ranges."""
    if _ends(estimator) == "nodes":
        return []
    bare = estimator.name == "mondrian"  # it makes ranges of texts that have no hierarchy
    return [
        coding for coding in codings if coding.is_ordered or (bare and coding.hierarchy is None)
    ]
