import numpy as np
import pytest

from shoal.anonymize.clusters._starts import all_allowed
from shoal.anonymize.clusters.boxes._box_kernels import is_fine, move
from shoal.anonymize.clusters.boxes._exchange_kernels import (
    exchange_boxes,
    has_label,
    look_around,
    mark,
    relax_cells,
    settle_boxes,
    vary_label,
)
from tests.anonymize.clusters.boxes.test_exchange import boxes_of, problem_of, walked
from tests.anonymize.clusters.boxes.test_trial_kernels import check_around, check_sums


def begun(seed, model):
    problem = problem_of(seed, model)
    return boxes_of(problem, walked(problem).group_of)


def check(problem, boxes):
    """Everything that is kept beside the groups is as counted from them."""
    places = boxes.places
    for box in range(len(places.size)):
        own = places.group_of == box
        assert places.size[box] == problem.compiled.sizes[own].sum()
        assert (problem.keys[own] >= boxes.low[box]).all()
        assert (problem.keys[own] <= boxes.high[box]).all()
        assert not own.any() or is_fine(boxes, box)
    check_around(boxes)
    check_sums(boxes)


def test_a_label_that_is_varied_covers_the_cell_that_it_was_made_for():
    problem, boxes = begun(1, 0)
    changed, state = 0, 7
    for cell in range(60):
        own = boxes.places.group_of[cell]
        low, high = boxes.low[own].copy(), boxes.high[own].copy()
        state = vary_label(boxes.ladders, problem.keys[cell], low, high, state)
        assert (low <= problem.keys[cell]).all()
        assert (high >= problem.keys[cell]).all()
        n_other = ((low != boxes.low[own]) | (high != boxes.high[own])).sum()
        assert n_other <= 3
        changed += n_other > 0
    assert changed > 30


def test_a_label_is_found_among_those_of_boxes():
    _, boxes = begun(1, 0)
    some = np.array([1, 2, 3])
    assert has_label(boxes.low, boxes.high, some, boxes.low[2], boxes.high[2])
    assert not has_label(boxes.low, boxes.high, some[:1], boxes.low[2], boxes.high[2])
    assert not has_label(boxes.low, boxes.high, some[:0], boxes.low[2], boxes.high[2])


def test_after_moves_labels_fit_and_what_lies_around_is_known():
    _, boxes = begun(4, 0)
    places = boxes.places
    before = float(places.size @ places.loss)
    places.change[0] = 0.0
    for box in (0, 1, 2):  # two boxes become one, and a third loses a cell
        cells = np.flatnonzero(places.group_of == box)
        for cell in cells[: 1 if box == 2 else len(cells)].tolist():
            if box != 1:
                move(places, cell, 1)
    boxes.high[1], boxes.low[1] = boxes.columns.n_codes - 1, 0
    saved = settle_boxes(boxes, -1)
    assert float(places.size @ places.loss) == pytest.approx(before + places.change[0] - saved)
    assert places.log[0] == 0
    look_around(boxes)
    check_around(boxes)
    check_sums(boxes)


def test_cells_that_can_be_spared_go_where_they_lose_less():
    problem, boxes = begun(5, 0)
    exchange_boxes(boxes, float(boxes.places.size @ boxes.places.loss), 50_000, 5.0, 5.0, np.inf, 1)
    places = boxes.places
    before = float(places.size @ places.loss)
    places.change[0] = 0.0
    mark(boxes, np.arange(len(problem.keys)))
    saved = relax_cells(boxes)
    after = float(places.size @ places.loss)
    assert after == pytest.approx(before + places.change[0] - saved)
    assert after <= before + 1e-9
    look_around(boxes)
    check(problem, boxes)


@pytest.mark.parametrize(("model", "dear"), [(0, np.inf), (0, 0.5), (1, np.inf)])
def test_what_is_counted_during_an_exchange_is_true_at_its_end(model, dear):
    problem, boxes = begun(3, model)
    loss = float(boxes.places.size @ boxes.places.loss)
    best, state, group_of = exchange_boxes(boxes, loss, 100_000, 0.5, 0.01, dear, 1)
    check(problem, boxes)
    again = boxes_of(problem, group_of)[1]
    assert best == pytest.approx(float(again.places.size @ again.places.loss))
    assert best <= loss
    assert state != 1
    assert all_allowed(problem, group_of)


def test_few_labels_are_tried_under_which_rows_lose_much():
    ends = []
    for dear in (np.inf, 1e-3):  # next to nothing costs as little
        _, boxes = begun(3, 0)
        loss, state = float(boxes.places.size @ boxes.places.loss), 1
        best, state, _ = exchange_boxes(boxes, loss, 3_000, 1e-9, 1e-9, dear, state)
        ends.append((best, loss))
    assert ends[0][0] < ends[0][1]
    assert ends[1][0] == ends[1][1]
