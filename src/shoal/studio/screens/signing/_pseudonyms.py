"""The key of pseudonyms and shifted dates on the screen Sign: made, chosen, opened for one use."""

from __future__ import annotations

from typing import Any

from shoal.errors import ParameterError
from shoal.studio._desk import Desk
from shoal.studio.screens._screen import Action, Field, Room

KEYS, KEY_NAME = "keys", "pseudonyms.key"


def show_key(desk: Desk) -> dict[str, Any]:
    """Whether a key is needed, and which one there is."""
    return {
        "keyed": is_keyed(desk),
        "key": desk.project.settings.key or _own_key(desk),
        "making_key": desk.running("key") is not None,
        "key_failed": (desk.results.get("key") or {}).get("error", ""),
    }


def is_keyed(desk: Desk) -> bool:
    """Whether a release needs a secret key: for tokens, or for dates that are moved."""
    schema = desk.project.schema
    return schema is not None and (schema.pseudonym is not None or bool(schema.shifted))


def _own_key(desk: Desk) -> str:
    """The key that was made for this project, if there is one."""
    path = desk.project.folder / KEYS / KEY_NAME
    return str(path) if path.is_file() else ""


def _make_key(room: Room, given: dict[str, Any]) -> None:
    """Make a key for pseudonyms and shifted dates in the project's folder."""
    desk = room.desk
    if given["passphrase"] != given["again"]:
        raise ParameterError("the passphrases differ. Type the same one twice.")
    if not given["passphrase"]:
        raise ParameterError("the passphrase is empty. Give one that is hard to guess.")
    if desk.running("key"):
        raise ParameterError("a key is being made already, with the passphrase given there.")
    if _own_key(desk):
        raise ParameterError(f"this project has a key already: {KEYS}/{KEY_NAME}.")
    desk.results.pop("key", None)
    path = str(desk.project.folder / KEYS / KEY_NAME)
    desk.start("key", {"key": path, "passphrase": given["passphrase"]}, "key")
    desk.project.note(f"asked for a key for pseudonyms, {KEYS}/{KEY_NAME}")


def key_args(room: Room, given: dict[str, Any]) -> dict[str, Any]:
    """Key and passphrase for the worker; the path is kept, the passphrase is not."""
    if not is_keyed(room.desk):
        return {}
    if not given["key"]:
        raise ParameterError("choose the key for pseudonyms and shifted dates, or make one.")
    path = room.folders.resolve(given["key"], base=room.desk.project.folder)
    room.desk.project.set(key=str(path))
    return {"key": str(path), "passphrase": given["passphrase"]}


MAKE_KEY = Action(
    "Make a key for pseudonyms and shifted dates.",
    _make_key,
    {
        "passphrase": Field("secret", "It opens the key; nobody can find it again."),
        "again": Field("secret", "The same."),
    },
)
