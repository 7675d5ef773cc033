"""Requirements as they stand in a schema file: columns that an attacker may know together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.errors import SchemaError

_PARTS = ("columns", "k", "diversity")


@dataclass(frozen=True)
class Required:
    """What is asked of rows that agree on some quasi-identifiers.

    What the words mean is known higher up, in :mod:`shoal.privacy`.

    Parameters
    ----------
    columns : tuple of str
        The quasi-identifiers.
    k : int, optional
        Rows that agree on them at least.
    diversity : tuple of str
        Further conditions, in the words of the command line.

    Examples
    --------
    >>> Required.from_toml({"columns": ["zip", "age"], "k": 10})
    Required(columns=('zip', 'age'), k=10, diversity=())
    """

    columns: tuple[str, ...]
    k: int | None = None
    diversity: tuple[str, ...] = ()

    @classmethod
    def from_toml(cls, data: Any) -> Required:
        """Read a table `[[requirements]]`."""
        if isinstance(data, Required):
            return data
        if not isinstance(data, Mapping):
            raise SchemaError("a requirement is a table: [[requirements]] with columns and k.")
        if unknown := [str(key) for key in data if key not in _PARTS]:
            raise SchemaError(f"a requirement has no {unknown[0]!r}. It has {', '.join(_PARTS)}.")
        diversity = data.get("diversity", ())
        diversity = (diversity,) if isinstance(diversity, str) else diversity
        return cls(_names(data.get("columns")), data.get("k"), _names(diversity, "diversity"))

    def check(self, quasi_identifiers: Collection[str]) -> None:
        """Raise unless it can be asked of these columns."""
        if not self.columns:
            raise SchemaError("a requirement names no columns. Write columns = [...].")
        if unknown := [name for name in self.columns if name not in quasi_identifiers]:
            raise SchemaError(
                f"a requirement names {', '.join(map(repr, unknown))}, which are no "
                "quasi-identifiers. Give them that role, or leave them out of the requirement."
            )
        if len(set(self.columns)) < len(self.columns):
            raise SchemaError("a requirement names a column twice. Name each once.")
        if self.k is None and not self.diversity:
            raise SchemaError(
                f"the requirement on {', '.join(map(repr, self.columns))} asks for nothing. "
                "Write k = 10, or diversity = [...]."
            )
        if self.k is not None and (type(self.k) is not int or self.k < 1):
            raise SchemaError(f"k of a requirement must be a whole number from 1, got {self.k!r}.")

    def to_toml(self) -> dict[str, Any]:
        """As in a schema file."""
        said: dict[str, Any] = {"columns": list(self.columns)}
        if self.k is not None:
            said["k"] = self.k
        if self.diversity:
            said["diversity"] = list(self.diversity)
        return said


def _names(given: Any, what: str = "columns") -> tuple[str, ...]:
    texts = isinstance(given, Sequence) and not isinstance(given, str)
    if given is not None and (not texts or not all(isinstance(name, str) for name in given)):
        raise SchemaError(f"{what} of a requirement must be a list of texts.")
    return tuple(given or ())
