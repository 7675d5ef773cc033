"""What prices of rows are worth in every box, looked at one by one."""

from itertools import combinations_with_replacement, product


def slow_worth(prices, sizes, loss, least):
    """The most that at least so many rows are worth that lose so much, tried one by one."""
    gains = sorted(
        (price - loss for price, size in zip(prices, sizes, strict=True) for _ in range(size)),
        reverse=True,
    )
    return max((sum(gains[:n]) for n in range(least, len(gains) + 1)), default=0)


def slow_boxes(keys, loss_of):
    """The cells between every two codes of each column, and what a row loses there."""
    ends = [list(combinations_with_replacement(sorted(set(column)), 2)) for column in keys.T]
    for box in product(*ends):
        inside = [
            cell
            for cell, row in enumerate(keys)
            if all(low <= code <= high for code, (low, high) in zip(row, box, strict=True))
        ]
        yield inside, sum(loss_of(j, low, high) for j, (low, high) in enumerate(box))
