import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from shoal.errors import ParameterError, ProtocolError
from shoal.parties import memory_pair, run_parties
from shoal.secure import FirstParty, SecondParty, SecureID3, Settings, TablePart
from shoal.secure.logarithm._fast_logarithm import logarithm_for
from shoal.secure.miners._progress import Progress
from tests.reference.id3 import id3, nested
from tests.reference.two_parties import halves, table


def fit(party, part, options, **more):
    return SecureID3("class", **options).fit(part, party, **more)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=8
)
@given(
    seed=st.integers(0, 10_000),
    rows=st.integers(1, 60),
    arities=st.lists(st.integers(1, 4), min_size=2, max_size=4),
    split=st.sampled_from(["rows", "columns", "cells"]),
    min_rows=st.integers(1, 8),
)
def test_the_tree_is_that_of_the_pooled_table(both, seed, rows, arities, split, min_rows):
    codes = table(seed, rows, arities)
    parts = halves(codes, arities, split, seed)
    options = {"max_depth": 2, "min_rows": min_rows}
    one, two = both(fit, (parts[0], options), (parts[1], options))
    assert one.tree_.to_dict() == two.tree_.to_dict()
    logarithm = logarithm_for("chebyshev", rows, 3)
    same, _ = id3(codes, len(arities) - 1, arities, log=logarithm.clear, **options)
    assert nested(one.tree_) == same  # bit for bit, with the same approximate logarithm
    exact, margin = id3(codes, len(arities) - 1, arities, **options)
    if margin > 4 * logarithm.error:
        assert nested(one.tree_) == exact


@pytest.mark.parametrize("products", ["transfer", "paillier"])
@pytest.mark.parametrize("logarithm", ["chebyshev", "taylor", "fast", "strict"])
def test_all_engines_give_a_tree_that_predicts(both, products, logarithm):
    arities = [2, 2, 2]
    codes = table(1, 40, arities)
    parts = halves(codes, arities, "rows")
    options = {"max_depth": 1, "logarithm": logarithm}
    settings = Settings(products=products, key_bits=2048)
    one, two = both(fit, (parts[0], options), (parts[1], options), settings)
    assert one.tree_ == two.tree_
    assert (one.tree_.predict(codes) == codes[:, -1]).mean() > 0.6
    assert one.n_logarithms_ == 2 * (2 * 3)


def test_counts_are_revealed_only_when_asked_for(both):
    arities = [3, 2, 2]
    codes = table(2, 50, arities)
    parts = halves(codes, arities, "cells")
    shy, _ = both(fit, (parts[0], {}), (parts[1], {}))
    assert shy.counts_ is None
    options = {"reveal_counts": True}
    open_, other = both(fit, (parts[0], options), (parts[1], options))
    np.testing.assert_array_equal(open_.counts_, other.counts_)
    leaves = open_.tree_.apply(codes)
    expected = [np.bincount(codes[leaves == leaf, -1], minlength=2) for leaf in open_.tree_.leaves]
    np.testing.assert_array_equal(open_.counts_, expected)
    no, yes = expected[0]
    assert f" ({no} v0, {yes} v1)" in open_.tree_.to_text(open_.counts_)
    assert "(" not in open_.tree_.to_text()


def test_transcripts_have_the_same_shape_for_different_tables_with_the_same_tree(both):
    """Same public sizes and same tree; who holds which row and what is in it must not show."""
    arities = [2, 2, 2]
    names, values = ["a0", "a1", "class"], [["x", "y"]] * 3
    traces = set()
    for flip in (0, 1):
        column = (np.arange(40) % 2).astype(np.int32)
        other = ((np.arange(40) // 2 + flip * np.arange(40)) % 2).astype(np.int32)
        codes = np.stack([column, other, column], axis=1)
        if flip:
            codes = codes[::-1]
        parts = [TablePart(names, values, codes[i::2], "rows") for i in (0, 1)]
        ends = memory_pair()
        one, _ = both(fit, (parts[0], {}), (parts[1], {}), channels=ends)
        assert nested(one.tree_) == (0, [0, 1])
        traces.add(ends[0].transcript.trace())
    assert len(traces) == 1
    assert len(arities) == 3


def test_a_cut_run_resumes_from_public_outcomes(both):
    arities = [3, 3, 2, 2]
    codes = table(3, 80, arities)
    parts = halves(codes, arities, "rows")
    reports = []

    def recorded(party, part, done):
        return SecureID3("class").fit(
            part, party, done=done, progress=reports.append if party.is_first else None
        )

    whole, _ = both(recorded, (parts[0], None), (parts[1], None))
    rounds, run = reports[-1].rounds, reports[-1].run
    assert len(rounds) >= 3
    again, _ = both(
        recorded, (parts[0], Progress(rounds[:2], run)), (parts[1], Progress(rounds[:1], run))
    )
    assert reports[-1].run == run
    assert again.tree_ == whole.tree_
    assert again.n_logarithms_ < whole.n_logarithms_
    assert reports[-1].traffic["bytes_sent"] > 0

    other, _ = both(recorded, (parts[0], None), (parts[1], Progress(rounds, run)))
    assert other.n_logarithms_ == whole.n_logarithms_  # one party has nothing: both start anew
    assert reports[-1].run != run


def test_equal_rounds_of_two_runs_are_not_mixed(both):
    arities = [3, 3, 2]
    parts = halves(table(3, 20, arities), arities, "rows")

    def half(party, part, run):
        return SecureID3("class").fit(part, party, done=Progress([[0]], run))

    with pytest.raises(ProtocolError, match="different runs"):
        both(half, (parts[0], "11" * 16), (parts[1], "22" * 16))
    with pytest.raises(ProtocolError, match="do not name their run"):
        both(half, (parts[0], ""), (parts[1], "1"))


@pytest.mark.parametrize(
    ("one", "two", "message"),
    [
        ([[0]], [[1]], "different runs"),
        ([[0], [9, 9, 9]], [[0], [9, 9, 9]], "cannot be used"),
        ([[0, 0]], [[0, 0]], "does not fit"),
        ([[-7]], [[-7]], "class that does not exist"),
    ],
)
def test_a_wrong_state_is_refused(both, one, two, message):
    arities = [3, 3, 2]
    parts = halves(table(3, 20, arities), arities, "rows")

    def half(party, part, done):
        return SecureID3("class").fit(part, party, done=Progress(done, "00" * 16))

    with pytest.raises(ProtocolError, match=message):
        both(half, (parts[0], one), (parts[1], two))


def test_other_parameters_and_other_tables_stop_both(both):
    arities = [2, 2]
    parts = halves(table(4, 20, arities), arities, "rows")
    with pytest.raises(ProtocolError, match="other parameters: max_depth"):
        both(fit, (parts[0], {"max_depth": 1}), (parts[1], {"max_depth": 2}))
    renamed = TablePart(["b", "class"], parts[1].values, parts[1].codes)
    with pytest.raises(ProtocolError, match="other tables: names"):
        both(fit, (parts[0], {}), (renamed, {}))


def test_a_cell_without_exactly_one_holder_is_an_error(both):
    arities = [2, 2]
    codes = table(4, 20, arities)
    one, _ = halves(codes, arities, "columns")
    with pytest.raises(ProtocolError, match="held by both parties"):
        both(fit, (one, {}), (one, {}))


@pytest.mark.parametrize(
    "options", [{"max_depth": -1}, {"min_rows": 0}, {"logarithm": "slow"}, {"terms": 0}]
)
def test_impossible_parameters_are_refused(both, options):
    arities = [2, 2]
    parts = halves(table(4, 20, arities), arities, "rows")
    with pytest.raises(ParameterError):
        both(fit, (parts[0], options), (parts[1], options))


def test_a_cut_connection_stops_both_and_leaks_no_cells():
    arities = [3, 3, 2]
    parts = halves(table(3, 30, arities), arities, "rows")

    def cut(progress):
        raise KeyboardInterrupt

    def second(channel):
        with pytest.raises(ProtocolError, match="hung up"):
            fit(SecondParty(channel), parts[1], {})
        return True

    with pytest.raises(KeyboardInterrupt):
        run_parties(lambda channel: fit(FirstParty(channel), parts[0], {}, progress=cut), second)
    assert "array" not in repr(parts[0])
    assert math.isfinite(len(repr(parts[0])))
