"""A release as numbers, so that any scikit-learn estimator can learn from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.metrics._groups import target_histogram
from shoal.tables._recoded import Labels, Recoded
from shoal.typing import Codes, Counts, Floats


@dataclass(frozen=True, eq=False)
class DesignMatrix:
    """Features of the groups of a release.

    Parameters
    ----------
    features : ndarray of float, shape (n_groups, n_features)
        What the labels say, in numbers.
    names : tuple of str
        One per feature.
    """

    features: Floats
    names: tuple[str, ...]


def design_matrix(recoded: Recoded) -> DesignMatrix:
    """Turn the labels of each group into features.

    Features describe what labels cover, so they are the same for a release and for new rows that
    went through its recoding (``recoding.recode(cells)``), whatever labels those have:

    - a numeric, date or ordinal column gives the mid-point of its range, and `column missing` when
      it has missing values;
    - a column with a hierarchy gives one feature per node: 1 when the node covers the label;
    - any other column gives one feature per value: the share of the label that it makes up.

    Examples
    --------
    >>> from shoal.anonymize import Mondrian
    >>> from shoal.schema import Schema
    >>> people = {
    ...     "age": [21, 22, 34, 35, 61, 62],
    ...     "illness": ["flu", "flu", "cold", "flu", "gout", "cold"],
    ... }
    >>> schema = Schema(
    ...     {
    ...         "age": {"role": "quasi-identifier", "kind": "numeric"},
    ...         "illness": {"role": "sensitive", "target": True},
    ...     }
    ... )
    >>> release = Mondrian(schema, 2, ranges="exact").fit(people).release_
    >>> matrix = design_matrix(release.recoded)
    >>> matrix.names, matrix.features.tolist()  # middles of [21-34] and [35-62]
    (('age',), [[27.5], [48.5]])
    """
    blocks, names = [], []
    for column, labels in enumerate(recoded.labels):
        block, own = _column(labels)
        blocks.append(block[recoded.codes[:, column]])
        names += own
    return DesignMatrix(np.hstack(blocks), tuple(names))


def design_examples(recoded: Recoded, target: str) -> tuple[Floats, Codes, Counts]:
    """Features, class and number of rows of every distinct released row, for `sample_weight`."""
    classes = target_histogram(recoded.groups, target)
    features = design_matrix(recoded).features
    return features[classes.group_of_entry], classes.codes, classes.counts


def _column(labels: Labels) -> tuple[Floats, list[str]]:
    coding = labels.coding
    if coding.is_ordered:
        bounds = _ranks(labels) if coding.kind == "ordinal" else labels.bounds
        known = coding.numbers[~np.isnan(coding.numbers)]
        middle = np.nan_to_num(bounds.mean(axis=1), nan=known.mean() if len(known) else 0.0)
        if coding.missing < 0:
            return middle[:, None], [coding.name]
        hidden = (labels.high == coding.missing).astype(np.float64)
        hidden /= labels.high - labels.low + 1
        return np.column_stack([middle, hidden]), [coding.name, f"{coding.name} missing"]
    tree = coding.hierarchy
    if tree is not None:
        covers = (tree.start <= labels.low[:, None]) & (labels.high[:, None] < tree.stop)
        return covers.astype(np.float64), [f"{coding.name}={label}" for label in tree.labels]
    codes = np.arange(coding.n_codes)
    inside = (labels.low[:, None] <= codes) & (codes <= labels.high[:, None])
    share = inside / inside.sum(axis=1, keepdims=True)
    return share, [f"{coding.name}={text}" for text in coding.texts]


def _ranks(labels: Labels) -> Floats:
    """Least and largest rank behind each label of an ordinal column; NaN for the missing value."""
    coding = labels.coding
    top = coding.n_codes - 1 - (coding.missing >= 0)
    low, high = coding.numbers[labels.low], coding.numbers[np.minimum(labels.high, max(top, 0))]
    return np.where((labels.low > top)[:, None], np.nan, np.column_stack([low, high]))
