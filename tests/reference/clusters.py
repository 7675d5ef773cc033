"""Spanning trees and anonymous clusters, slowly: every edge and every private value is tried."""

from itertools import product

import numpy as np


def prim(points):
    """Sorted edge lengths of a minimum spanning tree; those of all minimum trees are the same."""
    points = np.asarray(points, float)
    inside, lengths = {0}, []
    while len(inside) < len(points):
        best = min(
            (float(np.linalg.norm(points[a] - points[b])), b)
            for a in inside
            for b in range(len(points))
            if b not in inside
        )
        lengths.append(best[0])
        inside.add(best[1])
    return sorted(lengths)


def is_tree(n, edges):
    """Whether edges connect n points without a ring."""
    parent = list(range(n))

    def top(node):
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    for a, b in edges:
        if top(a) == top(b):
            return False
        parent[top(a)] = top(b)
    return len({top(node) for node in range(n)}) == 1


def components(n, edges):
    """Sets of points that edges connect, in the order of their least member."""
    label = list(range(n))
    for a, b in edges:
        old, new = label[a], label[b]
        label = [new if own == old else own for own in label]
    return [[p for p in range(n) if label[p] == own] for own in dict.fromkeys(label)]


def winners(centres, public, private_values):
    """Centroids that are nearest for some combination of private values (the last columns)."""
    found = set()
    for values in product(*private_values):
        point = np.concatenate([public, np.ravel(values)])
        found.add(int(((centres - point) ** 2).sum(axis=1).argmin()))
    return frozenset(found)


def spans(points, n_public, centres, private_values):
    """Rows by the set of centroids that they can be nearest to."""
    groups = {}
    for row, point in enumerate(points):
        groups.setdefault(winners(centres, point[:n_public], private_values), []).append(row)
    return groups


def cut(points, edges, n_public, private_values, allowed):
    """Cut edges longest first, again while some go; `allowed` judges the rows of a span.

    `edges` are (a, b) with their lengths, longest first.  Returns the sets of rows.
    """
    n = len(points)
    kept = [edge for edge, _ in edges]
    waiting = [edge for edge, length in edges if length > 0]
    went = True
    while went:
        went, later = False, []
        for edge in waiting:
            rest = [other for other in kept if other != edge]
            parts = components(n, rest)
            centres = np.array([points[part].mean(axis=0) for part in parts])
            groups = spans(points, n_public, centres, private_values)
            if all(len(reached) == 1 or allowed(rows) for reached, rows in groups.items()):
                kept, went = rest, True
            else:
                later.append(edge)
        waiting = later
    return {frozenset(part) for part in components(n, kept)}


def sums_below(parent, cut, points, weights, node):
    """Sum of weighted points, and of weights, over a node and what hangs from it uncut."""
    total, rows = [value * weights[node] for value in points[node]], weights[node]
    for child in range(len(parent)):
        if child != node and parent[child] == node and not cut[child]:
            more, n = sums_below(parent, cut, points, weights, child)
            total, rows = [a + b for a, b in zip(total, more, strict=True)], rows + n
    return total, rows


def nearest_along(point, begin, along, added, centres, steps):
    """Centroids that a point is nearest to when it moves along a segment, step by step."""
    start = np.add(np.add(point, added), begin)
    here = start + np.outer(np.arange(steps + 1) / steps, along)
    gaps = ((here[:, None] - np.array(centres)) ** 2).sum(axis=2)
    return set(gaps.argmin(axis=1).tolist())


def smallest_span(spans, rows):
    """Fewest rows with one set of several outputs; None when every set has one output."""
    counted = {}
    for own, n in zip(spans, rows, strict=True):
        if len(own) > 1:
            counted[frozenset(own)] = counted.get(frozenset(own), 0) + n
    return min(counted.values(), default=None)
