"""What the name of a column says about it, in eight languages."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from shoal.discover.columns import _words
from shoal.schema._column import Role

_LETTERS = str.maketrans({"ß": "ss", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE"})
_NAME, _NUMBER = "a person's name", "a number of a person, case or record"
_HOUSEHOLD = "a number of a household"
_SHARED = (_NAME, "a postal address", "an account on the net")
# number first where languages put it first, else last: `num_children` counts, `case num` names
_NUMBERED = re.compile(
    r"^(numero|numer|nr) .+|.+ (number|no|num|numero|numer|nr)$|^(nr|no|number|num|numero|nummer)$"
    r"|^\w{3,}nr$"
)
_OF_SOMETHING = re.compile(r"\b(number|numero|anzahl|nombre|n) (of|de|di|d|des)\b")


class NameHint(NamedTuple):
    """A role suggested by a column's name, what the column is, and the length of the match."""

    role: Role
    what: str
    length: int


def words_of(name: str) -> str:
    """The words of a name, small and without accents, one blank between them.

    Examples
    --------
    >>> words_of("PatientenNr"), words_of("code_postal"), words_of("Größe 2")
    ('patienten nr', 'code postal', 'grosse')
    """
    plain = unicodedata.normalize("NFKD", name.translate(_LETTERS))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = re.sub(r"([a-z])([A-Z])", r"\1 \2", plain)
    plain = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", plain)
    return " ".join(re.findall(r"[a-z]+", plain.lower()))


def name_of_people(name: str) -> NameHint | None:
    """What names people, by the column's name: `Nachname`, `codice_fiscale`, `patient_id`.

    Examples
    --------
    >>> name_of_people("codice_fiscale").what
    'an official number'
    >>> name_of_people("hospital_name") is name_of_people("age") is None
    True
    """
    words = words_of(name)
    hint = _longest(words, "identifier", _words.IDENTIFIERS)
    if hint is None and _NUMBERED.search(words) and not _OF_SOMETHING.search(words):
        hint = NameHint("identifier", _NUMBER, 2)
    if hint is None and names_a_person(name):
        hint = NameHint("identifier", _NUMBER, len(words))
    of_a_thing = _has(words, _words.THINGS) and not _has(words, _words.PERSONS)
    if hint is not None and hint.what in (_NAME, _NUMBER) and of_a_thing:
        return None
    return hint


def other_meaning(name: str) -> NameHint | None:
    """What is sensitive or known to others, by the column's name.

    Examples
    --------
    >>> other_meaning("Geburtsdatum").what, other_meaning("x17")
    ('a date of birth', None)
    """
    words = words_of(name)
    hints = [
        _longest(words, "sensitive", _words.SENSITIVE),
        _longest(words, "quasi-identifier", _words.QUASI),
    ]
    # of two words the longer one tells more
    return max((h for h in hints if h is not None), key=lambda h: h.length, default=None)


def names_a_person(name: str) -> bool:
    """Whether the name speaks of the number of a person: `patient_id`, `Kundennummer`."""
    words = words_of(name)
    people, numbers = _pattern(_words.PERSONS), _pattern(_words.NUMBERING)
    bare = rf"^(?:\w+ )*?(?:{people})(?: (?:{numbers}))?$"
    joined = rf"\b(?:{people})(?:nummer|nr|id|kennung|number|numer)\b"
    before = rf"^(?:{numbers}|nr|numer) (?:\w{{1,3}} )*(?:{people})$"
    return any(re.search(form, words) is not None for form in (bare, joined, before))


def is_shared(what: str) -> bool:
    """Whether different people may share an identifier of this kind: names, addresses, logins."""
    return what in _SHARED


def is_plain_number(what: str) -> bool:
    """Whether the name says no more than that it is some number or key."""
    return what in (_NUMBER, _HOUSEHOLD)


def is_household(what: str) -> bool:
    """Whether the name says that it numbers households."""
    return what == _HOUSEHOLD


def speaks_of_amounts(name: str) -> bool:
    """Whether the name is of money paid."""
    return _has(words_of(name), _words.AMOUNTS)


def speaks_of_text(name: str) -> bool:
    """Whether the name is of what somebody wrote."""
    return _has(words_of(name), _words.FREE_TEXT)


def is_only_about(name: str) -> bool:
    """Whether the column is about a thing (`phone_type`, `has_email`) rather than the thing."""
    return _has(words_of(name), _words.NOT_ITSELF)


def _longest(words: str, role: Role, lists: dict[str, str]) -> NameHint | None:
    """The entry with the longest match; the first of several."""
    best: NameHint | None = None
    for what, text in lists.items():
        length = max((len(m[0]) for m in _compiled(text).finditer(words)), default=0)
        if length > (best.length if best else 0):
            best = NameHint(role, what, length)
    return best


def _has(words: str, text: str) -> bool:
    return _compiled(text).search(words) is not None


@cache
def _compiled(text: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_pattern(text)})\b")


@cache
def _pattern(text: str) -> str:
    parts = [word.replace("_", " ").replace("*", r"\w*") for word in text.split()]
    return "|".join(sorted(parts, key=len, reverse=True))
