"""The key of pseudonyms: whoever has it can make the token of any name."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field
from typing import Any, Self

from shoal._plain import from_json
from shoal.errors import KeyFileError
from shoal.federated._secret import MEMORY_KIB, read_private, seal, unseal, write_private
from shoal.tables._keyed import KEY_BYTES, fingerprint
from shoal.typing import PathText

_KIND = "pseudonym key"


@dataclass(frozen=True)
class PseudonymKey:
    """32 secret bytes, kept in a file that a passphrase opens.

    Parameters
    ----------
    secret : bytes
        Give it to ``RowOptions(key=...)``; it is not shown.

    Notes
    -----
    **Reveals.**  To whoever has the key, everything: names can be tried until their tokens match.
    To whoever has not, which rows belong to one person, and nothing about who it is.

    Examples
    --------
    >>> key = PseudonymKey.create()
    >>> len(key.secret), len(key.fingerprint)
    (32, 16)
    """

    secret: bytes = field(repr=False)

    @classmethod
    def create(cls) -> Self:
        """Draw a key."""
        return cls(secrets.token_bytes(KEY_BYTES))

    @property
    def fingerprint(self) -> str:
        """What may be shown of the key, to tell it from others."""
        return fingerprint(self.secret)

    def save(self, path: PathText, passphrase: str, *, memory_kib: int = MEMORY_KIB) -> None:
        """Write the key, encrypted, readable by its owner only."""
        content = json.dumps({"shoal": _KIND, "secret": self.secret.hex()}).encode()
        write_private(path, seal(content, passphrase, memory_kib=memory_kib))

    @classmethod
    def load(cls, path: PathText, passphrase: str) -> Self:
        """Read a key that `save` wrote."""
        content = unseal(read_private(path), passphrase)
        try:
            data = from_json(content)
            secret = bytes.fromhex(data["secret"]) if data["shoal"] == _KIND else b""
        except (ValueError, KeyError, TypeError):
            secret = b""
        if len(secret) != KEY_BYTES:
            raise KeyFileError(
                "this is a key of another kind. Make one of pseudonyms with `shoal site key "
                "pseudonyms --out FILE`."
            )
        return cls(secret)

    def to_dict(self) -> dict[str, Any]:
        """What may be shown."""
        return {"kind": _KIND, "fingerprint": self.fingerprint}
