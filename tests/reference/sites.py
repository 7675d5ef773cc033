"""Small made-up sites: patients with a known hazard."""

import numpy as np
import polars as pl

RANGES = {"age": (0, 100), "dose": (0, 80), "score": (0, 4), "volume": (0, 10)}


def patients(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 4)) * [100, 80, 4, 10]
    hazard = np.exp(0.02 * X[:, 0] + 0.4 * X[:, 2] - 0.02 * X[:, 1])
    time = rng.exponential(100 / hazard).round(1) + 0.1
    event = (rng.random(n) < 0.7).astype(int)
    table = pl.DataFrame(X, schema=list(RANGES))
    return table.with_columns(
        time=pl.Series(time), event=pl.Series(event), dead=pl.Series(time < np.median(time))
    )
