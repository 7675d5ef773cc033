"""What a fitted tree publishes: text, drawings, JSON, PMML and the sentence of its guarantee."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

import shoal
from shoal._atomic import write_text
from shoal.models._json import (
    FORMAT,
    VERSION,
    bins_from_dict,
    check_format,
    classes_from_dict,
    classes_to_dict,
    columns_to_dict,
    read_json,
    refuse_malformed,
    seal,
    set_columns,
    spans_from_dict,
    write_json,
)
from shoal.models.tree._branches import describe_path, export_dot, export_text
from shoal.models.tree._nodes import FittedTree
from shoal.models.tree._plot import plot_tree
from shoal.models.tree._pmml import export_pmml
from shoal.privacy import PrivacyModel
from shoal.privacy.spans._spans import Bins, Spans
from shoal.typing import PathText


@dataclass(frozen=True)
class Exposure:
    """What the release lets an attacker infer about the class, beyond anonymity.

    Parameters
    ----------
    rows : int
        Training rows behind the tree.
    exposed : int
        Rows in spans whose rows all have one class: the class of these people is certain.
    confidence : float
        Largest share of one class in any span.
    """

    rows: int
    exposed: int
    confidence: float

    @property
    def share(self) -> float:
        """Share of exposed rows."""
        return self.exposed / self.rows

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "rows": self.rows,
            "exposed": self.exposed,
            "share": self.share,
            "confidence": self.confidence,
        }


@dataclass(frozen=True)
class Leaf:
    """One leaf of a published tree.

    Parameters
    ----------
    node : int
        Its number, as :meth:`KAnonymousTreeClassifier.apply` gives it.
    path : str
        The tests on the way to it.
    label : object
        The class that it predicts.
    rows : int
        Training rows in it.
    confidence : float
        Largest share of one class among them.
    """

    node: int
    path: str
    label: Any
    rows: int
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "node": self.node,
            "path": self.path,
            "class": self.label,
            "rows": self.rows,
            "confidence": self.confidence,
        }


class PublishedTree:
    """Exports of a fitted tree.  All of them say the same; none holds a training row."""

    classes_: NDArray[Any]
    class_name_: str
    tree_: FittedTree
    spans_: Spans
    bins_: Bins
    exposure_: Exposure | None
    privacy_: PrivacyModel
    unseen_: str
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def export_text(self) -> str:
        """The tree as indented text: one line per branch, leaves with their counts."""
        check_is_fitted(self, "tree_")
        return export_text(self.tree_, self.classes_.tolist())

    def export_dot(self) -> str:
        """The tree in Graphviz's language."""
        check_is_fitted(self, "tree_")
        return export_dot(self.tree_, self.classes_.tolist())

    def export_pmml(self, path: PathText | None = None) -> str:
        """The tree as PMML 4.4; written to `path` as well when given."""
        check_is_fitted(self, "tree_")
        found = export_pmml(self.tree_, self.classes_.tolist(), self.class_name_, shoal.__version__)
        if path is not None:
            write_text(path, found)
        return found

    def plot(self, ax: Any = None, max_depth: int | None = None) -> Any:
        """Draw the tree on matplotlib axes (made when not given), and return them."""
        check_is_fitted(self, "tree_")
        return plot_tree(self.tree_, self.classes_.tolist(), ax, max_depth)

    def to_dict(self) -> dict[str, Any]:
        """All that is published, as plain values; :meth:`from_dict` makes an equal tree of it."""
        check_is_fitted(self, "tree_")
        data = {
            "format": FORMAT,
            "version": VERSION,
            "shoal": shoal.__version__,
            "target": self.class_name_,
            "classes": classes_to_dict(self.classes_),
            "columns": columns_to_dict(self),
            "privacy": self.privacy_.to_dict(),
            "guarantee": self.guarantee(),
            "unseen": self.unseen_,
            "tree": self.tree_.to_dict(),
            "bins": self.bins_.to_dict(),
            "spans": {
                "bins": self.spans_.to_dict()["bins"],
                "population": self.spans_.population.tolist(),
            },
            "exposure": None if self.exposure_ is None else self.exposure_.to_dict(),
        }
        return seal(data)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """A tree that predicts like the one that :meth:`to_dict` was called on."""
        check_format(data)
        with refuse_malformed(FORMAT):
            return cls._from_dict(data)

    @classmethod
    def _from_dict(cls, data: Mapping[str, Any]) -> Self:
        model = PrivacyModel.from_dict(data["privacy"])
        tree = cls(privacy=model, unseen=data["unseen"])  # type: ignore[call-arg]
        tree.classes_ = classes_from_dict(data["classes"])
        tree.class_name_, tree.unseen_, tree.privacy_ = data["target"], data["unseen"], model
        tree.tree_ = FittedTree.from_dict(data["tree"])
        tree.bins_, tree.spans_ = bins_from_dict(data["bins"]), spans_from_dict(data["spans"])
        told = data["exposure"]
        tree.exposure_ = told and Exposure(told["rows"], told["exposed"], told["confidence"])
        set_columns(tree, data["columns"])
        return tree

    def to_json(self, path: PathText | None = None) -> str:
        """:meth:`to_dict` as JSON; written to `path` as well when given."""
        return write_json(self.to_dict(), path)

    @classmethod
    def from_json(cls, source: PathText) -> Self:
        """Load what :meth:`to_json` wrote, from the file or from the text."""
        return cls.from_dict(read_json(source))

    def leaves(self) -> list[Leaf]:
        """What the tree says of every leaf: its rows, its class, and how sure one can be of it."""
        check_is_fitted(self, "tree_")
        found = []
        for node in self.tree_.leaves.tolist():
            counts = self.tree_.nodes.counts[node]
            winner = int(self.tree_.nodes.mass[node].argmax())
            path = describe_path(self.tree_, node)
            share = float(counts.max() / counts.sum())
            label = self.classes_.tolist()[winner]
            found.append(Leaf(node, path, label, int(counts.sum()), share))
        return found

    def guarantee(self) -> str:
        """What holds for every person behind the tree, in a sentence."""
        check_is_fitted(self, "tree_")
        return (
            f"Whoever knows the public values of everybody can tell people apart into "
            f"{self.spans_.n_spans} groups; of every group about which the tree says something "
            f"private this holds: {self.privacy_.describe()}. "
            f"The smallest such group has {self.spans_.largest_k} rows."
        )
