"""k-anonymity: nobody is in a small group."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from shoal._checks import check_integer
from shoal.errors import ParameterError
from shoal.privacy._condition import Condition
from shoal.privacy._model import PrivacyModel
from shoal.typing import Flags, Floats

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable


@dataclass(frozen=True)
class KAnonymity(PrivacyModel):
    """Every group has at least `k` rows [Swe02]_.

    Parameters
    ----------
    k : int
        Smallest size of a group, at least 1.

    Notes
    -----
    **Guarantee.**  Whoever knows a person's quasi-identifiers finds at least `k` rows that may be
    theirs, if every person has one row.  Missing values are values of their own: two rows share a
    group only if both are missing where one is.

    **Does not promise** anything about sensitive values: a group may agree on them.

    References
    ----------
    .. [Swe02] L. Sweeney.  k-anonymity: a model for protecting privacy.  International Journal on
       Uncertainty, Fuzziness and Knowledge-based Systems 10(5), 2002.

    Examples
    --------
    >>> KAnonymity(5).describe()
    'every group has at least 5 rows'
    """

    k: int

    leaves_open = (
        "A group whose rows all share one sensitive value gives that value away, although "
        "nobody in it can be told apart."
    )

    def __post_init__(self) -> None:
        check_integer("KAnonymity: k", self.k, 1)

    @property
    def required(self) -> float:
        """`k`."""
        return float(self.k)

    @property
    def minimum_size(self) -> int:
        """`k`."""
        return int(self.k)

    def levels(self, groups: FrequencyTable) -> Floats:
        """Size of each group."""
        return groups.sizes.astype(np.float64)

    def holds(self, groups: FrequencyTable) -> Flags:
        """Which groups are large enough."""
        return (groups.sizes >= self.k) | (groups.sizes == 0)

    def describe(self) -> str:
        """Say what every group has to be."""
        return f"every group has at least {self.k} rows"

    def conditions(self, cells: FrequencyTable) -> list[Condition]:
        """None: the minimum size says it all."""
        return []


def as_privacy_model(privacy: object) -> PrivacyModel:
    """The model that a parameter `privacy` stands for: a model itself, or `k` for k-anonymity.

    Raises
    ------
    ParameterError
        If it is neither, or `k` is below 1.

    Examples
    --------
    >>> as_privacy_model(5)
    KAnonymity(k=5)
    """
    if isinstance(privacy, PrivacyModel):
        return privacy
    if isinstance(privacy, Integral) and not isinstance(privacy, bool):
        return KAnonymity(int(privacy))
    name = privacy.__name__ if isinstance(privacy, type) else type(privacy).__name__
    made = f" Call it with its numbers: {name}(...)." if isinstance(privacy, type) else ""
    raise ParameterError(
        "privacy must be a privacy model such as KAnonymity(10), or k as a whole number, got "
        f"{'the class ' if made else ''}{name}.{made}"
    )
