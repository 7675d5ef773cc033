"""All methods on one table, measured alike."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from shoal._notebook import Plot, html_table, plot_bars
from shoal.anonymize._anonymizer import Anonymizer, no_progress, require_rows
from shoal.anonymize._recoding import Recoding
from shoal.anonymize._registry import METHODS, make_method
from shoal.errors import ShoalError
from shoal.metrics import risk
from shoal.metrics._measure import measure, released_raw
from shoal.metrics._utility import examples
from shoal.privacy import PrivacyModel
from shoal.privacy._promise import bind_promise
from shoal.schema import Schema
from shoal.tables import FrequencyTable, RowOptions, open_table
from shoal.tables._frequency import CodingOptions, Histogram
from shoal.tables._open import require_filled
from shoal.tables._recoded import Labels, Recoded
from shoal.typing import Codes, Counts, Floats, Native, Progress

RAW = "raw"
_TEST_SHARE = 0.3


@dataclass(frozen=True)
class MethodResult:
    """What one method made of a table.

    Parameters
    ----------
    method : str
        Its name; "raw" for the table itself.
    loss, ncp : float or None
        Mean loss metric and mean NCP; None when the method failed.
    discernibility : int or None
        Sum of squared group sizes, suppressed rows at full cost.
    groups, suppressed : int or None
        Groups released and rows left out.
    highest_risk, average_risk : float or None
        Prosecutor risk.
    accuracy : float or None
        Of a random forest trained on the release and tested on other rows; None without a target.
    seconds : float or None
        To count, search and recode.
    note : str
        Why it failed, if it did.
    """

    method: str
    loss: float | None = None
    ncp: float | None = None
    discernibility: int | None = None
    groups: int | None = None
    suppressed: int | None = None
    highest_risk: float | None = None
    average_risk: float | None = None
    accuracy: float | None = None
    seconds: float | None = None
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


class Comparison(list[MethodResult]):
    """What the methods made of a table: a list that a notebook shows as a table."""

    def plot(self) -> Plot:
        """Draw the loss of each method; needs matplotlib."""
        made = [result for result in self if result.loss is not None]
        return plot_bars(
            "Loss", [result.method for result in made], [result.loss or 0.0 for result in made],
            "0: nothing, 1: all",
        )  # fmt: skip

    def _repr_html_(self) -> str:
        rows = [
            [one.method, one.loss, one.discernibility, one.accuracy, one.highest_risk,
             one.suppressed, one.seconds, one.note]
            for one in self
        ]  # fmt: skip
        header = ["method", "loss", "discernibility", "accuracy", "risk", "left out", "seconds", ""]
        return html_table("", header, rows)


def compare_methods(
    table: Native,
    schema: Schema,
    privacy: PrivacyModel | int,
    *,
    methods: Sequence[str] | None = None,
    test: Native | None = None,
    max_suppression: float = 0.0,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Run several methods on a table and measure each release beside the raw table.

    Parameters
    ----------
    table : table or path
        What is to be released.
    schema, privacy
        As for any method.
    methods : sequence of str, optional
        Names in ``METHODS``; by default all.
    test : table or path, optional
        Rows to test a classifier on, recoded like the release.  When not given, 30 % of the rows
        are drawn for it, and every method is run once more on the rest.
    max_suppression : float
        Share of rows that methods may leave out, for those that can.
    random_state : int
        Seed of the draw and of the forest.
    progress : callable, optional
        Called as ``progress(done, total, what)``.
    """
    names, privacy = list(methods or METHODS), bind_promise(privacy, schema)
    tell = progress or no_progress
    engine = open_table(table, schema=schema)
    require_filled(engine, "compare methods on")
    cells = privacy.prepare(engine.compress(schema).cells)
    require_rows(cells, privacy)
    parts = _parts(cells, schema, test, random_state)
    results = Comparison([_raw(cells, schema, parts, random_state)])
    for done, name in enumerate(names):
        tell(done, len(names), name)
        try:
            results.append(_run(name, table, schema, privacy, parts, max_suppression, random_state))
        except ShoalError as error:
            results.append(MethodResult(name, note=str(error)))
    tell(len(names), len(names), "done")
    return results


Parts = tuple[FrequencyTable, FrequencyTable]


def _raw(
    cells: FrequencyTable, schema: Schema, parts: Parts | None, random_state: int
) -> MethodResult:
    measured, risks = measure(cells), risk(cells, sensitive=schema.sensitive)
    accuracy = None
    if parts is not None and schema.target is not None:
        train, test = parts
        raw = released_raw(train)
        lookup = Recoded(test, *_raw_labels(raw, test))
        accuracy = forest_accuracy(raw, lookup, schema.target, random_state)
    return MethodResult(
        RAW, 0.0, 0.0, measured.discernibility, measured.n_groups, 0,
        risks.prosecutor.highest, risks.prosecutor.average, accuracy, None,
    )  # fmt: skip


def _raw_labels(raw: Recoded, test: FrequencyTable) -> tuple[Any, ...]:
    """Test cells as they are, in the codes of the training cells; new values match none."""
    columns = []
    for column, labels in enumerate(raw.labels):
        fitted, new = labels.coding.code_of, test.codings[column].texts
        columns.append(np.array([fitted.get(value, -1) for value in new])[test.keys[:, column]])
    codes = np.column_stack(columns).astype(np.int32)
    return raw.labels, codes, np.arange(test.n_groups, dtype=np.int64)


def _run(
    name: str,
    table: Native,
    schema: Schema,
    privacy: PrivacyModel,
    parts: Parts | None,
    max_suppression: float,
    random_state: int,
) -> MethodResult:
    estimator = make_method(name, schema, privacy)
    if max_suppression and "max_suppression" in estimator.get_params():
        estimator.set_params(max_suppression=max_suppression)
    started = time.perf_counter()
    # as labels, whatever the method is for: what they cover is what is compared
    release = estimator.fit(table, output=RowOptions()).release_
    seconds = time.perf_counter() - started
    measured, risks = release.metrics, release.risk
    accuracy = None
    if parts is not None and schema.target is not None:
        train, test = parts
        recoding: Recoding = release.recoding
        if train is not test and train.n_rows < release.recoded.cells.n_rows:
            recoding = _refit(estimator, train, privacy)
        accuracy = forest_accuracy(
            recoding.recode(train), recoding.recode(test), schema.target, random_state
        )
    return MethodResult(
        name, measured.loss, measured.gcp, measured.discernibility, measured.n_groups,
        measured.n_suppressed, risks.prosecutor.highest, risks.prosecutor.average, accuracy,
        seconds,
    )  # fmt: skip


def _refit(estimator: Any, train: FrequencyTable, privacy: PrivacyModel) -> Recoding:
    again: Anonymizer = type(estimator)(**estimator.get_params(deep=False))
    return again.search_cells(privacy.prepare(train), privacy)


def _parts(
    cells: FrequencyTable, schema: Schema, test: Native | None, random_state: int
) -> Parts | None:
    """Training and test cells, or None when there is nothing to predict."""
    target = schema.target
    if target is None or target not in cells.histograms:
        return None
    if test is not None:
        options = CodingOptions(use_hierarchies=False)
        return cells, open_table(test, schema=schema).compress(schema, options).cells
    if set(cells.histograms) != {target}:
        return None  # rows cannot be drawn from cells that count several columns apart
    return split_cells(cells, target, random_state)


def split_cells(cells: FrequencyTable, target: str, random_state: int) -> Parts:
    """Draw 30 % of the rows for testing; cells know the class of each of their rows."""
    histogram = cells.histograms[target]
    rng = np.random.default_rng(random_state)
    drawn = rng.random(int(histogram.counts.sum())) < _TEST_SHARE
    entry = np.repeat(np.arange(len(histogram.counts)), histogram.counts)
    taken = np.bincount(entry[drawn], minlength=len(histogram.counts))
    return (
        _with_counts(cells, target, histogram.counts - taken),
        _with_counts(cells, target, taken),
    )


def _with_counts(cells: FrequencyTable, target: str, counts: Counts) -> FrequencyTable:
    histogram = cells.histograms[target]
    sizes = np.bincount(histogram.group_of_entry, weights=counts, minlength=cells.n_groups).astype(
        np.int64
    )
    kept = np.flatnonzero(sizes > 0)
    number = np.full(cells.n_groups, -1, np.int64)
    number[kept] = np.arange(len(kept))
    whole = replace(
        cells,
        sizes=sizes,
        histograms={
            target: Histogram(
                histogram.coding, histogram.start, histogram.codes, counts.astype(np.int64)
            )
        },
    )
    return whole.merge(number, len(kept))


def forest_accuracy(
    train: Recoded, test: Recoded, target: str, random_state: int = 0, n_trees: int = 60
) -> float:
    """Share of test rows whose class a random forest trained on a release predicts.

    A label is given to the forest as the share of every value that it covers, and for ordered
    columns as the middle of its range, so that coarse and fine labels can be compared.
    """
    from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415  slow to load

    codes, classes, rows = examples(train, target)
    test_codes, test_classes, test_rows = examples(test, target)
    kept = rows > 0
    forest = RandomForestClassifier(n_trees, min_samples_leaf=2, random_state=random_state)
    features = _features(train.labels, codes)
    names = np.array([str(x) for x in train.cells.histograms[target].coding.texts], object)
    test_names = np.array([str(x) for x in test.cells.histograms[target].coding.texts], object)
    forest.fit(features[kept], names[classes[kept]], sample_weight=rows[kept])
    predicted = forest.predict(_features(test.labels, test_codes))
    right = predicted == test_names[test_classes]
    return float(test_rows[right].sum() / test_rows.sum())


def _features(labels: Sequence[Labels], codes: Codes) -> Floats:
    parts = []
    for index, column in enumerate(labels):
        low, high = column.low.astype(np.int64), column.high.astype(np.int64)
        if column.coding.is_ordered:
            middle = (low + high) / 2
            parts.append(np.append(middle, -1.0)[codes[:, index]][:, None])
            continue
        n = column.coding.n_codes
        shares = np.zeros((len(low) + 1, n), np.float32)
        for label in np.unique(codes[:, index]):
            if label >= 0:
                shares[label, low[label] : high[label] + 1] = 1 / (high[label] - low[label] + 1)
        parts.append(shares[codes[:, index]])
    return np.hstack(parts).astype(np.float32)
