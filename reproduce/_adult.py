"""Adult as the papers use it: rows to learn from, rows to test on, trees of each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from reproduce._classify import Examples, released_examples, tree_error
from shoal.anonymize import TopDownSpecialization
from shoal.anonymize._anonymizer import Anonymizer
from shoal.datasets import adult
from shoal.datasets._adult import SCALE_UP_COLUMNS, adult_schema
from shoal.datasets._dataset import Dataset
from shoal.models import KAnonymousTreeClassifier
from shoal.privacy import KAnonymity, PrivacyModel
from shoal.schema import Schema
from shoal.tables import FrequencyTable, open_table
from shoal.tables._frequency import CodingOptions

TARGET = "income"
EIGHT = (*SCALE_UP_COLUMNS[:4], "relationship", *SCALE_UP_COLUMNS[4:])
"""Adult's categorical columns."""

BOTTOM_UP = (
    "K. Wang, P. S. Yu, S. Chakraborty. Bottom-up generalization: a data mining solution to "
    "privacy protection. ICDM 2004."
)
TREES = (
    "A. Friedman, R. Wolff, A. Schuster. Providing k-anonymity in data mining. The VLDB Journal "
    "17, 2008; A. Friedman, A. Schuster, R. Wolff. k-Anonymous decision tree induction. PKDD 2006."
)
TREE_KS = (10, 25, 50, 75, 100, 150, 200, 250, 500, 750, 1000, 1500, 2000)
"""Values of k along the axis of the figures of [FWS08]."""


@dataclass(frozen=True, eq=False)
class People:
    """Training and test rows with some columns as quasi-identifiers and income as the class.

    Parameters
    ----------
    train, test : Dataset
        30,162 and 15,060 rows without missing values.
    schema : Schema
        The quasi-identifiers with their hierarchies, and the class.
    """

    train: Dataset
    test: Dataset
    schema: Schema

    @property
    def names(self) -> list[str]:
        """The quasi-identifiers."""
        return list(self.schema.quasi_identifiers)

    @cached_property
    def test_cells(self) -> FrequencyTable:
        """Test rows, counted, for a recoding that was fitted before."""
        options = CodingOptions(use_hierarchies=False)
        return open_table(self.test.path()).compress(self.schema, options).cells

    def grow(self, privacy: PrivacyModel | int, **options: Any) -> KAnonymousTreeClassifier:
        """A tree of the training rows, with a branch for each value as in the paper."""
        tree = KAnonymousTreeClassifier(self.schema, privacy, splits="multiway", **options)
        return tree.fit(self.train.select(self.names).columns, np.array(self.train[TARGET]))

    def error(self, tree: KAnonymousTreeClassifier) -> float:
        """Test rows in percent that a tree gets wrong."""
        guess = tree.predict(self.test.select(self.names).columns)
        return 100 * float(np.mean(guess != np.array(self.test[TARGET])))

    def release(self, method: Anonymizer) -> tuple[Examples, Examples]:
        """Training rows as a method releases them, and test rows recoded alike."""
        method.fit(self.train.path())
        tested = method.release_.recoding.recode(self.test_cells)
        return (
            released_examples(method.release_.recoded, TARGET),
            released_examples(tested, TARGET),
        )

    def top_down_error(self, k: int, criterion: Literal["gain", "gain_ratio"]) -> float:
        """Error of a tree without privacy on what top-down specialization releases."""
        method = TopDownSpecialization(
            self.schema, KAnonymity(k), metric="information", ranges="exact"
        )
        return tree_error(*self.release(method), criterion)


def load_people(
    names: Sequence[str] | None = EIGHT, *, hierarchies: Literal["tds", "iyengar"] = "tds"
) -> People:
    """Adult with these quasi-identifiers, all 14 columns for None, and published hierarchies."""
    train, test = adult("train"), adult("test")
    chosen = list(train.names[:-1] if names is None else names)
    schema = adult_schema(hierarchies, quasi_identifiers=chosen)
    columns = [*chosen, TARGET]
    kept = Schema({name: schema[name] for name in columns})
    return People(train.select(columns), test.select(columns), kept)
