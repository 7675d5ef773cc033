"""Requirements on some columns by plain counting of rows; rows are tuples, columns are numbers."""

from collections import Counter, defaultdict
from itertools import combinations


def by_columns(rows, columns):
    """Rows that agree on some columns."""
    sets = defaultdict(list)
    for row in rows:
        sets[tuple(row[column] for column in columns)].append(row)
    return sets


def requirement(rows, columns, k):
    return all(len(inside) >= k for inside in by_columns(rows, columns).values())


def lkc(rows, n_columns, l, k, c=1.0, sensitive=None):  # noqa: E741
    """Every set of at most `l` columns, the small ones too."""
    for size in range(1, min(l, n_columns) + 1):
        for columns in combinations(range(n_columns), size):
            for inside in by_columns(rows, columns).values():
                if len(inside) < k:
                    return False
                if sensitive is not None:
                    most = max(Counter(row[sensitive] for row in inside).values())
                    if most / len(inside) > c + 1e-9:
                        return False
    return True


def failing(rows, asked):
    """Which rows are in a set that fails; `asked` are pairs of columns and a condition on rows."""
    fails = [False] * len(rows)
    for columns, allowed in asked:
        sets = by_columns(rows, columns)
        for number, row in enumerate(rows):
            fails[number] |= not allowed(sets[tuple(row[column] for column in columns)])
    return fails


def kept(rows, asked):
    """Rows that stay when those that fail are left out, again and again."""
    while any(fails := failing(rows, asked)):
        rows = [row for row, lost in zip(rows, fails, strict=True) if not lost]
    return rows
