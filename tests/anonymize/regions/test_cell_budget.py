"""How far columns are coarsened: by brute force over all rows of small tables."""

import itertools

import numpy as np
import pytest

from shoal.anonymize.regions._cell_budget import Coarsening, coarsening_steps, first_that_fits
from shoal.errors import InfeasibleError
from tests.anonymize.regions.test_coarse_columns import coding_of, random_tree


def table(seed, n_rows=80):
    rng = np.random.default_rng(seed)
    codings = [coding_of(random_tree(rng, missing=False), rng, limited=False) for _ in range(3)]
    rows = np.column_stack([rng.integers(0, c.n_codes, n_rows) ** 2 // 9 for c in codings])
    return codings, rows


def n_cells(rows, floors, levels):
    chosen = [floors[i][level] for i, level in enumerate(levels)]
    return len({tuple(chosen[i][v] for i, v in enumerate(row)) for row in rows.tolist()})


@pytest.mark.parametrize("seed", range(8))
def test_steps_raise_one_column_each_and_never_add_combinations(seed):
    codings, rows = table(seed)
    counts = [np.bincount(rows[:, i], minlength=c.n_codes) for i, c in enumerate(codings)]
    floors, steps = coarsening_steps(codings, counts)
    assert steps[0] == (0, 0, 0)
    assert steps[-1] == tuple(len(own) - 1 for own in floors)
    for before, after in itertools.pairwise(steps):
        assert sum(b - a for a, b in zip(before, after, strict=True)) == 1
    cells = [n_cells(rows, floors, step) for step in steps]
    assert cells == sorted(cells, reverse=True)
    assert cells[-1] == 1
    for most in range(1, cells[0] + 2):
        found = first_that_fits(len(steps), cells.__getitem__, most, ["a"])
        assert found == next(step for step, n in enumerate(cells) if n <= most)


def test_what_does_not_fit_under_limits_is_said():
    with pytest.raises(InfeasibleError, match="'zip'") as caught:
        first_that_fits(3, [90, 50, 20].__getitem__, 10, ["zip"])
    assert (caught.value.required, caught.value.achieved) == (10, 20)


def test_the_cost_is_told():
    note = Coarsening({"zip": 2}, 0.125, 1000, 900).note()
    assert "'zip' to level 2" in note
    assert "loses 0.125" in note
    assert "0.123;" in Coarsening({"zip": 2}, 0.12345, 1000, 900).note() + ";"
    assert Coarsening({"zip": 2}, 0.12345, 1000, 900).to_dict()["loss"] == 0.123
    assert "900" in Coarsening({}, 0.0, 1000, 900).note()
