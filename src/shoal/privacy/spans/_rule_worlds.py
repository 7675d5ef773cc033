"""What published supports tell together, decided by looking for another table with the same ones.

**Theorem.**  Let a table of baskets exist, a *world*, that has all published supports and in which
every kind of basket occurs 0 times or at least k times.  Then nothing that can be derived from the
supports, by whatever reasoning, says of any set of kinds of baskets that there are 1 to k - 1 of
them: such a statement would have to hold in every table with these supports, and in the world
every count is a sum of numbers that are 0 or at least k.

Supports that share no item (nor an item with its parent) may be looked at apart.  With counts a
and b of two events in worlds of their own, all of ``a, b, n - a, n - b`` are 0 or at least k, and
the worlds can be laid side by side so that any number from ``max(0, a + b - n)`` to ``min(a, b)``
of baskets meet both; the largest is 0 or at least k.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

Items = frozenset[str]
MOST_KINDS = 300  # kinds of baskets that a world may have
MOST_NODES = 5  # nodes of the search for one: a limit that does not depend on the machine


@dataclass(frozen=True)
class ItemTree:
    """Which items imply others, as everybody knows.

    Parameters
    ----------
    parents : mapping of str to frozenset of str
        Items that a basket has as well when it has the key.
    members : mapping of str to frozenset of str
        All items that make a basket have the key; a basket with the key has one of them.
    """

    parents: Mapping[str, Items] = field(default_factory=dict)
    members: Mapping[str, Items] = field(default_factory=dict)

    @classmethod
    def from_parents(cls, parents: Mapping[str, str]) -> ItemTree:
        """From the parent of each item, all of whose items are listed."""
        members: dict[str, set[str]] = {}
        for item, parent in parents.items():
            members.setdefault(parent, set()).add(item)
        return cls(
            {item: frozenset([parent]) for item, parent in parents.items()},
            {parent: frozenset(items) for parent, items in members.items()},
        )

    def close(self, items: Items) -> Items:
        """A basket with everything that its items imply."""
        while (more := items.union(*(self.parents.get(i, Items()) for i in items))) != items:
            items = more
        return items

    def neighbours(self, item: str) -> Items:
        """Items that a relation ties to this one."""
        return self.parents.get(item, Items()) | self.members.get(item, Items())


def has_world(
    supports: Mapping[Items, int],
    n_rows: int,
    k: int,
    private: Collection[str],
    tree: ItemTree | None = None,
    observed: Iterable[Items] = (),
) -> bool:
    """Whether a world was found for the supports; never true without one.

    `observed` are kinds of baskets to begin with where there are too many to list.
    """
    tree, seen = tree or ItemTree(), list(observed)
    parts = [(part, Items().union(*part)) for part in _split(supports, tree)]
    told = frozenset(private)
    # with a private item that everybody has or nobody, counts of public ones are counts of it too
    is_certain = any({0, n_rows} & set(part.values()) for part, items in parts if items & told)
    for part, items in parts:
        if (is_certain or items & told) and not _search(part, n_rows, k, tree, items, seen):
            return False
    return True


def _split(supports: Mapping[Items, int], tree: ItemTree) -> list[dict[Items, int]]:
    """Supports that share no item, apart."""
    root: dict[str, str] = {}

    def find(item: str) -> str:
        root.setdefault(item, item)
        while root[item] != item:
            item = root[item]
        return item

    for items in supports:
        known = [*items]
        for item in known:
            root[find(item)] = find(known[0])
    for item in [*root]:
        for other in tree.neighbours(item):
            if other in root:
                root[find(other)] = find(item)
    parts: dict[str, dict[Items, int]] = {}
    for items, support in supports.items():
        if items:
            parts.setdefault(find(next(iter(items))), {})[items] = support
    return list(parts.values())


def _search(
    supports: dict[Items, int],
    n_rows: int,
    k: int,
    tree: ItemTree,
    items: Items,
    observed: Sequence[Items],
) -> bool:
    """Solve for the number of baskets of each kind, each of them 0 or at least k."""
    if _counts_out(supports | {Items(): n_rows}, k):
        return False  # no need to look for a world
    published = sorted(supports, key=lambda one: (len(one), sorted(one)))
    kinds = _list_kinds(published, tree, items, observed)
    rows = np.array([[one <= kind for kind in kinds] for one in published], np.float64)
    rows = np.concatenate([rows, np.ones((1, len(kinds)))])
    right = np.array([*(supports[one] for one in published), n_rows], np.float64)
    possible = ~(rows[:, :] * (right[:, None] < k)).any(axis=0)
    return _solve(rows[:, possible], right, k)


def _counts_out(supports: Mapping[Items, int], k: int) -> bool:
    """Whether a support, or a difference of two supports, is 1 to k - 1."""
    return any(0 < count < k for count in supports.values()) or any(
        0 < supports[small] - count < k
        for large, count in supports.items()
        for small in _published_subsets(large, supports)
    )


def _published_subsets(large: Items, supports: Mapping[Items, int]) -> Iterable[Items]:
    """Published sets within another one, in whichever way fewer sets are looked at."""
    if 1 << len(large) > len(supports):
        return [small for small in supports if small < large]
    every = (Items(c) for size in range(len(large)) for c in combinations(large, size))
    return [small for small in every if small in supports]


def _solve(rows: np.ndarray, right: np.ndarray, k: int) -> bool:
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415  slow to import
    from scipy.sparse import coo_array, eye_array, hstack  # noqa: PLC0415

    n_kinds = rows.shape[1]
    if not n_kinds:
        return False
    most = np.where(rows > 0, right[:, None], np.inf).min(axis=0)
    counts = hstack([coo_array(rows), coo_array((len(rows), n_kinds))])
    one = eye_array(n_kinds)
    solution = milp(
        np.zeros(2 * n_kinds),
        integrality=np.ones(2 * n_kinds),
        bounds=Bounds(0, np.concatenate([most, np.ones(n_kinds)])),
        constraints=[
            LinearConstraint(counts.tocsr(), right, right),
            LinearConstraint(hstack([one, -k * one]).tocsr(), 0, np.inf),
            LinearConstraint(hstack([one, -one * most[None]]).tocsr(), -np.inf, 0),
        ],
        options={"node_limit": MOST_NODES},
    )
    if solution.x is None:
        return False
    world = np.rint(solution.x[:n_kinds])  # what a solver says is checked in whole numbers
    return bool((rows @ world == right).all() and ((world == 0) | (world >= k)).all())


def _list_kinds(
    published: Sequence[Items], tree: ItemTree, items: Items, observed: Sequence[Items]
) -> list[Items]:
    """Kinds of baskets that supports tell apart: unions of published sets, or some of them.

    A basket is as good as the union of the published sets within it, since both count alike.
    """
    within = {parent: own for parent, own in tree.members.items() if parent in items}
    known = {parent: own for parent, own in within.items() if own <= items}
    single = [frozenset([item]) for own in known.values() for item in sorted(own)]
    blocks = [tree.close(one) & items for one in [*published, *single]]
    kinds: dict[Items, None] = {Items(): None}
    for kind in observed:
        parts = [one for one in blocks if one <= kind]
        kinds.setdefault(Items().union(*parts))
        if len(kinds) > MOST_KINDS // 2:
            break
    kinds |= dict.fromkeys(blocks)
    for block in blocks:
        for kind in [*kinds]:
            if len(kinds) >= MOST_KINDS:
                break
            kinds.setdefault(kind | block)
    return [
        kind for kind in kinds if all(own & kind for parent, own in known.items() if parent in kind)
    ]
