"""What was worked out before, kept in the scratch folder: it may be removed at any time.

It is sealed with a secret of the user's.  Verdicts on releases are among it, and a project may come
from somebody else: what their studio found, or what they wrote by hand, is not taken for ours.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from shoal._atomic import atomic_path
from shoal._plain import from_json
from shoal.errors import ShoalError
from shoal.studio._recent import recent_file

_KEY_BYTES = 32


def remember(scratch: Path, name: str, data: dict[str, Any]) -> None:
    """Keep plain values under a name, for their owner only; where that fails, nothing is kept."""
    try:
        with atomic_path(scratch / f"{name}.json", private=True) as draft:
            draft.write_text(json.dumps({"seal": _seal(name, data), "data": data}), "utf-8")
    except (OSError, ShoalError):
        return


def recall(scratch: Path, name: str) -> dict[str, Any]:
    """What was kept under a name; nothing when it is gone, damaged, or of another's studio."""
    try:
        kept = from_json((scratch / f"{name}.json").read_text("utf-8"))
        data, seal = kept["data"], str(kept["seal"]).encode("utf-8", "replace")
        is_ours = hmac.compare_digest(seal, _seal(name, data).encode())
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return data if is_ours and isinstance(data, dict) else {}


def _seal(name: str, data: Any) -> str:
    text = f"{name}\0{json.dumps(data)}".encode("utf-8", "replace")
    return hmac.new(
        _secret(recent_file().with_name("studio.key")), text, hashlib.sha256
    ).hexdigest()


@lru_cache(maxsize=8)
def _secret(path: Path) -> bytes:
    """The user's own; where it can be neither read nor written, one that this process forgets."""
    drawn = secrets.token_bytes(_KEY_BYTES)
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(drawn)
        kept = path.read_bytes()
        if len(kept) == _KEY_BYTES:
            return kept
    return drawn
