import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from shoal.errors import ParameterError, ProtocolError
from shoal.secure import SecureBayesNet, TablePart
from shoal.secure.logarithm._fast_logarithm import logarithm_for
from shoal.secure.miners._progress import Progress
from tests.reference.k2 import ASIA, k2, sample_asia, stirling


def halves(codes, arities, split, names=None, seed=0):
    names = names or [f"c{i}" for i in range(len(arities))]
    values = [[f"v{j}" for j in range(a)] for a in arities]
    rng = np.random.default_rng(seed)
    if split == "rows":
        mine = rng.random(len(codes)) < 0.5
        return [TablePart(names, values, codes[m], "rows") for m in (mine, ~mine)]
    mine = (
        np.broadcast_to(np.arange(len(arities)) % 2 == 0, codes.shape)
        if split == "columns"
        else rng.random(codes.shape) < 0.5
    )
    return [TablePart(names, values, np.where(m, codes, -1), "cells") for m in (mine, ~mine)]


def fit(party, part, options, **more):
    return SecureBayesNet(**options).fit(part, party, **more)


def chained(seed, rows, arities):
    """Columns of which each often copies the one before."""
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, a, rows) for a in arities], axis=1)
    for c in range(1, len(arities)):
        copy = rng.random(rows) < 0.6
        codes[copy, c] = codes[copy, c - 1] % arities[c]
    return codes.astype(np.int32)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=6
)
@given(
    seed=st.integers(0, 10_000),
    rows=st.integers(1, 80),
    arities=st.lists(st.integers(1, 3), min_size=1, max_size=4),
    split=st.sampled_from(["rows", "columns", "cells"]),
    max_parents=st.integers(0, 2),
)
def test_the_structure_is_that_of_the_pooled_table(both, seed, rows, arities, split, max_parents):
    codes = chained(seed, rows, arities)
    parts = halves(codes, arities, split, seed=seed)
    options = {"max_parents": max_parents}
    one, two = both(fit, (parts[0], options), (parts[1], options))
    assert one.structure_ == two.structure_
    largest = int(np.prod(sorted(arities)[-1 - max_parents :]))
    logarithm = logarithm_for("chebyshev", max(rows + max(arities), largest), 4)
    factorial = stirling(logarithm.clear, logarithm.sigma)
    close, margin = k2(codes, arities, list(range(len(arities))), max_parents, factorial)
    if margin > 64 * len(codes):  # integers at the scale: beyond the rounding of constants
        assert one.structure_.parents == close


def test_asia_split_by_columns_is_k2_on_pooled_data(both):
    codes, arities = sample_asia(3000, seed=4), [2] * 8
    expected, margin = k2(codes, arities, list(range(8)), 2)
    parts = halves(codes, arities, "columns", list(ASIA))
    one, two = both(fit, (parts[0], {}), (parts[1], {}))
    assert one.structure_.parents == two.structure_.parents == expected
    assert margin > 0.5
    assert set(expected[5]) == {2, 3}  # either <- tub, lung
    assert one.structure_.to_dict()["either"] in (["tub", "lung"], ["lung", "tub"])
    assert one.n_logarithms_ > 100


def test_an_order_is_followed_and_any_arity_works(both):
    codes, arities = chained(5, 400, [4, 3, 2]), [4, 3, 2]
    parts = halves(codes, arities, "cells")
    options = {"order": ["c2", "c1", "c0"], "max_parents": 1}
    one, _ = both(fit, (parts[0], options), (parts[1], options))
    expected, _ = k2(codes, arities, [2, 1, 0], 1)
    assert one.structure_.parents == expected


def test_the_fast_logarithm_finds_strong_arcs(both):
    codes, arities = chained(6, 500, [2, 2, 2]), [2, 2, 2]
    parts = halves(codes, arities, "columns")
    options = {"logarithm": "fast", "max_parents": 1}
    one, two = both(fit, (parts[0], options), (parts[1], options))
    assert one.structure_ == two.structure_


def test_a_cut_run_resumes(both):
    codes, arities = chained(7, 300, [2, 2, 2, 2]), [2, 2, 2, 2]
    parts = halves(codes, arities, "columns")
    reports = []

    def recorded(party, part, done):
        return SecureBayesNet(max_parents=2).fit(
            part, party, done=done, progress=reports.append if party.is_first else None
        )

    whole, _ = both(recorded, (parts[0], None), (parts[1], None))
    rounds, run = reports[-1].rounds, reports[-1].run
    again, _ = both(
        recorded, (parts[0], Progress(rounds[:1], run)), (parts[1], Progress(rounds, run))
    )
    assert again.structure_ == whole.structure_
    impossible = Progress([[3, 3, 3]], run)
    with pytest.raises(ProtocolError, match="cannot be added"):
        both(recorded, (parts[0], impossible), (parts[1], impossible))
    with pytest.raises(ProtocolError, match="does not fit"):
        both(recorded, (parts[0], Progress([[]], run)), (parts[1], Progress([[]], run)))


@pytest.mark.parametrize(
    "options",
    [{"max_parents": -1}, {"order": ["c0"]}, {"logarithm": "slow"}, {"terms": 99}],
)
def test_impossible_parameters_are_refused(both, options):
    codes, arities = chained(7, 30, [2, 2]), [2, 2]
    parts = halves(codes, arities, "columns")
    with pytest.raises(ParameterError):
        both(fit, (parts[0], options), (parts[1], options))


def test_tables_that_would_not_fit_are_refused_before_anything_is_sent():
    names = [f"c{i}" for i in range(6)]
    part = TablePart(names, [[str(v) for v in range(20)]] * 6, np.zeros((3, 6), int))
    with pytest.raises(ParameterError, match="cells, over the limit"):
        SecureBayesNet(max_parents=5)._check(part)
