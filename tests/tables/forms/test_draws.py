from fractions import Fraction

import numpy as np

from shoal.tables.forms._draws import draw_values, label_spans, make_margin
from shoal.tables.forms._label_ends import label_ends


def ends_of(*labels, kind="numeric"):
    return {at: label_ends(label, kind) for at, label in enumerate(labels)}


def test_a_margin_spreads_the_rows_of_every_label_evenly():
    rng = np.random.default_rng(4)
    for _ in range(50):
        spans = {}
        for label in range(rng.integers(1, 6)):
            first = int(rng.integers(-5, 10))
            spans[label] = ((first, first + int(rng.integers(0, 8))), int(rng.integers(1, 9)))
        margin = make_margin(spans)
        for start, stop, weight in zip(
            margin.starts[:-1].tolist(), margin.starts[1:].tolist(), margin.weights, strict=True
        ):
            share = sum(
                Fraction(count, last - first + 1)
                for unit in range(start, stop)
                for (first, last), count in spans.values()
                if first <= unit <= last
            )
            assert abs(weight / 2**20 - share) < 1e-4


def test_draws_lie_within_their_labels_and_follow_the_margin():
    ends = ends_of("[20-29]", "25", "*", ">=40", "[30-49]")
    codes = np.repeat(np.arange(5), [4000, 4000, 2000, 1000, 1000]).astype(np.int32)
    units, step, missing = draw_values(ends, codes, seed=9)
    assert step == 1
    assert not missing.any()
    for label, (low, high) in enumerate([(20, 29), (25, 25), (20, 49), (40, 49), (30, 49)]):
        own = units[codes == label]
        assert own.min() >= low
        assert own.max() <= high
    # 25 has its own 4000 rows and its part of others: most draws of [20-29] say so
    assert 0.4 < np.mean(units[codes == 0] == 25) < 0.6


def test_a_draw_depends_on_label_and_place_alone():
    ends = ends_of("[0-2.5)", "[2.5-10)")
    codes = np.array([0, 1, 0, 1], np.int32)
    first = draw_values(ends, codes, seed=2)
    assert (first[0] == draw_values(ends, codes, seed=2)[0]).all()
    assert (first[0] != draw_values(ends, codes, seed=3)[0]).any()
    numbers = first[0] * float(first[1])
    assert ((numbers < 2.5) == (codes == 0)).all()


def test_labels_without_any_end_give_no_draw():
    units, _, missing = draw_values(ends_of("*"), np.zeros(3, np.int32), seed=0)
    assert missing.all()
    assert (units == 0).all()
    assert label_spans(ends_of(">=7"), Fraction(1)) == {0: (7, 7)}


def test_missing_values_draw_nothing_wherever_the_others_are():
    ends = ends_of("[-50--31]", "[-30--11]")
    units, _, missing = draw_values(ends, np.array([0, 1, 2], np.int32), seed=1)
    assert missing.tolist() == [False, False, True]
    assert units[2] == 0
    assert -50 <= units[0] <= -31
