"""Tables made from models: each row tells only what a published tree would ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import clone

from shoal._checks import check_choice
from shoal._plain import pack
from shoal.anonymize._anonymizer import Anonymizer
from shoal.anonymize._recoding import Recoding, Unseen, match_cells, range_notes, refuse_unseen
from shoal.errors import ParameterError, SchemaError
from shoal.models import KAnonymousTreeClassifier
from shoal.models.tree._cells import read_cells
from shoal.models.tree._nodes import FittedTree, PublicTest
from shoal.privacy import PrivacyModel
from shoal.schema import Schema
from shoal.schema._band_labels import range_label
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.tables._recoded import Labels, Recoded, node_labels, public_range_labels
from shoal.typing import Codes, Flags, Progress


class ModelBased(Anonymizer):
    """The table that is equivalent to a tree [FWS08]_: a multi-dimensional recoding by its spans.

    Parameters
    ----------
    tree : KAnonymousTreeClassifier
        Its schema and privacy model are those of the release.  A fitted tree is used as it is;
        another one is grown on the table, on its quasi-identifiers only.

    Attributes
    ----------
    release_ : Release
        The release, re-checked when it is handed out.
    tree_ : KAnonymousTreeClassifier
        The fitted tree.
    recoding_ : TreeRecoding
        The recoding; :meth:`transform` applies it to new rows.

    Notes
    -----
    **Guarantee.**  Every group of the released rows satisfies the tree's privacy model; the output
    is counted again by code that shares nothing with the search.

    A quasi-identifier is written as precisely as the finest test that its row's span meets, and as
    `*` where no test asks for it, so the tree can be grown again from the release.  Spans that
    come out alike are joined.  Sensitive columns are released as they are, as in every method.

    **Departures from the paper.**  The release has a column for every quasi-identifier, also for
    those that the tree never asks for.

    References
    ----------
    .. [FWS08] A. Friedman, R. Wolff, A. Schuster.  Providing k-anonymity in data mining.
       The VLDB Journal 17, 2008.  doi:10.1007/s00778-006-0039-5
    """

    summary = "the table that belongs to a tree"
    explanation = "A decision tree was grown under the promise; rows of one leaf were made alike."
    _builds_hierarchies = True

    def __init__(self, tree: KAnonymousTreeClassifier) -> None:
        self.tree = tree

    @property
    def schema(self) -> Schema:  # type: ignore[override]
        """The tree's schema."""
        return getattr(self.tree, "schema", None)  # type: ignore[return-value]

    @property
    def privacy(self) -> PrivacyModel | int:  # type: ignore[override]
        """The tree's privacy model."""
        return getattr(self.tree, "privacy", None)  # type: ignore[return-value]

    def _check_params(self) -> None:
        if not isinstance(self.tree, KAnonymousTreeClassifier):
            raise ParameterError("tree must be a KAnonymousTreeClassifier with a schema.")
        _require_target(self.schema)

    @property
    def looks_at_target(self) -> bool:
        """Always: the tree is grown to predict it."""
        return True

    def _notes(self) -> tuple[str, ...]:
        return _note_tree(self.tree_, self.recoding_.codings, exact=True)

    def _solve(
        self, cells: FrequencyTable, privacy: PrivacyModel, progress: Progress
    ) -> TreeRecoding:
        progress(0, 0, "growing a tree")
        if hasattr(self.tree, "tree_"):
            self.tree_ = self.tree
        else:
            fresh: KAnonymousTreeClassifier = clone(self.tree)
            self.tree_ = fresh.fit_cells(cells, str(self.schema.target))
        return TreeRecoding(cells.codings, self.tree_.tree_)


class TreeGeneralization(Anonymizer):
    """The table behind a k-anonymous tree that is grown on it: each span of the tree is a group.

    Parameters
    ----------
    schema : Schema
        Roles and hierarchies; it names a target, which the tree predicts.
    privacy : PrivacyModel or int
        What every released group has to meet.
    criterion, prune, confidence_factor, look_ahead, max_depth, max_leaves, min_gain
        As in :class:`shoal.models.KAnonymousTreeClassifier`.
    splits : {"multiway", "binary"}, default="multiway"
        As there, with the other default: a cell shows a value where its branch has no other.
    ranges : {"lines", "exact"}, default="lines"
        Where ranges of numbers and dates end: on public lines, or at the values that the tree's
        tests part, which tells that somebody has exactly these.

    Attributes
    ----------
    release_ : Release
        The release, re-checked when it is handed out.
    tree_ : KAnonymousTreeClassifier
        The tree.
    recoding_ : TreeRecoding
        The recoding; :meth:`transform` applies it to new rows.

    Notes
    -----
    **Guarantee.**  As for :class:`ModelBased`, of which this is the form that the command line has
    words for.
    """

    name = "tree"
    summary = "the table behind a tree that predicts the target"
    explanation = ModelBased.explanation
    _builds_hierarchies = True

    def __init__(
        self,
        schema: Schema,
        privacy: PrivacyModel | int = 10,
        *,
        criterion: Literal["gain", "gain_ratio", "gini"] = "gain",
        splits: Literal["multiway", "binary"] = "multiway",
        prune: bool | Literal["auto"] = "auto",
        confidence_factor: float = 0.25,
        look_ahead: bool = False,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        min_gain: float = 0.0,
        ranges: Literal["lines", "exact"] = "lines",
    ) -> None:
        self.schema = schema
        self.privacy = privacy
        self.criterion = criterion
        self.splits = splits
        self.prune = prune
        self.confidence_factor = confidence_factor
        self.look_ahead = look_ahead
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_gain = min_gain
        self.ranges = ranges

    def _check_params(self) -> None:
        _require_target(self.schema)
        check_choice("ranges", self.ranges, ("lines", "exact"))
        self._make_tree(1).check_params()

    def _make_tree(self, privacy: PrivacyModel | int) -> KAnonymousTreeClassifier:
        parameters = self.get_params(deep=False) | {"privacy": privacy}
        del parameters["ranges"]
        return KAnonymousTreeClassifier(**parameters)

    @property
    def looks_at_target(self) -> bool:
        """Always: the tree is grown to predict it."""
        return True

    def _notes(self) -> tuple[str, ...]:
        return _note_tree(self.tree_, self.recoding_.codings, exact=self.ranges == "exact")

    def _solve(
        self, cells: FrequencyTable, privacy: PrivacyModel, progress: Progress
    ) -> TreeRecoding:
        progress(0, 0, "growing a tree")
        self.tree_ = self._make_tree(privacy).fit_cells(cells, str(self.schema.target))
        return TreeRecoding(cells.codings, self.tree_.tree_, self.ranges)


def _require_target(schema: Schema) -> None:
    """Raise unless there is a class to predict, which is released as it is."""
    target = schema.target
    if target is None:
        raise SchemaError(
            "the schema names no target, and a tree needs one. Mark a column with target = true."
        )
    if schema[target].role == "quasi-identifier":
        raise SchemaError(
            f"the target {target!r} is a quasi-identifier, and a tree does not recode its own "
            "target. Give it the role sensitive or insensitive."
        )


def _note_tree(
    tree: KAnonymousTreeClassifier, codings: tuple[Coding, ...], *, exact: bool
) -> tuple[str, ...]:
    """A note on how the tree was grown, and what the ends of its ranges reveal."""
    grown = f"grown by {tree.criterion}, {tree.get_n_leaves()} leaves, {tree.spans_.n_spans} spans"
    return grown, *range_notes([coding for coding in codings if coding.is_ordered], exact=exact)


@dataclass(frozen=True, eq=False)
class TreeRecoding(Recoding):
    """Cells recoded by the tests of a tree that they meet.

    Parameters
    ----------
    codings : tuple of Coding
        One per quasi-identifier, each with a hierarchy.
    tree : FittedTree
        The tests.
    ranges : {"exact", "lines"}
        Where ranges end.
    """

    kind: ClassVar[str] = "tree"

    codings: tuple[Coding, ...]
    tree: FittedTree
    ranges: str = "exact"

    def recode(self, cells: FrequencyTable, unseen: Unseen = "root") -> Recoded:
        """Release each cell as precisely as the tests that it meets.

        A number never seen is released as the range that holds it; another value never seen as
        `unseen` says.
        """
        maps, fitted = match_cells(self, cells)
        none = np.zeros(1, np.int32)  # numbers never seen have a range all the same
        numeric = [coding.kind in ("numeric", "date") for coding in self.codings]
        checked = [none if is_number else m for m, is_number in zip(maps, numeric, strict=True)]
        refuse_unseen(checked, self.codings, unseen)
        strange = np.zeros(cells.n_groups, np.bool_)
        tests = list(self.tree.public_tests(read_cells(cells)))
        labels, codes = [], []
        for index, coding in enumerate(self.codings):
            own = [test for test in tests if test.name == coding.name]
            if coding.is_ordered:
                first, last = _ranges(coding, own, cells.n_groups)
                if self.ranges == "lines":
                    label, released = public_range_labels(coding, first, last, all_is_star=True)
                else:
                    label, released = _exact_labels(coding, first, last)
            else:
                strange |= fitted[index] < 0
                released, label = _nodes(coding, own, fitted[index]), node_labels(coding)
            codes.append(released)
            labels.append(label)
        suppressed: Flags | None = strange if unseen == "suppress" else None
        table = np.column_stack(codes).astype(np.int32)
        return Recoded.from_cells(cells, labels, table, suppressed=suppressed)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "codings": [pack(coding, packed=False) for coding in self.codings],
            "tree": self.tree.to_dict(),
            "ranges": self.ranges,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TreeRecoding:
        """Inverse of :meth:`to_dict`."""
        codings = tuple(Coding.from_dict(coding) for coding in data["codings"])
        return cls(codings, FittedTree.from_dict(data["tree"]), data.get("ranges", "exact"))


def _nodes(coding: Coding, tests: list[PublicTest], leaf: Codes) -> Codes:
    """Node of a categorical column for each cell: the finest that a test asks for, or the root."""
    tree = coding.hierarchy
    assert tree is not None  # built when the schema has none
    level = np.full(len(leaf), tree.n_levels - 1)
    asked = np.zeros(len(leaf), np.bool_)
    for test in tests:
        told = test.cells[test.told]
        level[told] = np.minimum(level[told], test.level)
        asked[test.cells[test.missing]] = True
    nodes = np.where(leaf >= 0, tree.levels[leaf, level], tree.root)
    lost = (leaf == tree.missing) & (leaf >= 0)
    return np.where(lost, np.where(asked, leaf, tree.root), nodes).astype(np.int32)


def _ranges(coding: Coding, tests: list[PublicTest], n_cells: int) -> tuple[Codes, Codes]:
    """First and last code of an ordered column in the range of each cell."""
    low, high = np.full(n_cells, -np.inf), np.full(n_cells, np.inf)
    missing = np.zeros(n_cells, np.bool_)
    for test in tests:
        left, right = test.cells[test.side == 0], test.cells[test.side == 1]
        high[left] = np.minimum(high[left], test.threshold)
        low[right] = np.maximum(low[right], test.threshold)
        missing[test.cells[test.missing]] = True
    numbers = coding.numbers[: coding.missing] if coding.missing >= 0 else coding.numbers
    first = np.searchsorted(numbers, low, side="right")
    last = np.searchsorted(numbers, high, side="right") - 1
    everything = np.isinf(low) & np.isinf(high)
    last[everything] = coding.n_codes - 1
    first[missing] = last[missing] = coding.missing
    return first.astype(np.int32), last.astype(np.int32)


def _exact_labels(coding: Coding, first_of: Codes, last_of: Codes) -> tuple[Labels, Codes]:
    """Ranges as labels that end at values of the table, and the label of each cell."""
    pairs, range_of = np.unique(np.column_stack([first_of, last_of]), axis=0, return_inverse=True)
    texts: list[str | None] = []
    for first, last in pairs.tolist():
        if first == 0 and last == coding.n_codes - 1:
            texts.append("*")
        elif first == last:
            texts.append(coding.texts[first])
        else:
            texts.append(range_label(coding.texts[first], coding.texts[last]))
    low, high = pairs.T.astype(np.int32)
    node = np.where(low == high, low, -1).astype(np.int32)
    labels = Labels(coding, tuple(texts), low, high, node)
    return labels, range_of.reshape(-1).astype(np.int32)
