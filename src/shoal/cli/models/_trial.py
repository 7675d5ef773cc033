"""A classifier trained on a table, and tested on rows that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest
from sklearn.base import clone

from shoal.cli._output import output
from shoal.errors import SchemaError, TableError
from shoal.models import KAnonymousNaiveBayes, KAnonymousTreeClassifier
from shoal.schema import Schema
from shoal.tables import open_table
from shoal.typing import Flags

Classifier = KAnonymousTreeClassifier | KAnonymousNaiveBayes


@dataclass(frozen=True)
class Tested:
    """Accuracy on rows that the model has not seen, with a 95 % interval (Wilson)."""

    rows: int
    accuracy: float
    low: float
    high: float
    majority: float  # accuracy of always naming the commonest class of the training rows


def with_target(schema: Schema, target: str | None) -> tuple[Schema, str]:
    """The schema with this column as its only target, and the column's name."""
    name = target or schema.target
    if name is None:
        raise SchemaError("the schema names no target. Say which column with --target.")
    if name not in schema:
        raise SchemaError(f"the schema has no column {name!r}. Check --target.")
    columns = {own: replace(column, target=own == name) for own, column in schema.items()}
    return Schema(columns), name


def read_classes(
    table: Path, schema: Schema, target: str, encoding: str | None
) -> tuple[dict[str, Any], Any]:
    """Columns of the table, and the class of every row that has one."""
    engine = open_table(table, encoding=encoding)
    schema.require(engine.names)
    columns = engine.columns()
    classes = columns.pop(target)
    known = ~np.ma.getmaskarray(classes)
    if not known.all():
        output().note(f"{int((~known).sum())} rows without a class are left out.")
    if not known.any():
        raise TableError("the table has no rows with a class.")
    return chosen_rows(columns, known), np.ma.getdata(classes)[known]


def train(
    model: Classifier,
    columns: dict[str, Any],
    classes: Any,
    *,
    share: float,
    seed: int,
    doing: str,
    published: bool,
) -> tuple[Classifier, Tested | None]:
    """Fit on a share of the rows and test on the rest; fit what is published on all rows.

    What is published is made of all rows, as an audit expects it.
    """
    held_out = hold_out(len(classes), share, seed)
    with output().progress() as progress:
        progress(0, 0, doing)
        model.fit(chosen_rows(columns, ~held_out), classes[~held_out])
    tested = try_model(model, chosen_rows(columns, held_out), classes[held_out])
    if published and held_out.any():
        model = clone(model).fit(columns, classes)
    return model, tested


def hold_out(n_rows: int, share: float, seed: int) -> Flags:
    """Which rows are kept for the test."""
    held_out = np.zeros(n_rows, np.bool_)
    held_out[np.random.default_rng(seed).permutation(n_rows)[: int(share * n_rows)]] = True
    return held_out


def chosen_rows(columns: dict[str, Any], chosen: Flags) -> dict[str, Any]:
    """Some rows of every column."""
    return {name: column[chosen] for name, column in columns.items()}


def try_model(model: Classifier, rows: dict[str, Any], classes: Any) -> Tested | None:
    """How often the model is right; None without rows to test it on, or with too few of them.

    All guesses right, or none, say the class of everybody who was held out; they are in no group.
    """
    if not len(classes):
        return None
    least = model.privacy_.minimum_size
    if len(classes) < least:
        output().note(
            f"{len(classes)} rows are held out, fewer than {least}: how often the model is right "
            "would tell their classes, and is not told. Hold out more with --test-share."
        )
        return None
    right = int((model.predict(rows) == classes).sum())
    interval = binomtest(right, len(classes)).proportion_ci(0.95, method="wilson")
    commonest = model.classes_[model.class_counts_.argmax()]
    return Tested(
        len(classes),
        right / len(classes),
        float(interval.low),
        float(interval.high),
        float((classes == commonest).mean()),
    )
