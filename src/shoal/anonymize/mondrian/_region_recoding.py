"""Recoding by regions: combinations that fall into one region are released alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal._plain import pack, unpack_numbers
from shoal.anonymize._recoding import Recoding, Unseen, match_cells, refuse_unseen
from shoal.anonymize.mondrian._partition import is_tree
from shoal.anonymize.mondrian._region_kernels import UNKNOWN, Regions, walk
from shoal.schema._coding import Coding
from shoal.schema._tree_parts import ROOT_LABEL
from shoal.tables import FrequencyTable
from shoal.tables._recoded import Labels, Recoded, node_labels, public_range_labels, range_labels
from shoal.typing import Codes, Flags

_EXPECTED = "_expected"


@dataclass(frozen=True, eq=False)
class RegionRecoding(Recoding):
    """A tree of regions that covers every combination of values exactly once.

    A region is released as the range (ordered columns, and columns without a hierarchy) or the
    lowest common node of the fitted rows in it; ranges end on public lines, or at the rows' own
    values if `exact`.  A new row that lies in the region but outside that label is released under
    the label widened just enough to be true of it.

    Parameters
    ----------
    codings : tuple of Coding
        One per quasi-identifier.
    regions : Regions
        The tree.
    low, high : ndarray of int32, shape (n_nodes, n_quasi_identifiers)
        Least and largest fitted code in each leaf of the tree; zeros for inner nodes.
    exact : bool
        Whether ranges end at values of the rows instead of public lines.
    """

    kind: ClassVar[str] = "regions"

    codings: tuple[Coding, ...]
    regions: Regions
    low: Codes
    high: Codes
    exact: bool = False

    @property
    def n_regions(self) -> int:
        """Number of regions that rows can fall into."""
        return int((self.regions.n_children == 0).sum())

    def expect(self, cells: FrequencyTable, leaf: NDArray[np.int64]) -> None:
        """Tell the leaf of each of the cells that are fitted, which are recoded next.

        So they need not be led down the tree again; forgotten as soon as anything is recoded.
        """
        vars(self)[_EXPECTED] = cells, leaf

    def recode(self, cells: FrequencyTable, unseen: Unseen = "root") -> Recoded:
        """Release each cell as its region.

        A number never seen goes where its place between the fitted numbers leads.  A value without
        a place is released as `*`, or as `unseen` says.  A row that could only be released beyond
        the schema's limits is left out.
        """
        expected, leaf = vars(self).pop(_EXPECTED, (None, None))
        if expected is cells and not any(coding.is_limited for coding in self.codings):
            return self._label_leaves(cells, leaf)
        maps, _ = match_cells(self, cells)
        refuse_unseen(maps, self.codings, unseen)
        positions = np.empty((len(self.codings), cells.n_groups), np.int64)
        for column, (fitted, new) in enumerate(zip(self.codings, cells.codings, strict=True)):
            positions[column] = _positions(fitted, new, maps[column])[cells.keys[:, column]]
        leaf = self.find(positions)
        recoded = self._by_region(cells, positions, leaf)
        if recoded is not None:
            return recoded
        labels, codes = [], np.empty((cells.n_groups, len(self.codings)), np.int32)
        hidden = np.zeros(cells.n_groups, np.bool_)
        for column, coding in enumerate(self.codings):
            low, high, strange = _widen(
                coding, self.low[leaf, column], self.high[leaf, column], positions[column]
            )
            if unseen == "suppress":
                hidden |= strange
            own, codes[:, column] = _label(coding, low, high, strange, self.exact)
            hidden |= _beyond_limit(own, codes[:, column], positions[column])
            labels.append(own)
        return Recoded.from_cells(cells, labels, codes, suppressed=hidden)

    def _by_region(
        self, cells: FrequencyTable, positions: NDArray[np.int64], leaf: NDArray[np.int64]
    ) -> Recoded | None:
        """The cells released region by region; None where a region does not say all.

        It does where all values were seen by the fit and no limit is passed; then regions are
        labelled, which are fewer than cells.
        """
        for column, coding in enumerate(self.codings):
            position = positions[column]
            seen = (position >= 0) & (position % 2 == 0)
            position = position // 2
            inside = (self.low[leaf, column] <= position) & (position <= self.high[leaf, column])
            if coding.is_limited or not (seen & inside).all():
                return None
        return self._label_leaves(cells, leaf)

    def _label_leaves(self, cells: FrequencyTable, leaf: NDArray[np.int64]) -> Recoded:
        """Cells released with all that their leaf was fitted with."""
        used = np.flatnonzero(np.bincount(leaf, minlength=len(self.low)))
        number = np.zeros(len(self.low), np.int64)
        number[used] = np.arange(len(used))
        nothing = np.zeros(len(used), np.bool_)
        made = [
            _label(coding, self.low[used, column], self.high[used, column], nothing, self.exact)
            for column, coding in enumerate(self.codings)
        ]
        codes = np.column_stack([code for _, code in made]).astype(np.int32)
        return Recoded.from_parts(cells, [own for own, _ in made], codes, number[leaf])

    def find(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Node of the tree that each combination falls into; see :func:`walk` for positions."""
        return walk(np.ascontiguousarray(positions), self.regions)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        tree = {name: pack(array) for name, array in self.regions._asdict().items()}
        return {
            "codings": [pack(coding) for coding in self.codings],
            "regions": tree,
            "low": pack(self.low),
            "high": pack(self.high),
            "exact": self.exact,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RegionRecoding:
        """Inverse of :meth:`to_dict`."""
        codings = tuple(Coding.from_dict(coding) for coding in data["codings"])
        tree = data["regions"]
        types = {"column": np.int32, "low": np.int32, "high": np.int32, "pivots": np.int32}
        arrays: dict[str, Any] = {
            name: unpack_numbers(tree[name], types.get(name, np.int64)) for name in Regions._fields
        }
        arrays["pivots"] = arrays["pivots"].reshape(-1, len(codings))
        return cls(
            codings,
            Regions(**arrays),
            unpack_numbers(data["low"], np.int32),
            unpack_numbers(data["high"], np.int32),
            bool(data.get("exact", True)),  # before there were lines, ranges were exact
        )


def _positions(fitted: Coding, new: Coding, matched: Codes) -> NDArray[np.int64]:
    """Twice the fitted code of each new code; odd between codes; UNKNOWN without a position.

    `matched` is the fitted code of each new code, -1 where the fit never saw its value.
    """
    position = np.where(matched >= 0, 2 * matched.astype(np.int64), UNKNOWN)
    lost = np.flatnonzero((matched < 0) & ~np.isnan(new.numbers))
    if len(lost) and fitted.kind in ("numeric", "date"):
        n_values = fitted.n_codes - (fitted.missing >= 0)
        after = np.searchsorted(fitted.numbers[:n_values], new.numbers[lost])
        position[lost] = 2 * after - 1
    return position


def _widen(
    coding: Coding, low: Codes, high: Codes, position: NDArray[np.int64]
) -> tuple[Codes, Codes, Flags]:
    """The region's codes, widened to hold the position; and where no widening helps."""
    top = coding.n_codes - 1
    beyond = 2 * (top - (coding.missing >= 0)) + 1  # greater than every fitted number
    strange = (position < 0) | (position == beyond)
    low = np.where(strange, 0, np.minimum(low, position // 2)).astype(np.int32)
    high = np.where(strange, top, np.maximum(high, (position + 1) // 2)).astype(np.int32)
    return low, high, strange


def _label(
    coding: Coding, low: Codes, high: Codes, strange: Flags, exact: bool
) -> tuple[Labels, Codes]:
    """Labels of a column, and the label of each cell."""
    if is_tree(coding):
        tree = coding.hierarchy
        assert tree is not None
        node = tree.lowest_common_ancestor(low, high)
        return node_labels(coding), np.where(strange, tree.root, node).astype(np.int32)
    hides = (high == coding.missing) & (low < high)  # only '*' covers a missing value and others
    low = np.where(hides, 0, low)
    packed = (low.astype(np.int64) * coding.n_codes + high) * 2 + (strange & ~hides)
    packed, code = np.unique(packed, return_inverse=True)
    ends, starred = packed // 2, packed % 2 == 1
    low, high = (end.astype(np.int32) for end in np.divmod(ends, coding.n_codes))
    if not exact:
        labels, label = public_range_labels(coding, low, high, starred)
        return labels, label[code.reshape(-1)]
    labels = range_labels(coding, low, high)
    texts = tuple(
        ROOT_LABEL if star else text for text, star in zip(labels.texts, starred, strict=True)
    )
    labels = Labels(coding, texts, low, high)
    return labels, code.reshape(-1).astype(np.int32)


def _beyond_limit(labels: Labels, code: Codes, position: NDArray[np.int64]) -> Flags:
    """Which cells their label would take beyond the schema's limit."""
    coding, tree = labels.coding, labels.coding.hierarchy
    if tree is None or not coding.is_limited:
        return np.zeros(len(code), np.bool_)
    leaf = np.clip(position // 2, 0, coding.n_codes - 1)
    ceiling = coding.ceiling[leaf]
    beyond = (labels.low[code] < tree.start[ceiling]) | (labels.high[code] >= tree.stop[ceiling])
    return beyond & (ceiling != tree.root)
