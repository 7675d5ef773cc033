"""Ways to group the values of a column, finest level first."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage

from shoal.schema import Hierarchy
from shoal.schema._tree_parts import ROOT_LABEL
from shoal.typing import Counts, Floats

Groups = Sequence[int]
"""A number for the group of each value."""


def bundle_rare(counts: Counts, k: int) -> list[Groups]:
    """Values of fewer than k people together; then those of fewer than 2k, 4k, ... with them."""
    levels: list[Groups] = []
    least = k
    while least <= counts.sum():
        rare = counts < least
        if 1 < rare.sum() < len(counts) - 1:
            groups = np.where(rare, 0, np.arange(1, len(counts) + 1))
            if not levels or len(set(groups)) < len(set(levels[-1])):
                levels.append(groups.tolist())
        least *= 2
    return levels


def merge_smallest(counts: Counts) -> list[Groups]:
    """Merge the two smallest groups again and again (Huffman), half as many on each level."""
    heap = [(int(count), value, [value]) for value, count in enumerate(counts)]
    heapq.heapify(heap)
    wanted, levels = _sizes(len(counts)), []
    while len(heap) > 2:
        first, second = heapq.heappop(heap), heapq.heappop(heap)
        both = sorted(first[2] + second[2])
        heapq.heappush(heap, (first[0] + second[0], both[0], both))
        if len(heap) in wanted:
            levels.append(_numbered([members for _, _, members in heap], len(counts)))
    return levels


def merge_alike(profiles: Floats) -> list[Groups]:
    """Merge values that occur with similar others (average linkage), half as many on each level."""
    if len(profiles) < 4:
        return []
    steps = linkage(profiles, "average")
    levels = [fcluster(steps, size, "maxclust").tolist() for size in _sizes(len(profiles))]
    # where values are equally far from one another, several sizes give the same groups
    by_size = {len(set(level)): level for level in levels}
    return [level for size, level in by_size.items() if 1 < size < len(profiles)]


def hierarchy_of(
    values: Sequence[str], levels: Sequence[Groups], counts: Counts, k: int
) -> Hierarchy:
    """The hierarchy with these groups.

    A group is named by up to three of its values that k people or more have, so that a label tells
    nobody's rare value; groups without such a value are numbered.
    """
    taken: dict[str, frozenset[int]] = {value: frozenset([i]) for i, value in enumerate(values)}
    columns = [_labels(values, groups, counts, k, taken) for groups in levels]
    rows = zip(values, *columns, [ROOT_LABEL] * len(values), strict=True)
    return Hierarchy.from_levels(rows)


def _labels(
    values: Sequence[str],
    groups: Groups,
    counts: Counts,
    k: int,
    taken: dict[str, frozenset[int]],
) -> list[str]:
    members: dict[int, list[int]] = {}
    for value, group in enumerate(groups):
        members.setdefault(group, []).append(value)
    names = {group: _name(values, inside, counts, k, taken) for group, inside in members.items()}
    return [names[group] for group in groups]


def _name(
    values: Sequence[str],
    inside: list[int],
    counts: Counts,
    k: int,
    taken: dict[str, frozenset[int]],
) -> str:
    known = {who: name for name, who in taken.items()}
    if (who := frozenset(inside)) in known:
        return known[who]  # the same group on a coarser level is the same node
    frequent = [v for v in sorted(inside, key=lambda v: -int(counts[v])) if counts[v] >= k]
    named = ", ".join(values[v] for v in frequent[:3])
    rest = " and others" if len(inside) > len(frequent[:3]) else ""
    stem = f"{named}{rest}" if named else "rare values"
    name, number = stem, 1
    while name in taken:
        number += 1
        name = f"{stem} ({number})"
    taken[name] = who
    return name


def _sizes(n: int) -> list[int]:
    sizes, size = [], n // 2
    while size >= 2:
        sizes.append(size)
        size //= 2
    return sizes


def _numbered(parts: Sequence[Sequence[int]], n: int) -> Groups:
    groups = [0] * n
    for number, members in enumerate(parts):
        for value in members:
            groups[value] = number
    return groups


def nested(levels: Sequence[Groups]) -> bool:
    """Whether every group of a level lies inside one of the next."""
    return all(_is_finer(fine, coarse) for fine, coarse in pairwise(levels))


def _is_finer(fine: Groups, coarse: Groups) -> bool:
    inside: Mapping[int, set[int]] = {group: set() for group in fine}
    for group, above in zip(fine, coarse, strict=True):
        inside[group].add(above)
    return all(len(above) == 1 for above in inside.values())
