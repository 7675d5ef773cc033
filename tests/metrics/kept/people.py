"""Small random tables with labels, and how a recipient reads them, by loops."""

import numpy as np

TOWNS = ["A", "B", "C"]


def random_tables(seed, n=40):
    """Raw rows, and a release with ranges, sets, stars and rows of another order."""
    rng = np.random.default_rng(seed)
    raw = {
        "age": rng.integers(20, 60, n).tolist(),
        "pay": rng.integers(1, 6, n).tolist(),
        "town": rng.choice(TOWNS, n).tolist(),
        "ill": rng.choice(["flu", "gout"], n).tolist(),
    }
    order = rng.permutation(n)[: n - rng.integers(0, 5)]
    released = {
        "age": [_age(raw["age"][i], rng) for i in order],
        "pay": [raw["pay"][i] for i in order],
        "town": [_town(raw["town"][i], rng) for i in order],
        "ill": [raw["ill"][i] for i in order],
    }
    return raw, released


def _age(age, rng):
    low = age // 10 * 10
    return rng.choice([str(age), f"[{low}-{low + 9}]", f"[{low}-{low + 10})", "*"])


def _town(town, rng):
    return rng.choice([town, "*", "{A, B}" if town in "AB" else "C"])


def meant(label, values):
    """The raw values that a label stands for."""
    label = str(label)
    if label == "*":
        return list(values)
    if label.startswith("{"):
        return [value for value in values if value in label[1:-1].split(", ")]
    if label.startswith("["):
        low, high = (int(end) for end in label[1:-1].split("-"))
        last = high - 1 if label.endswith(")") else high
        return [value for value in values if low <= value <= last]
    return [value for value in values if str(value) == label]


def distribution(labels, values, weights=None):
    """Share of each value when every label is spread evenly over what it stands for."""
    weights = [1.0] * len(labels) if weights is None else weights
    shares = dict.fromkeys(values, 0.0)
    for label, weight in zip(labels, weights, strict=True):
        covered = meant(label, values)
        for value in covered:
            shares[value] += weight / len(covered) / sum(weights)
    return shares
