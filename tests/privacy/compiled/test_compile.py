import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.privacy import (
    AlphaKAnonymity,
    BetaLikeness,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    Proximity,
    RecursiveDiversity,
    TCloseness,
)
from shoal.privacy.compiled._compile import DENSE_LIMIT, allowed_groups, compile_model
from shoal.privacy.compiled._condition_kernels import add_cell, allowed
from shoal.privacy.compiled._sparse_condition_kernels import allowed_present, touch_cell
from shoal.schema import Hierarchy
from shoal.tables._frequency import Histogram
from tests.privacy.catalogue import MODELS
from tests.privacy.columns import CODING, VALUES
from tests.reference.rows import coding, table, values_in_groups


def test_nothing_is_counted_again_where_every_cell_is_kept(monkeypatch):
    cells = table([[{"a": "x"}] * 2, [{"a": "y"}, {"a": "x"}]])
    model = TCloseness(0.3).bind(("a",))
    merged = compile_model(model, cells, kept=np.array([True, False]))
    monkeypatch.setattr(Histogram, "merge", None)
    kept, whole = compile_model(model, cells, kept=np.ones(2, bool)), compile_model(model, cells)
    for ours, theirs in zip(kept, whole, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert not np.array_equal(merged.floats, whole.floats)


def test_k_anonymity_alone_needs_no_histogram():
    rules = compile_model(KAnonymity(3), table([[{"a": "x"}] * 2, [{"a": "y"}] * 5]))
    assert rules.size_only
    assert rules.minimum_size == 3
    assert rules.n_codes == 0
    assert allowed(rules, 3, np.zeros(0, np.int64))
    assert not allowed(rules, 2, np.zeros(0, np.int64))


def test_suppressed_cells_are_in_no_group():
    cells = table([[{}] * 2, [{}] * 5, [{}] * 1])
    rules = compile_model(KAnonymity(3), cells)
    found = allowed_groups(rules, np.array([0, -1, 0]), 2)
    np.testing.assert_array_equal(found, [True, True])  # three rows; nobody
    found = allowed_groups(rules, np.array([0, 1, -1]), 2)
    np.testing.assert_array_equal(found, [False, True])


@settings(deadline=None, max_examples=150)
@given(
    rows=st.lists(st.sampled_from(VALUES), min_size=1, max_size=20),
    others=values_in_groups(VALUES, 3, 12),
    index=st.integers(0, len(MODELS) - 1),
)
def test_dense_and_sparse_loops_agree_with_holds(rows, others, index):
    model, _ = MODELS[index]
    cells = table([[{"s": v} for v in group] for group in (rows, *others)], {"s": CODING})
    rules = compile_model(model, cells)
    expected = model.holds(cells)
    for cell in range(len(expected)):
        histogram = np.zeros(rules.n_codes, np.int64)
        add_cell(rules, cell, 1, histogram)
        assert allowed(rules, cells.sizes[cell], histogram) == expected[cell]
        histogram[:] = 0
        present = np.empty(rules.n_codes, np.int64)
        n = touch_cell(rules, cell, histogram, present, 0)
        present[:n] = present[:n][::-1]  # any order will do
        assert allowed_present(rules, cells.sizes[cell], histogram, present, n) == expected[cell]


MANY = list(range(3 * DENSE_LIMIT))
WIDE = {
    "s": coding(
        "s",
        MANY,
        "numeric",
        Hierarchy.from_levels([(str(v), f"a{v // 4}", f"b{v // 60}", "*") for v in MANY]),
    ),
    "r": coding("r", [*MANY, None], "numeric"),
}


@pytest.mark.parametrize(
    "model",
    [
        DistinctDiversity(6),
        EntropyDiversity(5.5),
        RecursiveDiversity(0.5, 2),
        TCloseness(0.95),
        TCloseness(0.12, distance="ordered"),
        TCloseness(0.8, "s", "hierarchical"),
        AlphaKAnonymity(0.2, 5),
        Proximity(10, 4),
        BetaLikeness(30),
        KAnonymity(5) & TCloseness(0.1, "r", "ordered") & Proximity(3, 3, "s"),
    ],
    ids=repr,
)
def test_columns_of_many_values_get_the_same_answers(model):
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(8):
        groups = [
            [
                {"s": int(a), "r": None if b > 170 else int(b)}
                for a, b in zip(
                    rng.integers(0, rng.choice([20, 190]), n),
                    rng.integers(0, rng.choice([40, 190]), n),
                    strict=True,
                )
            ]
            for n in rng.integers(2, 12, 30)
        ]
        cells = table(groups, WIDE)
        rules = compile_model(model, cells)
        assert rules.n_codes > DENSE_LIMIT
        group_of = rng.integers(-1, 15, len(groups))
        rules = compile_model(model, cells, kept=group_of >= 0)
        found = allowed_groups(rules, group_of, 15)
        expected = model.holds(cells.merge(group_of, 15))
        np.testing.assert_array_equal(found, expected)
        seen.update(expected[np.bincount(group_of[group_of >= 0], minlength=15) > 0].tolist())
    assert seen == {True, False}
