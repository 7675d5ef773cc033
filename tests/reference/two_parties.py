"""A table of categories and its two halves: what tests of two-party mining start from."""

import numpy as np

from shoal.secure import TablePart


def table(seed, rows, arities):
    """Codes with a class that depends on the first columns, and some noise."""
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, a, rows) for a in arities], axis=1)
    signal = codes[:, 0] * 2 + codes[:, 1]
    codes[:, -1] = np.where(rng.random(rows) < 0.7, signal % arities[-1], codes[:, -1])
    return codes.astype(np.int32)


def halves(codes, arities, split, seed=0):
    names = [f"a{i}" for i in range(len(arities) - 1)] + ["class"]
    values = [[f"v{j}" for j in range(a)] for a in arities]
    rng = np.random.default_rng(seed)
    if split == "rows":
        mine = rng.random(len(codes)) < 0.4
        return [TablePart(names, values, codes[m], "rows") for m in (mine, ~mine)]
    mine = (
        np.broadcast_to(np.arange(len(arities)) % 2 == 0, codes.shape)
        if split == "columns"
        else rng.random(codes.shape) < 0.5
    )
    return [TablePart(names, values, np.where(m, codes, -1), "cells") for m in (mine, ~mine)]
