"""Tables that the tests of this package share."""

import numpy as np
import pytest
from hypothesis import strategies as st

from shoal.discover.sources._partition import CodeTable

EXAMPLE = {
    "age": [20, 30, 40, 20, 40],
    "sex": ["F", "F", "F", "M", "M"],
    "state": ["CA", "CA", "TX", "NY", "CA"],
}
"""The worked example of the specification."""


@pytest.fixture
def table(tmp_path):
    """A CSV file of it."""
    path = tmp_path / "people.csv"
    rows = zip(*EXAMPLE.values(), strict=True)
    path.write_text("\n".join([",".join(EXAMPLE), *(",".join(map(str, row)) for row in rows)]))
    return path


def coded(codes):
    codes = np.asarray(codes, np.int32)
    return CodeTable(tuple(f"c{j}" for j in range(len(codes))), codes)


def code_arrays(max_columns=5, max_rows=9, max_code=3, min_rows=2):
    """Small arrays of codes, a column in each row."""
    shape = st.tuples(st.integers(1, max_columns), st.integers(min_rows, max_rows))
    return shape.flatmap(
        lambda s: st.lists(
            st.lists(st.integers(0, max_code), min_size=s[1], max_size=s[1]),
            min_size=s[0],
            max_size=s[0],
        )
    ).map(lambda rows: np.array(rows, np.int32))


def distinct_arrays(max_columns=5, max_rows=9, max_code=3):
    """The same, with all rows different."""
    return (
        code_arrays(max_columns, max_rows, max_code)
        .map(lambda codes: np.ascontiguousarray(np.unique(codes, axis=1)))
        .filter(lambda codes: codes.shape[1] >= 2)
    )


def random_table(seed, n_columns, n_rows, n_codes):
    """Distinct rows whose columns have between 2 and `n_codes` values, unevenly."""
    rng = np.random.default_rng(seed)
    columns = []
    for _ in range(n_columns):
        share = rng.dirichlet(np.ones(rng.integers(2, n_codes + 1)))
        columns.append(rng.choice(len(share), n_rows, p=share))
    return np.ascontiguousarray(np.unique(np.array(columns, np.int32), axis=1))
