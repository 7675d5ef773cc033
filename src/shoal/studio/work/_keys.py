"""Keys of pseudonyms and shifted dates: made, opened with a passphrase, and never kept open."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from shoal._atomic import refuse_existing
from shoal.errors import ParameterError
from shoal.schema import Schema
from shoal.studio.work._bench import Args, Bench
from shoal.studio.work._registered import task
from shoal.tables._keyed import KEY_BYTES
from shoal.typing import Progress


def is_keyed(schema: Schema) -> bool:
    """Whether a release of this schema needs a secret key."""
    return schema.pseudonym is not None or bool(schema.shifted)


def passing_key(schema: Schema) -> bytes | None:
    """A key for a draft, which nobody gets: tokens of drafts are no tokens of releases."""
    return os.urandom(KEY_BYTES) if is_keyed(schema) else None


def open_key(args: Args, schema: Schema) -> bytes | None:
    """The key of a release, opened with the passphrase that somebody just gave."""
    if not is_keyed(schema):
        return None
    from shoal.federated import PseudonymKey  # noqa: PLC0415  for such schemas alone

    if not args.get("key"):
        raise ParameterError("choose the key for pseudonyms and shifted dates, or make one.")
    return PseudonymKey.load(args["key"], args.get("passphrase", "")).secret


@task("key")
def make_key(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """Draw a key and write it, encrypted, for its owner alone."""
    from shoal.federated import PseudonymKey  # noqa: PLC0415  for such schemas alone

    progress(0, 0, "making a key")
    path = Path(args["key"])
    refuse_existing([path], force=False)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    key = PseudonymKey.create()
    key.save(path, args["passphrase"])
    return {"key": str(path), "fingerprint": key.fingerprint}
