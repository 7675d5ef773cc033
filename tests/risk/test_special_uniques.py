import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.risk import _special_uniques, special_uniques
from shoal.schema import Schema
from shoal.tables import open_table
from tests.reference import risk as twin


def count(rows):
    names = [f"c{i}" for i in range(len(rows[0]))]
    schema = Schema({name: {"role": "quasi-identifier"} for name in names})
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    return open_table(columns).compress(schema).cells


def texts(cells, cell):
    return tuple(
        coding.texts[code] for coding, code in zip(cells.codings, cells.keys[cell], strict=True)
    )


@pytest.mark.parametrize("seed", range(25))
def test_agrees_with_looking_at_every_set_of_columns(seed):
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(1, 30)), int(rng.integers(1, 6))
    rows = [tuple(map(str, row)) for row in rng.integers(0, rng.integers(2, 6), shape).tolist()]
    cells = count(rows)
    found = special_uniques(cells)
    scores, shares = twin.suda_scores(rows)
    by_row = {
        texts(cells, cell): score for cell, score in zip(found.cells, found.scores, strict=True)
    }
    assert [by_row.get(row, 0) for row in rows] == scores
    assert list(found.contributions.values()) == pytest.approx(shares)
    sets = [s for own in twin.minimal_sample_uniques(rows) for s in own]
    assert found.by_size == {k: sum(len(s) == k for s in sets) for k in range(1, shape[1] + 1)}


def test_a_smaller_search_finds_the_smaller_sets():
    rng = np.random.default_rng(0)
    cells = count(rng.integers(0, 4, (40, 5)).tolist())
    whole, small = special_uniques(cells), special_uniques(cells, max_size=2)
    assert [small.by_size[k] for k in (1, 2)] == [whole.by_size[k] for k in (1, 2)]
    # (m - k)! over (m - M - 1)! with m = 5, M = 2
    expected = 12 * small.by_size[1] + 3 * small.by_size[2]
    assert small.scores.sum() == pytest.approx(expected)


def test_what_sdcmicro_says_of_three_rows():
    """Its tests expect contributions of 50, 37.5 and 37.5 % (sdcMicro 5.8.1)."""
    found = special_uniques(count([(2, 0, 0), (1, 3, 6), (1, 0, 0)]))
    assert list(found.contributions.values()) == [0.5, 0.375, 0.375]


def test_the_chance_that_a_match_is_right():
    cells = count([(1,), (2,), (3,), (3,)])
    assert special_uniques(cells, fraction=0.5).dis == pytest.approx(1 / (1 + 1))
    assert special_uniques(cells).dis is None


def test_nothing_of_a_row_is_in_the_plain_values():
    plain = special_uniques(count([(7, 8), (9, 8)])).to_dict()
    assert set(plain) == {
        "n_rows",
        "n_uniques",
        "max_size",
        "by_size",
        "contributions",
        "average_score",
        "highest_score",
        "dis",
    }


def test_too_many_sets_are_refused_with_what_fits(monkeypatch):
    monkeypatch.setattr(_special_uniques, "_ROOM", 3000)
    cells = count(np.random.default_rng(0).integers(0, 9, (30, 6)).tolist())
    with pytest.raises(ParameterError, match="Use max_size=1"):
        special_uniques(cells)
