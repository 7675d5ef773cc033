"""Mapping table of one categorical column: random aliases, the same at every site."""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeAlias

from shoal.errors import ParameterError, SchemaError

Category: TypeAlias = str | int | bool
CATEGORIES_SHOWN = 5  # in an error


@dataclass(frozen=True, repr=False)
class AliasTable:
    """Aliases ``prefix_1, prefix_2, ...`` of the categories of one column.

    Parameters
    ----------
    prefix : str
        What every alias starts with.
    categories : tuple of str, int or bool
        The category behind ``prefix_1``, ``prefix_2`` and so on.

    Notes
    -----
    **Guarantee.**  Each category has one alias and each alias one category; `extend` keeps all
    existing pairs.

    **Reveals.**  Which rows share a category, and how often each occurs.  An alias with a number
    above an older table's highest is known to be new.

    Examples
    --------
    >>> table = AliasTable.random(["flu", "cold"], "Illness")
    >>> sorted(table.encode(["flu", "cold"]))
    ['Illness_1', 'Illness_2']
    >>> table.extend(["gout"]).decode(["Illness_3"])
    ['gout']
    """

    prefix: str
    categories: tuple[Category, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "categories", tuple(self.categories))
        if not self.prefix or not self.prefix.replace("_", "a").replace("-", "a").isalnum():
            raise ParameterError("alias prefix must be letters, digits, '-' and '_' only.")
        if len(set(map(_tagged, self.categories))) != len(self.categories):
            raise ParameterError(f"alias table '{self.prefix}': a category occurs twice.")
        if not all(isinstance(c, str | int) for c in self.categories):
            raise ParameterError(
                f"alias table '{self.prefix}': categories must be text, integers or booleans."
            )
        if len({type(c) for c in self.categories}) > 1:
            raise ParameterError(f"alias table '{self.prefix}': categories must be of one type.")

    def __repr__(self) -> str:
        return f"AliasTable(prefix={self.prefix!r}, {len(self.categories)} categories)"

    @classmethod
    def random(cls, categories: Iterable[Category], prefix: str) -> Self:
        """Draw aliases for `categories` from the operating system's randomness."""
        return cls(prefix, ()).extend(categories)

    def extend(self, categories: Iterable[Category]) -> Self:
        """Add categories under new random aliases; the ones already present keep theirs."""
        known = set(map(_tagged, self.categories))
        added = {_tagged(c): c for c in categories if _tagged(c) not in known}
        # Sorted before they are shuffled: nothing of the order of the rows is left.
        shuffled = [added[tag] for tag in sorted(added)]
        secrets.SystemRandom().shuffle(shuffled)
        return type(self)(self.prefix, self.categories + tuple(shuffled))

    @cached_property
    def aliases(self) -> tuple[str, ...]:
        """Alias of each category, in order."""
        return tuple(f"{self.prefix}_{i}" for i in range(1, len(self.categories) + 1))

    @cached_property
    def to_alias(self) -> dict[Category, str]:
        """Category to alias."""
        return dict(zip(self.categories, self.aliases, strict=True))

    @cached_property
    def to_category(self) -> dict[str, Category]:
        """Alias to category."""
        return dict(zip(self.aliases, self.categories, strict=True))

    def encode(self, values: Sequence[Any], column: str = "column") -> list[str | None]:
        """Aliases of `values`; None stays None, an unknown category is an error."""
        self.check(set(values), column)
        return [None if v is None else self.to_alias[v] for v in values]

    def decode(self, values: Sequence[Any], column: str = "column") -> list[Category | None]:
        """Categories behind aliases."""
        self.check_aliases(set(values), column)
        return [None if v is None else self.to_category[v] for v in values]

    def check(self, distinct: Iterable[Any], column: str = "column") -> None:
        """Raise, naming the categories, when one has no alias."""
        known = self.to_alias
        unknown = sorted({str(v) for v in distinct if v is not None and v not in known})
        if unknown:
            left = len(unknown) - CATEGORIES_SHOWN
            more = f" and {left} more" if left > 0 else ""
            named = ", ".join(repr(v) for v in unknown[:CATEGORIES_SHOWN])
            raise SchemaError(
                f"column '{column}': categories without an alias: {named}{more}. Extend the key "
                "with them at every site; nothing was encoded."
            )

    def check_aliases(self, distinct: Iterable[Any], column: str = "column") -> None:
        """Raise when something is not an alias of this table."""
        foreign = sum(1 for v in distinct if v is not None and v not in self.to_category)
        if foreign:
            raise SchemaError(
                f"column '{column}': {foreign} distinct values are not aliases of this key. "
                "Decode rows with the key they were encoded with."
            )

    def to_dict(self) -> dict[str, Any]:
        """Parameters as plain values (they are part of the secret key)."""
        return {"kind": "mapped", "prefix": self.prefix, "categories": list(self.categories)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Build from what `to_dict` gave."""
        return cls(data["prefix"], tuple(data["categories"]))


def _tagged(category: Category) -> tuple[str, str]:
    # True == 1 in Python; as categories they are two.
    return type(category).__name__, str(category)
