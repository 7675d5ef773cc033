"""Microaggregation in plain Python: by trying everything, and by the book."""

from itertools import combinations


def mean(rows):
    return [sum(side) / len(rows) for side in zip(*rows, strict=True)]


def apart(one, other):
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def sum_of_squares(groups):
    return sum(apart(row, mean(group)) for group in groups for row in group)


def groupings(items, k):
    """Every way to put numbered rows into groups of at least k."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for size in range(k - 1, len(rest) + 1):
        if 0 < len(rest) - size < k:
            continue
        for others in combinations(rest, size):
            left = [item for item in rest if item not in others]
            for more in groupings(left, k):
                yield [[first, *others], *more]


def least_sum_of_squares(rows, k):
    """The best that any grouping reaches."""
    return min(
        sum_of_squares([[rows[at] for at in group] for group in grouping])
        for grouping in groupings(list(range(len(rows))), k)
    )


def mdav(rows, k):
    """MDAV on rows, as the paper tells it: lists of numbers of rows."""
    left, groups = list(range(len(rows))), []

    def take(seed):
        near = sorted(left, key=lambda at: (at != seed, apart(rows[at], rows[seed])))[:k]
        groups.append(near)
        left[:] = [at for at in left if at not in near]

    while len(left) >= 3 * k:
        middle = mean([rows[at] for at in left])
        one = max(left, key=lambda at: apart(rows[at], middle))
        take(one)
        take(max(left, key=lambda at: apart(rows[at], rows[one])))
    if len(left) >= 2 * k:
        middle = mean([rows[at] for at in left])
        take(max(left, key=lambda at: apart(rows[at], middle)))
    return [*groups, left]
