import numpy as np
import pytest

from shoal.anonymize.clusters._group_loss import pair_loss
from shoal.anonymize.clusters._starts import all_allowed
from shoal.anonymize.clusters.boxes._box_kernels import is_fine, mark_box, take_back
from shoal.anonymize.clusters.boxes._exchange import make_boxes
from shoal.anonymize.clusters.boxes._exchange_kernels import (
    CLOSE,
    REFILL,
    WHOLE,
    exchange_boxes,
    first_empty,
    is_open,
    least_change,
    lies_in,
    open_box,
    vary_label,
)
from tests.anonymize.clusters.boxes.test_exchange import problem_of, walked


def boxes_of(seed, model):
    problem = problem_of(seed, model)
    return problem, make_boxes(problem, walked(problem).group_of)


def trials(problem, boxes, n_trials):
    """Boxes on trial: their ends and what a row loses in them."""
    d, state = problem.keys.shape[1], 7
    low, high = np.empty(d, np.int32), np.empty(d, np.int32)
    for trial in range(n_trials):
        cell = trial % len(problem.keys)
        state = vary_label(boxes, cell, low, high, state)
        loss = sum(pair_loss(problem.loss, j, low[j], high[j]) for j in range(d))
        yield cell, low, high, loss


def check(problem, boxes):
    """Everything that is kept beside the groups is as counted from them."""
    places = boxes.places
    for box in range(len(places.size)):
        own = places.group_of == box
        assert places.size[box] == problem.compiled.sizes[own].sum()
        marked = [int(places.member[box, c >> 6]) >> (c & 63) & 1 for c in range(len(own))]
        assert (np.array(marked) == own).all()
        assert (problem.keys[own] >= boxes.low[box]).all()
        assert (problem.keys[own] <= boxes.high[box]).all()
        assert not own.any() or is_fine(boxes, box)


def test_a_box_on_trial_covers_the_cell_that_it_was_made_for():
    problem, boxes = boxes_of(1, 0)
    changed = 0
    for cell, low, high, _ in trials(problem, boxes, 60):
        assert (low <= problem.keys[cell]).all()
        assert (high >= problem.keys[cell]).all()
        own = boxes.places.group_of[cell]
        changed += (low != boxes.low[own]).any() or (high != boxes.high[own]).any()
    assert changed > 30


@pytest.mark.parametrize("model", [0, 1])
@pytest.mark.parametrize("ways", [0, CLOSE, CLOSE | WHOLE, CLOSE | REFILL])
def test_opening_a_box_leaves_all_fine_and_gains_no_more_than_the_bound(model, ways):
    problem, boxes = boxes_of(2, model)
    places = boxes.places
    order = np.argsort(-places.loss, kind="mergesort")
    mask = np.zeros((1, places.member.shape[1]), np.uint64)
    opened = 0
    for _, low, high, loss in trials(problem, boxes, 60):
        if is_open(boxes, low, high, loss):
            continue
        before, groups = float(places.size @ places.loss), places.group_of.copy()
        n = mark_box(boxes, low, high, mask)
        bound = least_change(boxes, n, loss, order)
        box = first_empty(boxes)
        boxes.low[box], boxes.high[box], places.loss[box] = low, high, loss
        places.change[0] = 0.0
        if open_box(boxes, box, n, mask, order, ways):
            opened += 1
            check(problem, boxes)
            assert all_allowed(problem, places.group_of)
            assert float(places.size @ places.loss) == pytest.approx(before + places.change[0])
            if not ways:  # what closing others gains is not in the bound
                assert places.change[0] >= bound - 1e-9
        take_back(boxes)
        assert (places.group_of == groups).all()
    assert opened >= 1


@pytest.mark.parametrize("model", [0, 1])
def test_what_is_counted_during_an_exchange_is_true_at_its_end(model):
    problem, boxes = boxes_of(3, model)
    loss = float(boxes.places.size @ boxes.places.loss)
    best, state, group_of = exchange_boxes(boxes, loss, 100_000, 0.5, 0.0, 1)
    check(problem, boxes)
    again = make_boxes(problem, group_of)
    assert best == pytest.approx(float(again.places.size @ again.places.loss))
    assert best <= loss
    assert state != 1
    assert all_allowed(problem, group_of)


def test_masks_lie_in_others_when_no_cell_is_missing():
    small, large = np.array([1, 2], np.uint64), np.array([3, 2], np.uint64)
    assert lies_in(small, large)
    assert not lies_in(large, small)
