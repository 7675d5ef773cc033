"""A candidate beside the original: column by column, queries, correlations, groups by size."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.anonymize import Release, compare_methods
from shoal.metrics import design_matrix, query_errors
from shoal.metrics._measure import released_raw
from shoal.metrics._queries import Among, Between, CountQuery, QueryCondition
from shoal.report.release.facts._marginals import Marginal
from shoal.report.release.pages._value_bins import bin_values
from shoal.schema._coding import Coding
from shoal.studio.work._bench import Args, Bench, privacy_of, read_schema
from shoal.studio.work._column_values import FEWEST
from shoal.studio.work._registered import task
from shoal.tables._recoded import Recoded
from shoal.typing import Floats, Progress

_QUERIES = 200
_WORST = 8
_SEED = 0
_MOST_PAIRS = 60
"""Pairs of columns that are shown; of 200 columns there are 20,000."""
_MOST_CELLS = 300_000
"""Cells up to which correlations are worked out."""


@task("compare")
def compare_release(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """What one method makes of the table at one promise."""
    release = bench.release(args, progress)
    progress(0, 0, "comparing")
    after, before = release.metrics, release.metrics_before
    recoded = release.recoded
    least = max(FEWEST, release.privacy.minimum_size)
    return {
        "method": args["method"],
        "guarantee": release.privacy.describe(),
        "reached": [level.to_dict() for level in release.reached],
        "rows": before.n_rows,
        "suppressed": release.n_suppressed,
        "groups": after.n_groups,
        "smallest": after.smallest_group,
        "average": after.average_group_size,
        "lost": after.gcp,
        "discernibility": after.discernibility,
        "risk": {"before": _risk(release.risk_before), "after": _risk(release.risk)},
        "columns": [
            _column(recoded, index, float(after.ncp[name]), least, name in args.get("revealed", ()))
            for index, name in enumerate(recoded.cells.names)
        ],
        "correlations": _correlations(recoded),
        "queries": query_errors(recoded, _queries(recoded), floor=least).to_dict(),
        "sizes": _sizes(release),
        "worst": _worst(recoded),
        "notes": list(release.notes),
    }


@task("train")
def train_models(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """Accuracy of a model that learns from the raw table, and of one that learns from a release."""
    results = compare_methods(
        bench.engine(args), read_schema(args), privacy_of(args),
        methods=[args["method"]], progress=progress,
    )  # fmt: skip
    return {one.method: {"accuracy": one.accuracy, "note": one.note} for one in results}


def _risk(risk: Any) -> dict[str, Any]:
    return {
        "highest": risk.prosecutor.highest,
        "average": risk.prosecutor.average,
        "above": risk.prosecutor.share_above,
        "unique": risk.sample_uniques,
        "certain": {name: part.certain_share for name, part in risk.inference.items()},
    }


def _column(recoded: Recoded, index: int, lost: float, least: int, reveal: bool) -> dict[str, Any]:
    """Shares of few sets of values, as they are and as a recipient reads them off.

    Numbers and dates stand in round steps, which are nobody's; other values have no label until
    their column is revealed.
    """
    cells, labels = recoded.cells, recoded.labels[index]
    coding = labels.coding
    before = np.bincount(cells.keys[:, index], weights=cells.sizes, minlength=coding.n_codes)
    used = recoded.codes[:, index]
    low, high = labels.low[used], labels.high[used]
    share = recoded.groups.sizes / (high - low + 1)
    edges = np.zeros(coding.n_codes + 1)
    np.add.at(edges, low, share)
    np.add.at(edges, high + 1, -share)
    after = np.cumsum(edges)[:-1]
    shown = reveal or coding.kind in ("numeric", "date")
    marginal = Marginal(coding, before.astype(np.int64), after, 0)
    return {
        "name": coding.name,
        "lost": lost,
        "moved": marginal.moved,
        "bins": [
            {
                "label": part.label if shown or part.is_rest else None,
                "before": part.before,
                "after": part.after,
            }
            for part in bin_values(marginal, least)
        ],
    }


def _correlations(recoded: Recoded) -> list[dict[str, Any]]:
    """Correlation of every two ordered columns, before and after; those that moved most first."""
    if recoded.cells.n_groups > _MOST_CELLS:
        return []
    ordered = [c for c, labels in enumerate(recoded.labels) if labels.coding.is_ordered]
    names = recoded.cells.names
    if len(ordered) < 2:
        return []
    raw = released_raw(recoded.cells)
    before = _correlated(raw, names)
    after = _correlated(recoded, names)
    pairs: list[dict[str, Any]] = [
        {"a": names[a], "b": names[b], "before": before[(names[a], names[b])],
         "after": after[(names[a], names[b])]}
        for a in ordered for b in ordered if a < b
    ]  # fmt: skip
    return sorted(pairs, key=lambda pair: -abs(pair["after"] - pair["before"]))[:_MOST_PAIRS]


def _correlated(recoded: Recoded, names: tuple[str, ...]) -> dict[tuple[str, str], float]:
    matrix = design_matrix(recoded)
    weight = recoded.groups.sizes.astype(np.float64)
    chosen = [name for name in names if name in matrix.names]
    columns = [matrix.features[:, matrix.names.index(name)] for name in chosen]
    centred = [_standardized(column, weight) for column in columns]
    return {
        (a, b): float((centred[i] * centred[j] * weight).sum() / weight.sum())
        for i, a in enumerate(chosen)
        for j, b in enumerate(chosen)
    }


def _standardized(column: Floats, weight: Floats) -> Floats:
    mean = float((column * weight).sum() / weight.sum())
    spread = float(np.sqrt(((column - mean) ** 2 * weight).sum() / weight.sum()))
    return (column - mean) / spread if spread else np.zeros_like(column)


def _queries(recoded: Recoded) -> list[CountQuery]:
    """Counts that a recipient may ask for: two columns, around the values of a row drawn."""
    cells = recoded.cells
    generator = np.random.default_rng(_SEED)
    chosen = generator.choice(cells.n_groups, _QUERIES, p=cells.sizes / cells.sizes.sum())
    queries = []
    for cell in chosen.tolist():
        n = min(2, len(cells.codings))
        columns = generator.choice(len(cells.codings), n, replace=False).tolist()
        conditions = [
            _around(cells.codings[column], int(cells.keys[cell, column])) for column in columns
        ]
        queries.append(CountQuery(tuple(conditions)))
    return queries


def _around(coding: Coding, code: int) -> QueryCondition:
    numbers = coding.numbers
    if coding.kind != "numeric" or np.isnan(numbers[code]):
        return QueryCondition(coding.name, (Among((coding.texts[code],)),))
    reach = float(np.nanmax(numbers) - np.nanmin(numbers)) / 10
    middle = float(numbers[code])
    return QueryCondition(coding.name, (Between(middle - reach, middle + reach),))


def _sizes(release: Release) -> list[list[int]]:
    """How many rows hide among how many: classes that double, the least first."""
    sizes = release.counted.sizes
    sizes = sizes[sizes > 0]
    least = int(sizes.min()) if len(sizes) else 1
    step = np.floor(np.log2(sizes / least)).astype(np.int64)
    return [
        [least * 2**index, least * 2 ** (index + 1) - 1, int(sizes[step == index].sum())]
        for index in range(int(step.max(initial=-1)) + 1)
    ]


def _worst(recoded: Recoded) -> list[dict[str, Any]]:
    """The groups that lost most, by their size: never who is in them, never their labels."""
    parts = []
    for column, labels in enumerate(recoded.labels):
        n_values = max(2, labels.coding.n_codes - (labels.coding.missing >= 0))
        parts.append(((labels.covered - 1) / (n_values - 1))[recoded.codes[:, column]])
    lost = np.column_stack(parts)
    mean = lost.mean(axis=1)
    order = np.argsort(-mean * recoded.groups.sizes, kind="stable")[:_WORST]
    names = recoded.cells.names
    return [
        {
            "rows": int(recoded.groups.sizes[group]),
            "lost": float(mean[group]),
            "hidden": [names[c] for c in np.flatnonzero(lost[group] >= 1).tolist()],
        }
        for group in order.tolist()
    ]
