"""LKC-privacy: an attacker knows a few of many quasi-identifiers, whichever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

from shoal._checks import check_integer, check_number
from shoal.errors import ParameterError, SchemaError
from shoal.privacy._column_model import check_column
from shoal.privacy._model import All, PrivacyModel, Word
from shoal.privacy._projection import Projection, ProjectionModel
from shoal.privacy.models._alpha import AlphaKAnonymity
from shoal.privacy.models._k_anonymity import KAnonymity

MOST_SETS = 20_000
"""Sets of columns that are counted one by one; more would take hours."""


@dataclass(frozen=True)
class LKCPrivacy(ProjectionModel):
    """Any `l` quasi-identifiers are shared by `k` rows and tell nothing surer than `c` [MFHL09]_.

    Parameters
    ----------
    l : int
        Quasi-identifiers that an attacker knows of a person at most, whichever they are.
    k : int
        Rows that agree on them at least.
    c : float, default=1
        Largest share of a sensitive value among those rows, above 0; 1 limits nothing.
    column : str, optional
        The sensitive column that `c` is about; by default every one.

    Notes
    -----
    **Guarantee.**  Whoever knows at most `l` quasi-identifiers of a person finds at least `k` rows
    that agree on them, and no sensitive value has a share above `c` among those.

    **Sets that are counted.**  Those of exactly `l` columns, or of all where there are fewer: rows
    that agree on fewer columns are a union of such sets of rows, at least as many, and the largest
    share in a union is at most the largest in its parts.

    **Search.**  As for :class:`Requirement`.  With many quasi-identifiers much less is lost than
    for k-anonymity over all of them, which asks the same of an attacker who knows everything.

    References
    ----------
    .. [MFHL09] N. Mohammed, B. C. M. Fung, P. C. K. Hung, C. Lee.  Anonymizing healthcare data: a
       case study on the blood transfusion service.  KDD 2009.  doi:10.1145/1557019.1557157

    Examples
    --------
    >>> print(LKCPrivacy(2, 5, 0.5, "illness").describe())  # doctest: +NORMALIZE_WHITESPACE
    by any 2 quasi-identifiers alone: every group has at least 5 rows,
    and no value of column 'illness' has a share above 0.5 in a group
    """

    l: int  # noqa: E741  the literature's letter
    k: int
    c: float = 1.0
    column: str | None = None

    word = Word("lkc", {"l": int, "k": int, "c": float}, "2:5:0.5", optional=1)
    leaves_open = (
        "Whoever knows more quasi-identifiers of a person than the first number may find that "
        "person alone."
    )

    def __post_init__(self) -> None:
        check_integer("LKCPrivacy: l", self.l, 1)
        check_integer("LKCPrivacy: k", self.k, 1)
        check_number("LKCPrivacy: c", self.c, 0, 1, above=True)
        check_column("LKCPrivacy", self.column)

    def projections(self, names: Sequence[str]) -> list[Projection]:
        """Every set of `l` columns."""
        if not names:
            raise SchemaError(
                "LKCPrivacy is about the quasi-identifiers of a table, and these groups name none."
            )
        size = min(self.l, len(names))
        if comb(len(names), size) > MOST_SETS:
            raise ParameterError(
                f"LKCPrivacy: {len(names)} quasi-identifiers have {comb(len(names), size):,} sets "
                f"of {size}, more than the {MOST_SETS:,} that are counted. Lower l, or name the "
                "sets that matter as requirements."
            )
        return [
            Projection(chosen, self.implied_by) for chosen in combinations(range(len(names)), size)
        ]

    @property
    def known(self) -> str:
        """How many columns."""
        return "any quasi-identifier" if self.l == 1 else f"any {self.l} quasi-identifiers"

    @property
    def implied_by(self) -> PrivacyModel:
        """Size and share, asked of all columns together."""
        if self.c == 1:
            return KAnonymity(self.k)
        return AlphaKAnonymity(self.c, self.k, self.column)

    @property
    def parts(self) -> tuple[PrivacyModel, ...]:
        """The size and the share."""
        if self.c == 1 or self.k == 1:
            return (self,)
        return (LKCPrivacy(self.l, self.k), replace(self, k=1))

    @property
    def required(self) -> float:
        """`k`, or `c` where only the share is limited."""
        return float(self.k) if self.larger_is_better else float(self.c)

    @property
    def larger_is_better(self) -> bool:  # type: ignore[override]
        """Of sizes; not of shares."""
        return self.c == 1

    def describe(self) -> str:
        """Say what rows that agree on a few columns have to be."""
        return f"by {self.known} alone: {self.implied_by.describe()}"

    def bind(self, sensitive: Sequence[str]) -> PrivacyModel:
        """The size once, and the share in each sensitive column, unless one is named."""
        if self.c == 1 or self.column is not None:
            return self
        if not sensitive:
            raise SchemaError(
                "LKCPrivacy: c limits the shares of sensitive values, and the schema has no "
                "sensitive column. Give a column the role sensitive, or leave c out."
            )
        shares = [replace(self, k=1, column=name) for name in sensitive]
        size = [LKCPrivacy(self.l, self.k)] if self.k > 1 else []
        return replace(self, column=sensitive[0]) if len(sensitive) == 1 else All((*size, *shares))
