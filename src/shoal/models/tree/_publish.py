"""What a fitted tree publishes: text, drawings, JSON, PMML and the sentence of its guarantee."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

import shoal
from shoal._atomic import write_text
from shoal.models._json import FORMAT
from shoal.models._published import PublishedClassifier
from shoal.models.tree._branches import describe_path, export_dot, export_text
from shoal.models.tree._nodes import FittedTree
from shoal.models.tree._plot import plot_tree
from shoal.models.tree._pmml import export_pmml
from shoal.privacy import PrivacyModel
from shoal.typing import Counts, PathText


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


class PublishedTree(PublishedClassifier):
    """Exports of a fitted tree.  All of them say the same; none holds a training row."""

    _form, _fitted = FORMAT, "tree_"

    tree_: FittedTree
    unseen_: str
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    @property
    def class_counts_(self) -> Counts:
        """Training rows by class."""
        counts: Counts = self.tree_.nodes.counts[0]
        return counts

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
        document = export_pmml(
            self.tree_, self.classes_.tolist(), self.class_name_, shoal.__version__
        )
        if path is not None:
            write_text(path, document)
        return document

    def plot(self, ax: Any = None, max_depth: int | None = None) -> Any:
        """Draw the tree on matplotlib axes (made when not given), and return them."""
        check_is_fitted(self, "tree_")
        return plot_tree(self.tree_, self.classes_.tolist(), ax, max_depth)

    def _model(self) -> dict[str, Any]:
        return {"unseen": self.unseen_, "tree": self.tree_.to_dict()}

    @classmethod
    def _from_dict(cls, data: Mapping[str, Any], privacy: PrivacyModel) -> Self:
        tree = cls(privacy=privacy, unseen=data["unseen"])  # type: ignore[call-arg]
        tree._read_class(data)
        tree.unseen_, tree.tree_ = data["unseen"], FittedTree.from_dict(data["tree"])
        return tree

    def leaves(self) -> list[Leaf]:
        """Every leaf of the tree: its rows, its class, and the share of that class."""
        check_is_fitted(self, "tree_")
        leaves = []
        for node in self.tree_.leaves.tolist():
            counts = self.tree_.nodes.counts[node]
            winner = int(self.tree_.nodes.mass[node].argmax())
            path = describe_path(self.tree_, node)
            share = float(counts.max() / counts.sum())
            label = self.classes_.tolist()[winner]
            leaves.append(Leaf(node, path, label, int(counts.sum()), share))
        return leaves

    def guarantee(self) -> str:
        """What holds for every person behind the tree, in a sentence."""
        check_is_fitted(self, "tree_")
        return (
            f"Whoever knows the public values of everybody can tell people apart into "
            f"{self.spans_.n_spans} groups; of every group about which the tree says something "
            f"private this holds: {self.privacy_.describe()}. "
            f"The smallest such group has {self.spans_.largest_k} rows."
        )
