"""Labels that enough people have: as fine as the privacy model allows, chosen without the class.

With k-anonymity alone the labels of a public column depend on its own values only.  So an exchange
of private values between people with equal labels changes nothing of what is published, not even
the choice of the labels (see docs/theory/spans.md).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shoal.models._round_cuts import LEAST_SHARE_AT_CUT, round_cut
from shoal.models.bayes._bayes_column import Labels, Node
from shoal.models.tree._attributes import Attribute
from shoal.models.tree.growth._training import Coded
from shoal.typing import Codes, Flags, Floats

Allows = Callable[[Codes, int], Flags]
"""Which groups of people are allowed: the group of each one, and how many groups there are."""

NOBODY = -1


def choose_labels(
    attribute: Attribute, coded: Coded, rows: NDArray[np.intp], allows: Allows, ranges: int
) -> Labels:
    """Labels of a column, from the values of the people whom it counts."""
    n_values = coded.n_codes - (coded.missing >= 0)
    own = coded.codes[rows]
    present = np.unique(own[own < n_values])  # what other people have, this column does not tell
    codes = np.where(own < n_values, np.searchsorted(present, own), NOBODY).astype(np.int32)
    missing = _is_allowed(codes == NOBODY, allows)
    if attribute.ordered:
        values = coded.values[present]
        chosen, known = _choose_cuts(codes, allows, ranges)
        if attribute.public or attribute.order:
            cuts = tuple(_half_way(values, cut) for cut in chosen)
        else:  # at a value only where many have it, and it might be a label of its own
            cuts = tuple(
                round_cut(
                    float(values[cut]),
                    float(values[cut + 1]),
                    attribute.kind,
                    at_low=(codes == cut).mean() >= LEAST_SHARE_AT_CUT
                    and _is_allowed(codes == cut, allows),
                )
                for cut in chosen
            )
        return Labels(attribute, cuts, (), known, False, missing)
    levels = list(zip(coded.maps, coded.labels, strict=True))
    paths = [tuple(str(labels[m[code]]) for m, labels in levels) for code in present.tolist()]
    nodes, rest = _choose_nodes(paths, codes, allows)
    return Labels(attribute, (), nodes, True, rest, missing)


def _is_allowed(flags: Flags, allows: Allows) -> bool:
    """Whether these people, where there are any, may have a label of their own."""
    return bool(flags.any()) and bool(allows(np.where(flags, 0, NOBODY).astype(np.int32), 1)[0])


def _choose_nodes(paths: list[Node], codes: Codes, allows: Allows) -> tuple[tuple[Node, ...], bool]:
    """Finest nodes of a hierarchy that enough people share, and whether the rest may be counted."""
    node_of = list(paths)
    while True:
        nodes = sorted(set(node_of))
        number = {node: index for index, node in enumerate(nodes)}
        labels = np.array([*(number[node] for node in node_of), NOBODY], np.int32)[codes]
        allowed = allows(labels, len(nodes))
        sizes = np.bincount(labels[labels >= 0], minlength=len(nodes))
        small = np.argsort(sizes, kind="stable")
        liftable = [n for n in small.tolist() if not allowed[n] and len(nodes[n]) > 1]
        if not liftable:
            break
        parent = nodes[liftable[0]][1:]
        node_of = [
            parent if path[-len(parent) :] == parent else node
            for path, node in zip(paths, node_of, strict=True)
        ]
    kept = tuple(
        node for node, is_allowed in zip(nodes, allowed.tolist(), strict=True) if is_allowed
    )
    in_rest = (labels >= 0) & ~np.append(allowed, True)[labels]
    return kept, _is_allowed(in_rest, allows)


def _choose_cuts(codes: Codes, allows: Allows, ranges: int) -> tuple[list[int], bool]:
    """Codes after which to cut into ranges of about equally many people.

    And whether one range is allowed at all.
    """
    cuts = _spread_cuts(np.sort(codes[codes >= 0]), ranges)
    while True:
        labels = np.where(codes >= 0, np.searchsorted(cuts, codes), NOBODY).astype(np.int32)
        allowed = allows(labels, len(cuts) + 1)
        if allowed.all() or not len(cuts):
            break
        sizes = np.bincount(labels[labels >= 0], minlength=len(cuts) + 1)
        small = int(np.argmin(np.where(allowed, np.inf, sizes)))
        below = small > 0 and (small == len(cuts) or sizes[small - 1] <= sizes[small + 1])
        cuts = np.delete(cuts, small - 1 if below else small)
    return cuts.tolist(), bool(allowed.all()) and bool((codes >= 0).any())


def _spread_cuts(known: Codes, ranges: int) -> Codes:
    """Codes that cut people into `ranges` ranges of about equal size."""
    if not len(known):
        return np.empty(0, np.int32)
    indices = np.arange(1, ranges) * len(known) // ranges
    cuts: Codes = np.unique(known[indices])
    return cuts[cuts < known[-1]]


def _half_way(values: Floats, code: int) -> float:
    """A number between one value and the next, which everybody may know."""
    low, high = float(values[code]), float(values[code + 1])
    middle = low + (high - low) / 2
    return middle if low <= middle < high else low
