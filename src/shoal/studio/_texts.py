"""Every text that people read, from one file, so that it can be translated."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "texts"


class Texts:
    """Texts by name: ``texts.columns.title``; a name that is not there is an error."""

    def __init__(self, table: dict[str, Any]) -> None:
        self._table = {
            name: Texts(entry) if isinstance(entry, dict) else entry
            for name, entry in table.items()
        }

    def __getattr__(self, name: str) -> Any:
        try:
            return self._table[name]
        except KeyError:
            raise AttributeError(f"there is no text {name!r}") from None

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def get(self, name: str, default: str = "") -> str:
        """A text that may be absent."""
        return str(self._table.get(name, default))


@cache
def load_texts(language: str = "en") -> Texts:
    """The texts of a language."""
    return Texts(tomllib.loads((_FOLDER / f"{language}.toml").read_text("utf-8")))
