"""Graded grouping of one numeric column: agreed ranges, and the way back."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from shoal.errors import ParameterError, SchemaError
from shoal.federated.transforms._range_checks import check_graded_ranges
from shoal.typing import Flags, Floats

TOP = 0.999  # the fraction that the paper gives to the upper end of a range


@dataclass(frozen=True, repr=False)
class GradedRanges:
    """Ranges [lower, upper] of one numeric column, each with an integer name.

    A value x of range i is published as ``name + (x - lower) / (upper - lower)``; the upper end of
    a range that no next range starts with is published as ``name + 0.999``.

    Parameters
    ----------
    lower, upper : tuple of float
        Ends of the ranges, ascending.  A range may start where the one before ends (the shared
        value then belongs to the later range) or one step further on.
    names : tuple of int
        Published integer parts, ascending and not negative.
    decimals : int, default=0
        Decimal places that the column is stored with; 0 is whole numbers.

    Notes
    -----
    **Guarantee.**  `decode` returns every agreed value exactly, and order is kept.  Ranges for
    which double precision could not promise this are refused.

    **Departures from the paper.**  The paper's 0.999 collides with, or falls below, another value
    when a range holds 1000 steps or more.  Such a range gives its upper end the fraction half a
    step above its last inner value instead.

    Examples
    --------
    >>> ranges = GradedRanges((0, 18), (17, 90), (1, 2))  # children and adults, in whole years
    >>> published = ranges.encode([4, 18, 90])
    >>> published.round(3).tolist()
    [1.235, 2.0, 2.999]
    >>> ranges.decode(published).tolist()
    [4.0, 18.0, 90.0]
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    names: tuple[int, ...]
    decimals: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "lower", tuple(float(x) for x in self.lower))
        object.__setattr__(self, "upper", tuple(float(x) for x in self.upper))
        object.__setattr__(self, "names", tuple(int(x) for x in self.names))
        check_graded_ranges(self.lower, self.upper, self.names, self.decimals)

    def __repr__(self) -> str:
        return f"GradedRanges({len(self.names)} ranges, decimals={self.decimals})"

    @classmethod
    def uniform(
        cls, low: float, high: float, n_groups: int = 5, *, decimals: int = 0, first_name: int = 1
    ) -> Self:
        """Build `n_groups` ranges of equal width from `low` to `high`.

        Examples
        --------
        >>> ranges = GradedRanges.uniform(15, 90, 5)
        >>> ranges.encode([15, 25, 30, 90]).round(3).tolist()
        [1.0, 1.667, 2.0, 5.999]
        """
        if n_groups < 1:
            raise ParameterError(f"n_groups must be at least 1, got {n_groups}.")
        if not low < high:
            raise ParameterError("graded ranges: the upper end must be above the lower end.")
        return cls.from_breaks(
            np.linspace(low, high, n_groups + 1), decimals=decimals, first_name=first_name
        )

    @classmethod
    def from_breaks(cls, breaks: ArrayLike, *, decimals: int = 0, first_name: int = 1) -> Self:
        """Build ranges that meet at the inner `breaks`."""
        ends = np.asarray(breaks, np.float64).ravel()
        if len(ends) < 2:
            raise ParameterError("graded ranges: at least two breaks are needed.")
        names = range(first_name, first_name + len(ends) - 1)
        return cls(tuple(ends[:-1]), tuple(ends[1:]), tuple(names), decimals)

    def encode(self, values: ArrayLike, column: str = "column") -> Floats:
        """Published form of agreed values; NaN stays NaN, any other value is an error."""
        try:
            values = np.asarray(values, np.float64)
        except (ValueError, TypeError):  # numpy's message shows the value
            raise SchemaError(
                f"column '{column}' is graded by the key, and some of its values are no numbers."
            ) from None
        self.check(values, column)
        i = self._range_of(values)
        low, high, name = self._low[i], self._high[i], self._name[i]
        with np.errstate(invalid="ignore"):
            fraction = (values - low) / (high - low)
        return name + np.where(values == high, self._top[i], fraction)

    def decode(self, values: ArrayLike, column: str = "column") -> Floats:
        """Agreed values behind published ones, exactly."""
        values = np.asarray(values, np.float64)
        i = np.clip(np.searchsorted(self._name, values, side="right") - 1, 0, None)
        fraction = values - self._name[i]
        low, high = self._low[i], self._high[i]
        # Published numbers are rounded; the nearest agreed value is the one that was meant.
        inner = np.rint((low + fraction * (high - low)) * self._scale) / self._scale
        result = np.where(fraction > self._beyond[i], high, inner)
        with np.errstate(invalid="ignore"):
            foreign = ~np.isnan(values) & ((fraction < 0) | (fraction > self._ceiling[i]))
        if foreign.any():
            raise SchemaError(
                f"column '{column}': {int(foreign.sum())} values were not published under this "
                "key. Decode rows with the key they were encoded with."
            )
        return result

    def decode_real(self, values: ArrayLike) -> Floats:
        """Points between published values, such as centroids and means, in real units."""
        published, agreed = self._knots
        return np.interp(np.asarray(values, np.float64), published, agreed)

    def decode_threshold(self, values: ArrayLike, *, single: bool = False) -> Floats:
        """Thresholds in real units that part the agreed values as these part the published ones.

        `single` is for models that compare in single precision, as scikit-learn's trees do: a
        value that lies on a threshold is put where such a model puts it.
        """
        values = np.asarray(values, np.float64)
        published, _ = self._knots
        real = np.where(values < published[0], self.lower[0] - self._step, self.decode_real(values))
        below = np.floor(real * self._scale) / self._scale
        for shift in (-1, 0, 1):  # rounding can put the floor one step off, never two
            here = np.rint((below + shift * self._step) * self._scale) / self._scale
            following = np.rint((here + self._step) * self._scale) / self._scale
            fits = (self._limit(here, single) <= values) & (self._limit(following, single) > values)
            margin = self._step / 1024 if single else 0.0
            inside = (here + margin <= real) & (real < following - margin)
            real = np.where(fits & ~inside, here + self._step / 2, real)
        return real

    def check(self, values: Floats, column: str = "column") -> None:
        """Raise unless every value lies in the ranges and on the agreed precision."""
        missing = np.isnan(values)
        outside = ~missing & ~self._inside(values)
        if outside.any():
            raise SchemaError(
                f"column '{column}': {int(outside.sum())} of {values.size} values lie outside the "
                "agreed ranges. Agree on wider ranges with all sites; nothing was encoded."
            )
        fine = ~missing & (np.rint(values * self._scale) / self._scale != values)
        if fine.any():
            raise SchemaError(
                f"column '{column}': {int(fine.sum())} of {values.size} values have more than "
                f"{self.decimals} decimals. Round them, or agree on more decimals."
            )

    def to_dict(self) -> dict[str, Any]:
        """Parameters as plain numbers (they are part of the secret key)."""
        return {
            "kind": "graded",
            "lower": list(self.lower),
            "upper": list(self.upper),
            "names": list(self.names),
            "decimals": self.decimals,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Build from what `to_dict` gave."""
        return cls(
            tuple(data["lower"]), tuple(data["upper"]), tuple(data["names"]), data["decimals"]
        )

    @property
    def is_uniform(self) -> bool:
        """Whether the transform is affine up to the last value: equal widths, names in a row."""
        widths, gaps = self._high - self._low, np.diff(self._name)
        return bool(np.allclose(widths, widths[0]) and (gaps == 1).all() and self._meets[:-1].all())

    @property
    def tops(self) -> Floats:
        """Fraction that the upper end of each range is published with."""
        return self._top.copy()

    @property
    def beyond(self) -> Floats:
        """Fractions above this one stand for the upper end; infinite where none does."""
        return self._beyond.copy()

    @property
    def ceilings(self) -> Floats:
        """Largest fraction that is ever published."""
        return self._ceiling.copy()

    @cached_property
    def _low(self) -> Floats:
        return np.array(self.lower)

    @cached_property
    def _high(self) -> Floats:
        return np.array(self.upper)

    @cached_property
    def _name(self) -> Floats:
        return np.array(self.names, np.float64)

    @cached_property
    def _scale(self) -> float:
        return float(10**self.decimals)

    @cached_property
    def _step(self) -> float:
        return 1 / self._scale

    @cached_property
    def _meets(self) -> Flags:
        """Ranges whose upper end is the lower end of the next one."""
        return np.append(self._high[:-1] == self._low[1:], False)

    @cached_property
    def _last(self) -> Floats:
        """Fraction of the last agreed value before each upper end."""
        width = self._high - self._low
        last = np.ceil(self._high * self._scale - 1e-6) - 1
        return np.maximum((last / self._scale - self._low) / width, 0.0)

    @cached_property
    def _top(self) -> Floats:
        return np.where(self._last < TOP - 1e-9, TOP, (self._last + 1) / 2)

    @cached_property
    def _beyond(self) -> Floats:
        """Fractions above this one stand for the upper end."""
        return np.where(self._meets, np.inf, (self._last + self._top) / 2)

    @cached_property
    def _ceiling(self) -> Floats:
        """Largest fraction that is ever published."""
        return np.where(self._meets, self._last, self._top) + 1e-9

    @cached_property
    def _knots(self) -> tuple[Floats, Floats]:
        published: list[float] = []
        agreed: list[float] = []
        for i, name in enumerate(self.names):
            low, high = self.lower[i], self.upper[i]
            points = [(float(name), low)]
            if self._meets[i]:
                if self.names[i + 1] > name + 1:
                    points.append((name + 1.0, high))
            else:
                if self._last[i] > 0:
                    points.append((name + self._last[i], low + self._last[i] * (high - low)))
                points.append((name + self._top[i], high))
            for y, x in points:
                published.append(y)
                agreed.append(x)
        return np.array(published), np.array(agreed)

    def _range_of(self, values: Floats) -> np.ndarray[Any, np.dtype[np.intp]]:
        return np.clip(np.searchsorted(self._low, values, side="right") - 1, 0, None)

    def _inside(self, values: Floats) -> Flags:
        i = self._range_of(values)
        return (values >= self._low[i]) & (values <= self._high[i])

    def _limit(self, values: Floats, single: bool) -> Floats:
        """Published form, with everything below the ranges at -inf and above at +inf."""
        inside = self._inside(values)
        safe = np.where(inside, values, self._low[0])
        i = self._range_of(safe)
        fraction = (safe - self._low[i]) / (self._high[i] - self._low[i])
        result = self._name[i] + np.where(safe == self._high[i], self._top[i], fraction)
        if single:
            result = result.astype(np.float32).astype(np.float64)
        return np.where(inside, result, np.where(values < self._low[0], -np.inf, np.inf))
