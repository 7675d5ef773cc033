"""The key that sites share: what is needed to encode rows and to read results back."""

import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self, TypeAlias

from shoal._plain import from_json
from shoal.errors import KeyFileError, ParameterError, ProtocolError, SchemaError
from shoal.federated._secret import MEMORY_KIB, read_private, seal, unseal, write_private
from shoal.federated.transforms._aliases import AliasTable, Category
from shoal.federated.transforms._ranges import GradedRanges
from shoal.typing import PathText

ColumnCode: TypeAlias = GradedRanges | AliasTable


@dataclass(frozen=True, repr=False)
class TransformKey:
    """Ranges and alias tables of all transformed columns, with a version and a fingerprint.

    Parameters
    ----------
    columns : mapping of str to GradedRanges or AliasTable
        How each transformed column is encoded.  Other columns pass unchanged.
    version : int, default=1
        Counts the extensions.
    history : tuple of str
        Fingerprints of the earlier versions, whose files this key also decodes.
    blind : bytes
        32 secret bytes that keep the fingerprint from confirming a guessed key.

    Notes
    -----
    **Guarantee.**  Two keys have the same fingerprint only when they encode alike (SHA-256).  On
    disk the key is encrypted with AES-256-GCM under an Argon2id key.  `repr` shows column names.

    **Reveals.**  Everything, to whoever has the key: it is one secret shared by all sites, so any
    one of them can read any other's encoded rows.

    **Does not protect** against frequency analysis of aliases, nor order and known-value attacks on
    graded columns, whose fractions tell the widths of all ranges: see `shoal.attacks` and
    ``shoal attack``.

    Examples
    --------
    >>> key = TransformKey.create(
    ...     {"age": GradedRanges.uniform(15, 90), "sex": AliasTable.random(["f", "m"], "sex")}
    ... )
    >>> key.version, list(key.columns)
    (1, ['age', 'sex'])
    """

    columns: Mapping[str, ColumnCode]
    version: int = 1
    history: tuple[str, ...] = ()
    blind: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    def __post_init__(self) -> None:
        if not self.columns:
            raise ParameterError("a key needs at least one column.")
        prefixes = [c.prefix for c in self.columns.values() if isinstance(c, AliasTable)]
        if len(set(prefixes)) < len(prefixes):
            raise ParameterError("two columns of the key have the same alias prefix.")
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))
        object.__setattr__(self, "history", tuple(self.history))

    def __repr__(self) -> str:
        names = ", ".join(repr(name) for name in self.columns)
        return (
            f"TransformKey(version={self.version}, fingerprint='{self.short}', columns=[{names}])"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (dict(self.columns), self.version, self.history, self.blind)

    @classmethod
    def create(cls, columns: Mapping[str, ColumnCode]) -> Self:
        """Make version 1 of a key."""
        return cls(columns)

    def extend(self, categories: Mapping[str, Iterable[Category]]) -> Self:
        """Next version, with more categories; every old alias stays as it was."""
        columns = dict(self.columns)
        for name, added in categories.items():
            table = columns.get(name)
            if not isinstance(table, AliasTable):
                raise SchemaError(f"column '{name}' has no alias table in this key.")
            columns[name] = table.extend(added)
        if columns == dict(self.columns):
            return self
        return replace(
            self,
            columns=columns,
            version=self.version + 1,
            history=(*self.history, self.fingerprint),
        )

    @cached_property
    def fingerprint(self) -> str:
        """What sites compare before they send anything; safe to publish."""
        return hashlib.sha256(b"shoal transform key\0" + self._content()).hexdigest()

    @property
    def short(self) -> str:
        """First 16 digits of the fingerprint, for people to read to one another."""
        return self.fingerprint[:16]

    def check_peer(self, fingerprint: str, peer: str = "the other site") -> None:
        """Raise unless a peer's fingerprint (or its first 16 digits or more) is this key's."""
        wanted = fingerprint.strip().lower()
        if len(wanted) < 16 or not self.fingerprint.startswith(wanted):
            raise ProtocolError(
                f"{peer} has a key with another fingerprint ({wanted[:16]} there, {self.short} "
                "here). Exchange the key again; nothing was written."
            )

    def reads(self, fingerprint: str) -> bool:
        """Whether rows encoded under `fingerprint` can be decoded with this key."""
        return fingerprint == self.fingerprint or fingerprint in self.history

    def save(self, path: PathText, passphrase: str, *, memory_kib: int = MEMORY_KIB) -> None:
        """Write the key, encrypted, readable by its owner only."""
        write_private(path, seal(self._content(), passphrase, memory_kib=memory_kib))

    @classmethod
    def load(cls, path: PathText, passphrase: str) -> Self:
        """Read a key that `save` wrote."""
        return cls._parse(unseal(read_private(path), passphrase))

    def to_dict(self) -> dict[str, Any]:
        """What may be shown of the key: version, fingerprint, columns and their kinds."""
        kinds = {
            name: "graded" if isinstance(code, GradedRanges) else "mapped"
            for name, code in self.columns.items()
        }
        return {"version": self.version, "fingerprint": self.fingerprint, "columns": kinds}

    def _content(self) -> bytes:
        content = {
            "version": self.version,
            "history": list(self.history),
            "blind": self.blind.hex(),
            "columns": [[name, code.to_dict()] for name, code in self.columns.items()],
        }
        return json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False).encode()

    @classmethod
    def _parse(cls, content: bytes) -> Self:
        try:
            data = from_json(content)
            columns = {name: _column(code) for name, code in data["columns"]}
            blind = bytes.fromhex(data["blind"])
            return cls(columns, data["version"], tuple(data["history"]), blind)
        except (ValueError, KeyError, TypeError) as error:
            raise KeyFileError(
                f"the key's content is not valid ({type(error).__name__})."
            ) from None


def _column(data: dict[str, Any]) -> ColumnCode:
    return GradedRanges.from_dict(data) if data["kind"] == "graded" else AliasTable.from_dict(data)
