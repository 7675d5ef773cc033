"""Which outputs can win for a person whose private features are free: linear scores."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from shoal.typing import Flags, Floats

BLOCK = 20_000
MOST_CORNERS = 6  # segments whose corners are all tried before a linear programme is solved


@dataclass(frozen=True, eq=False)
class LinearSpans:
    """Outputs by linear scores: output j wins a duel with i when its score is higher.

    Nearest centroids are such a model (the score of centroid c at x is ``2 c.x - c.c``), and so are
    linear classifiers.  `duels` lists for every output the pairs (higher, lower) of scores that
    have to come out; in a plain comparison all pairs with itself, in a tree of centroids those on
    the way to it.  Equal scores go to the lower number, and so do scores that differ by no more
    than `tie`: above the rounding error of scores, it makes winners independent of how scores
    are summed up.

    Parameters
    ----------
    weights : ndarray of shape (n_scores, n_features)
        Slope of each score.
    intercept : ndarray of shape (n_scores,)
        Score at the origin.
    duels : tuple of ndarray of shape (n, 2)
        For each output, what it has to win.
    tie : float, default=0.0
        Difference of scores that counts as none.
    """

    weights: Floats
    intercept: Floats
    duels: tuple[NDArray[np.intp], ...]
    tie: float = 0.0

    @classmethod
    def highest(cls, weights: Floats, intercept: Floats, tie: float = 0.0) -> LinearSpans:
        """The output with the highest score."""
        n = len(intercept)
        duels = tuple(
            np.array([(j, i) for i in range(n) if i != j], np.intp).reshape(-1, 2) for j in range(n)
        )
        return cls(np.asarray(weights, np.float64), np.asarray(intercept, np.float64), duels, tie)

    @classmethod
    def nearest(cls, centres: Floats, tie: float = 0.0) -> LinearSpans:
        """The nearest centroid; `tie` is a difference of squared distances."""
        centres = np.asarray(centres, np.float64)
        return cls.highest(2 * centres, -(centres**2).sum(axis=1), tie)

    @property
    def n_outputs(self) -> int:
        """Number of outputs."""
        return len(self.duels)

    def winner(self, features: Floats) -> NDArray[np.int64]:
        """Output of each row of features."""
        scores = features @ self.weights.T + self.intercept
        return self._wins(scores).argmax(axis=1)

    def _wins(self, scores: Floats) -> Flags:
        wins = np.ones((len(scores), self.n_outputs), np.bool_)
        for j, pairs in enumerate(self.duels):
            for high, low in pairs.tolist():
                gap = scores[:, high] - scores[:, low]
                wins[:, j] &= gap >= -self.tie if high < low else gap > self.tie
        return wins

    def reach(
        self, public: Floats, points: Floats, segments: tuple[tuple[Floats, Floats], ...]
    ) -> Flags:
        """Which outputs each row can get.

        Parameters
        ----------
        public : ndarray of shape (n_rows, n_features)
            Features of the rows, 0 in private places.
        points : ndarray of shape (n_points, n_features)
            What finitely many private values add to them; one row of zeros without any.
        segments : tuple of (start, direction)
            What private attributes with a range add: ``start + t * direction`` for t in [0, 1].

        Returns
        -------
        ndarray of bool, shape (n_rows, n_outputs)
            With up to one segment exact to rounding, points where scores are equal included; with
            more, outputs that win at such points only may be left out.
        """
        base = public @ self.weights.T + self.intercept
        for start, _ in segments:
            base = base + self.weights @ start
        slopes = np.array([self.weights @ direction for _, direction in segments])
        wins = np.zeros((len(public), self.n_outputs), np.bool_)
        for shift in points @ self.weights.T:
            for first in range(0, len(public), BLOCK):
                scores = base[first : first + BLOCK] + shift
                if len(segments) == 0:
                    wins[first : first + BLOCK] |= self._wins(scores)
                elif len(segments) == 1:
                    wins[first : first + BLOCK] |= self._along(scores, slopes[0])
                else:
                    wins[first : first + BLOCK] |= self._inside(scores, slopes)
        return wins

    def widths(self, public: Floats, points: Floats, segment: tuple[Floats, Floats]) -> Floats:
        """Share of one private range on which each row gets each output; -1 where it never does.

        The largest over `points`; see :meth:`reach`.
        """
        start, direction = segment
        base = public @ self.weights.T + self.intercept + self.weights @ start
        widest = np.full((len(public), self.n_outputs), -1.0)
        for shift in points @ self.weights.T:
            for first in range(0, len(public), BLOCK):
                part = slice(first, first + BLOCK)
                wins, width = self._walk(base[part] + shift, self.weights @ direction)
                np.maximum(widest[part], np.where(wins, width, -1.0), out=widest[part])
        return widest

    def _along(self, scores: Floats, slope: Floats) -> Flags:
        return self._walk(scores, slope)[0]

    def _walk(self, scores: Floats, slope: Floats) -> tuple[Flags, Floats]:
        """Walk one private dimension: where an output wins all its duels is an interval."""
        wins = np.zeros((len(scores), self.n_outputs), np.bool_)
        width = np.zeros((len(scores), self.n_outputs))
        for j, pairs in enumerate(self.duels):
            low, high = np.zeros(len(scores)), np.ones(len(scores))
            low_open, high_open = np.zeros(len(scores), bool), np.zeros(len(scores), bool)
            possible = np.ones(len(scores), np.bool_)
            for up, down in pairs.tolist():
                strict = up > down
                gap = scores[:, up] - scores[:, down] + (-self.tie if strict else self.tie)
                rise = slope[up] - slope[down]
                if rise == 0:
                    possible &= (gap > 0) | ((gap == 0) & (not strict))
                    continue
                cut = -gap / rise
                if rise > 0:
                    # equal scores go to the lower number: for the higher one the end is open
                    low_open = np.where(cut > low, strict, low_open | ((cut == low) & strict))
                    low = np.maximum(low, cut)
                else:
                    high_open = np.where(cut < high, strict, high_open | ((cut == high) & strict))
                    high = np.minimum(high, cut)
            touching = (low == high) & ~low_open & ~high_open
            wins[:, j] = possible & ((low < high) | touching)
            width[:, j] = high - low
        return wins, width

    def _inside(self, scores: Floats, slopes: Floats) -> Flags:
        """Several private dimensions: corners, then bounds, then linear programmes."""
        n = len(slopes)
        wins = np.zeros((len(scores), self.n_outputs), np.bool_)
        corners = product((0.0, 0.5, 1.0), repeat=n) if n <= MOST_CORNERS else [(0.5,) * n]
        for corner in corners:
            # most outputs that win anywhere win at a corner or in the middle
            wins |= self._wins(scores + np.array(corner) @ slopes)
        for j, pairs in enumerate(self.duels):
            if not len(pairs):
                continue
            rise = slopes[:, pairs[:, 0]] - slopes[:, pairs[:, 1]]  # segment x duel
            gap = scores[:, pairs[:, 0]] - scores[:, pairs[:, 1]]
            gap += np.where(pairs[:, 0] > pairs[:, 1], -self.tie, self.tie)
            # a duel that is lost even at its best point is lost everywhere: no programme is needed
            open_rows = ~wins[:, j] & (gap + np.maximum(rise, 0).sum(axis=0) > 0).all(axis=1)
            for row in np.flatnonzero(open_rows).tolist():
                wins[row, j] = _some_point(gap[row], rise)
        return wins


def _some_point(gap: Floats, rise: Floats) -> bool:
    """Whether ``gap + t @ rise`` is above 0 everywhere for some t in the unit cube."""
    n, duels = rise.shape
    aim = np.zeros(n + 1)
    aim[-1] = -1.0  # the smallest margin is made as large as possible
    from scipy.optimize import linprog  # noqa: PLC0415  takes a second; few models need it

    solved = linprog(
        aim,
        A_ub=np.column_stack([-rise.T, np.ones(duels)]),
        b_ub=gap,
        bounds=[(0, 1)] * n + [(None, None)],
    )
    return bool(solved.success and -solved.fun > 1e-12)
