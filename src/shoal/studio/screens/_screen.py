"""What a screen is: plain values to show, and actions with named fields.

A page renders what `show` returns, and the JSON routes hand the same out; forms and JSON bodies go
through the same fields into the same actions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from shoal.errors import ParameterError
from shoal.studio._desk import Desk
from shoal.studio._folders import Folders

Kind = Literal["text", "secret", "integer", "number", "flag", "texts"]
_LONGEST = 1_000_000
_TYPES: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "secret": {"type": "string", "format": "password"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
    "texts": {"type": "array", "items": {"type": "string"}},
}


@dataclass(frozen=True)
class Room:
    """Where an action happens: the project, and the folders that the user allowed."""

    desk: Desk
    folders: Folders


@dataclass(frozen=True)
class Field:
    """One field of an action.

    Parameters
    ----------
    kind : {"text", "secret", "integer", "number", "flag", "texts"}
        What is expected; a secret is taken as it is, blanks and all.
    summary : str
        What it is for.
    default : object
        Taken when it is not given; a field without one has to be given.
    """

    kind: Kind
    summary: str
    default: Any = ...

    @property
    def is_needed(self) -> bool:
        """Whether it has to be given."""
        return self.default is ...

    def schema(self) -> dict[str, Any]:
        """As OpenAPI describes it."""
        return _TYPES[self.kind] | {"description": self.summary}

    def read(self, name: str, given: Any) -> Any:
        """The value, of the kind that is expected."""
        if self.kind == "texts":
            many = given if isinstance(given, list) else [given]
            if all(map(_is_text, many)):
                return [one for one in many if one]
        elif isinstance(given, list) and len(given) == 1:
            return self.read(name, given[0])
        elif self.kind == "text" and _is_text(given):
            return given.strip()
        elif self.kind == "secret" and _is_text(given):
            return given
        elif self.kind == "flag" and (isinstance(given, bool) or given in ("on", "true", "false")):
            return given is True or given in ("on", "true")
        elif self.kind in ("integer", "number") and not isinstance(given, bool):
            return self._number(name, given)
        raise ParameterError(f"field {name!r} has to be a {self.kind}.")

    def _number(self, name: str, given: Any) -> Any:
        if given == "" and not self.is_needed:
            return self.default
        try:
            number = float(given)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(f"field {name!r} has to be a number.") from None
        if not math.isfinite(number) or abs(number) > 2**53:
            raise ParameterError(f"field {name!r} has to be a number of ordinary size.")
        if self.kind == "number":
            return number
        if number != int(number):
            raise ParameterError(f"field {name!r} has to be a whole number.")
        return int(number)


def _is_text(given: Any) -> bool:
    """Whether it is a text that a file can hold: JSON knows halves of signs, UTF-8 does not."""
    if not isinstance(given, str) or len(given) > _LONGEST:
        return False
    return not any("\ud800" <= sign <= "\udfff" for sign in given)


@dataclass(frozen=True)
class Action:
    """Something to be done on a screen."""

    summary: str
    run: Callable[[Room, dict[str, Any]], None]
    fields: Mapping[str, Field] = field(default_factory=dict)

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Values of the action's fields, each of its kind; other fields are ignored."""
        values = {}
        for name, one in self.fields.items():
            if name in given:
                values[name] = one.read(name, given[name])
            elif one.is_needed:
                raise ParameterError(f"field {name!r} is missing.")
            else:
                values[name] = one.default
        return values


@dataclass(frozen=True)
class Screen:
    """One screen.

    Parameters
    ----------
    name : str
        In addresses.
    summary : str
        For the description of the routes.
    show : callable
        What is to be seen, as plain values; `query` is what stands behind the question mark.
    actions : mapping of str to Action
        What can be done.
    live : tuple of str
        Changes after which the screen is shown anew.
    query : mapping of str to str
        What may stand behind the question mark, and what it is for.
    """

    name: str
    summary: str
    show: Callable[[Room, Mapping[str, str]], dict[str, Any]]
    actions: Mapping[str, Action] = field(default_factory=dict)
    live: tuple[str, ...] = ()
    query: Mapping[str, str] = field(default_factory=dict)
