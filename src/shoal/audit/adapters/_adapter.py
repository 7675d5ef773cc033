"""What an adapter is: it recognizes the models of one kind and reads them as spans."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.audit._model_spans import ModelSpans
from shoal.audit._training_table import TrainingTable
from shoal.audit.trees._tree_model import TreeModel
from shoal.audit.trees._tree_spans import find_tree_spans


@dataclass(frozen=True)
class AdapterOptions:
    """What the caller of an audit says beside model and table.

    Parameters
    ----------
    threshold : float, optional
        For a regression: what is released is whether the prediction exceeds this.
    check_table : bool, default=True
        Refuse a table whose counts are not those of the model.
    max_points : int, default=10_000
        Combinations of private values that are tried for a function; more are sampled.
    random_state : int, default=0
        Seed of that sample.
    k : int, default=1
        Counts from 1 to k - 1 are too few.
    """

    threshold: float | None = None
    check_table: bool = True
    max_points: int = 10_000
    random_state: int = 0
    k: int = 1


class Adapter(ABC):
    """Models of one kind, seen as spans.  The registry asks adapters in turn."""

    name: ClassVar[str]
    """The models that it reads, as a user calls them."""
    knows_its_table: ClassVar[bool] = True
    """Whether such a model tells its training table from a smaller one, which is then refused."""

    @abstractmethod
    def recognizes(self, model: Any) -> bool:
        """Whether the adapter reads this model; decided by its look, without its library."""

    @abstractmethod
    def read(self, model: Any, table: TrainingTable, options: AdapterOptions) -> ModelSpans:
        """Spans of the rows of a table under the model."""


class TreeAdapter(Adapter):
    """Models that consist of trees: what differs between libraries is how they keep them."""

    def read(self, model: Any, table: TrainingTable, options: AdapterOptions) -> ModelSpans:
        """Spans of one tree, or the joint spans of several."""
        trees = self.read_trees(model, table, options)
        return find_tree_spans(trees, table, check_table=options.check_table, k=options.k)

    @abstractmethod
    def read_trees(self, model: Any, table: TrainingTable, options: AdapterOptions) -> TreeModel:
        """The trees, with the features that they test."""
