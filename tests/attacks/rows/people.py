"""A small table of people with ties, missing values, numbers and categories."""

import numpy as np


def draw(n, seed):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n).astype(float)
    age[rng.random(n) < 0.05] = np.nan
    town = rng.choice(["A", "B", "C", "D"], n, p=[0.6, 0.3, 0.08, 0.02])
    pay = np.round(rng.lognormal(3, 1, n), 1)
    ill = np.where(rng.random(n) < 0.2, "gout", np.where(pay > 20, "flu", "none"))
    return {"age": age, "town": list(town), "pay": pay, "ill": list(ill)}
