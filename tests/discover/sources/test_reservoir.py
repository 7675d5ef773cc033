import numpy as np
import pytest

from shoal.discover import RowSample, find_key, mask
from shoal.errors import ParameterError, TableError
from tests.discover.tables import coded, random_table
from tests.extras import need


def _stream(codes, batch):
    for start in range(0, codes.shape[1], batch):
        yield {f"c{j}": column[start : start + batch].tolist() for j, column in enumerate(codes)}


def _fed(sample, codes, batch=700):
    for rows in _stream(codes, batch):
        sample.partial_fit(rows)
    return sample


def test_every_row_of_the_stream_is_equally_likely_to_be_kept():
    n, size, runs = 20, 5, 4_000
    counts = np.zeros(n)
    together = 0
    rng = np.random.default_rng(1)
    for _ in range(runs):
        sample = RowSample(size, random_state=rng)
        for start, stop in ((0, 3), (3, 4), (4, 12), (12, 20)):
            sample.partial_fit({"row": list(range(start, stop))})
        values = {code: value for value, code in sample._code_of[0].items()}
        kept = [values[code] for code in sample._codes[0]]
        assert len(set(kept)) == size
        counts[kept] += 1
        together += {0, 19} <= set(kept)
    expected = runs * size / n
    assert ((counts - expected) ** 2 / expected).sum() < 43.8  # chi-square, 19 df, p = 0.001
    both = size * (size - 1) / (n * (n - 1))
    assert abs(together / runs - both) < 3.3 * np.sqrt(both / runs)


def test_a_stream_gives_what_its_table_would():
    codes = random_table(5, 5, 4_000, 9)
    sample = _fed(RowSample(700, random_state=0), codes)
    assert repr(sample) == f"RowSample(700 of {codes.shape[1]} rows)"
    found = find_key(sample, "separation", eps=0.05, delta=0.1, random_state=0)
    assert found.n_rows == codes.shape[1]
    again = find_key(coded(codes), "separation", eps=0.05, delta=0.1, random_state=0)
    assert found.sample_size == again.sample_size
    hidden = mask(sample, 0.9, "separation", sample=350, random_state=0)
    assert hidden.guarantee.startswith("with probability 0.99")
    assert mask(sample, 0.5, "distinct", sample=500, random_state=0).n_rows == codes.shape[1]


def test_codes_of_different_batches_agree():
    codes = random_table(6, 4, 900, 5)
    sample = _fed(RowSample(10**6), codes, batch=13)
    assert find_key(sample).attributes == find_key(coded(codes)).attributes
    assert find_key(sample).ratios == find_key(coded(codes)).ratios


def test_missing_values_and_bins_mean_the_same_in_every_batch():
    sample = RowSample(100, bins={"x": 10.0})
    sample.partial_fit({"x": [1.0, 12.0, float("nan")], "y": ["a", None, "b"]})
    sample.partial_fit({"x": [13, 9, float("nan")], "y": [None, "c", "b"]})
    x, y = sample._codes
    assert len(set(x.tolist())) == 3
    assert len(set(y.tolist())) == 4


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_batches_may_be_frames(library):
    make = need(library)
    build = make.table if library == "pyarrow" else make.DataFrame
    codes = random_table(6, 4, 900, 5)
    sample = RowSample(10**6, bins={"c0": 2.0})
    for rows in _stream(codes, 300):
        sample.partial_fit(build(rows))
    plain = _fed(RowSample(10**6, bins={"c0": 2.0}), codes, 300)
    assert find_key(sample, beta=0.9).ratios == find_key(plain, beta=0.9).ratios


def test_memory_follows_the_size_not_the_stream():
    sample = RowSample(50, random_state=0)
    for start in range(0, 200_000, 10_000):
        sample.partial_fit({"a": np.arange(start, start + 10_000) % 7})
    assert sample._codes.shape == (1, 50)
    assert sample.n_rows_seen_ == 200_000


def test_what_a_sample_cannot_prove_is_refused():
    codes = random_table(5, 5, 4_000, 9)
    sample = _fed(RowSample(100, random_state=0), codes)
    with pytest.raises(ParameterError, match=r"looking at every row needs \d+ rows"):
        find_key(sample)
    with pytest.raises(ParameterError, match=r"needs 226 rows, the sample holds 100 .*size=226"):
        find_key(sample, "separation", eps=0.05, delta=0.1)
    with pytest.raises(ParameterError, match="cannot be made distinct"):
        find_key(sample, "separation", duplicates="drop")
    with pytest.raises(ParameterError, match="give bins to RowSample"):
        find_key(sample, "separation", bins={"c0": 1})


def test_bad_batches_are_refused():
    with pytest.raises(ParameterError, match="seen no rows"):
        find_key(RowSample(10))
    with pytest.raises(ParameterError, match="size must be a whole number of at least 2"):
        RowSample(1).partial_fit({"a": [1]})
    sample = RowSample(10).partial_fit({"a": [1], "b": [2]})
    with pytest.raises(TableError, match="lacks the columns 'b'"):
        sample.partial_fit({"a": [1]})
    with pytest.raises(TableError, match="differ in length"):
        sample.partial_fit({"a": [1], "b": [2, 3]})
