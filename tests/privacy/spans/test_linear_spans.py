"""Which outputs can win: against trying points of the private box."""

import numpy as np
import pytest

from shoal.privacy.spans._linear_spans import LinearSpans


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("n_private", [0, 1, 2, 3])
def test_reach_agrees_with_trying_points(seed, n_private):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(int(rng.integers(2, 6)), 4))
    model = LinearSpans.nearest(centres)
    public = rng.normal(size=(15, 4))
    public[:, 4 - n_private :] = 0.0
    low, high = -1.0, 1.5
    segments = []
    for place in range(4 - n_private, 4):
        start, direction = np.zeros(4), np.zeros(4)
        start[place], direction[place] = low, high - low
        segments.append((start, direction))
    found = model.reach(public, np.zeros((1, 4)), tuple(segments))
    steps = np.linspace(low, high, {0: 1, 1: 4001, 2: 121, 3: 31}[n_private])
    axes = np.meshgrid(*[steps] * n_private) if n_private else [np.empty((1, 0))]
    grid = np.stack(axes, -1).reshape(-1, n_private) if n_private else axes[0]
    for row, own in zip(public, found, strict=True):
        tried = np.repeat(row[None], len(grid), axis=0)
        tried[:, 4 - n_private :] = grid
        distance = ((tried[:, None] - centres) ** 2).sum(-1)
        won = np.isin(np.arange(len(centres)), distance.argmin(1))
        assert not (won & ~own).any()  # what a point shows is found
        for j in np.flatnonzero(own & ~won):  # a sliver between points of the grid: nearly won
            others = np.delete(distance, j, axis=1).min(1)
            assert (distance[:, j] - others).min() < 0.6


def test_ties_go_to_the_lower_number():
    twins = LinearSpans.nearest(np.array([[0.0, 0.0], [0.0, 0.0], [2.0, 0.0]]))
    assert twins.winner(np.array([[0.1, 0.0], [1.9, 0.0]])).tolist() == [0, 2]
    segment = (np.array([0.0, 0.0]), np.array([1.0, 0.0]))
    reach = twins.reach(np.zeros((1, 2)), np.zeros((1, 2)), (segment,))
    assert reach.tolist() == [[True, False, False]]  # at 1, as far from 0 as from 2
    reverse = LinearSpans.nearest(np.array([[2.0, 0.0], [0.0, 0.0]]))
    assert reverse.reach(np.zeros((1, 2)), np.zeros((1, 2)), (segment,)).all()
