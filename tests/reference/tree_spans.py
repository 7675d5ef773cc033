"""Spans of a tree, row by row and by the definition; a tree is a dict of plain tests."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Test:
    """`branch` is a function of the column's value: a child, None without a branch."""

    column: int
    public: bool
    branch: object
    children: tuple
    other: object = None  # child for values without a branch
    names_labels: bool = False  # whether each branch names a label of its own


def stops(tests, row, node=0):
    """Nodes at which a row can stop when its private values are free.

    Private values for which there is no branch are left out: every row has them alike.
    """
    if node not in tests:
        return frozenset([node])
    test = tests[node]
    if not test.public:
        return frozenset().union(*(stops(tests, row, child) for child in test.children))
    value = row[test.column]
    if value is None:  # any branch, and the place where rows without a branch go
        found = frozenset().union(*(stops(tests, row, child) for child in test.children))
        lost = test.branch(None)
        if lost is None and test.other is None:
            found |= {node}
        return found
    child = test.branch(value)
    if child is None:
        child = test.other
    return frozenset([node]) if child is None else stops(tests, row, child)


def groups(tests, rows, classes, class_is_public):
    """Rows of each span; spans as (stops, class) with the class only when it is public."""
    found = {}
    for place, row in enumerate(rows):
        key = stops(tests, row), classes[place] if class_is_public else None
        found.setdefault(key, []).append(place)
    return found


def breaks(tests, rows, classes, class_is_public, allowed):
    """Whether a span has more than one bin and its rows are not allowed."""
    return any(
        not (class_is_public and len(reached) == 1) and not allowed(members)
        for (reached, _), members in groups(tests, rows, classes, class_is_public).items()
    )


def may_be_at(tests, row, node, start=0):
    """Whether a row can get to a node when its private values are free."""
    if start == node:
        return True
    if start not in tests:
        return False
    test = tests[start]
    if not test.public or row[test.column] is None:
        return any(may_be_at(tests, row, node, child) for child in test.children)
    child = test.branch(row[test.column])
    child = test.other if child is None else child
    return child is not None and may_be_at(tests, row, node, child)


def names_rare(tests, rows, node, k):
    """Whether the test of a node names a label that fewer than k have who may be there."""
    test = tests[node]
    values = [row[test.column] for row in rows if may_be_at(tests, row, node)]
    taken = [test.branch(value) for value in values if value is not None]
    lost = test.branch(None)
    named = [child for child in test.children if child != lost]
    return test.names_labels and any(taken.count(child) < k for child in named)
