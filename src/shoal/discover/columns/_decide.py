"""Which role a column gets, and why: its values first, then its name, then its counts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from shoal.discover.columns._facts import MOST_DISTINCT, Facts
from shoal.discover.columns._forms import Found, recognize
from shoal.discover.columns._names import (
    NameHint,
    is_household,
    is_only_about,
    is_plain_number,
    is_shared,
    name_of_people,
    names_a_person,
    other_meaning,
    speaks_of_amounts,
    speaks_of_text,
)
from shoal.schema._column import Role

_NEARLY_UNIQUE = 0.5
_NEARLY_ALL = 0.9
_SPAN_OF_MEASURES = 200
_MANY_NUMBERS = 0.1
_FEW = 12
_SHORT_LABEL = 4
_MANY_CHILDREN = 30
_BY_COUNTS = 7

Verdict = tuple[Role, str]

WARNING = "whoever knows the exact value finds the row, so never call it insensitive"
"""What is said of numbers that single people out."""


@dataclass(frozen=True)
class Decision:
    """What a column is taken for.

    Parameters
    ----------
    role : str
        Its role.
    reasons : tuple of str
        Why; counts and words, no values.
    found : Found or None
        What its values look like.
    hint : NameHint or None
        What its name says.
    warning : str
        What whoever signs the schema should think about; empty if there is nothing.
    person : int
        How likely it names the person behind a row, 0 likeliest; 9 for columns that do not.
    household : bool
        Whether it numbers households.
    """

    role: Role
    reasons: tuple[str, ...]
    found: Found | None = None
    hint: NameHint | None = None
    warning: str = ""
    person: int = 9
    household: bool = False

    @property
    def surely_left_out(self) -> bool:
        """Whether values or name say that it is left out, not counts, which may change."""
        return self.role == "identifier" and self.person != _BY_COUNTS


def decide(facts: Facts) -> Decision:
    """The role of a column; where its name is a code (`v101`), its label in the file speaks."""
    by_name = _decide(facts)
    if not facts.title:
        return by_name
    told = (f"its label in the file: {facts.title}",)
    if name_of_people(facts.name) is None and other_meaning(facts.name) is None:
        by_label = _decide(replace(facts, name=f"{facts.name} {facts.title}"))
        # a long sentence that speaks of an illness, too, is no reason to release values as they are
        if by_label.role != "sensitive" or len(facts.title.split()) <= _SHORT_LABEL:
            reasons = (why.replace("its name says", "it says") for why in by_label.reasons)
            return replace(by_label, reasons=(*reasons, *told))
    return replace(by_name, reasons=(*by_name.reasons, *told))


def _decide(facts: Facts) -> Decision:
    recognized = recognize(facts)
    people = _believed(facts, name_of_people(facts.name))
    other = other_meaning(facts.name)
    if (
        recognized is not None
        and recognized.role == "identifier"
        and not _explained(recognized, other, facts)
    ):
        why = f"its values look like {recognized.what}: they name people, so it is left out"
        return Decision(
            "identifier", (why,), recognized, people, person=_rank(facts, recognized, people)
        )
    if people is not None and not (is_plain_number(people.what) and _tells_more(other, people)):
        why = f"its name says that it holds {people.what}: it is left out"
        rank, home = _rank(facts, recognized, people), is_household(people.what)
        return Decision("identifier", (why,), recognized, people, person=rank, household=home)
    if _is_free_text(facts):
        return Decision("identifier", (FREE_TEXT,), recognized, other, warning=FREE_TEXT_WARNING)
    # a value or nothing, like a box that is ticked, makes two kinds of people
    if facts.n_distinct <= 1 and not (facts.n_distinct and facts.missing):
        held = "one value only" if facts.n_distinct else "no values at all"
        return Decision("insensitive", (f"{held}: it tells nobody apart",), recognized, other)
    if recognized is not None:
        return _with_warning(
            facts, recognized.role, f"its values look like {recognized.what}", recognized, other
        )
    if other is not None:
        return _by_name(facts, other)
    return _by_counts(facts)


FREE_TEXT = (
    "free text, in which names and illnesses hide: it is left out. Take what recipients need into "
    "columns of its own (a code, a yes or no)"
)
FREE_TEXT_WARNING = "free text cannot be made safe by coarsening and is left out"


def _believed(facts: Facts, hint: NameHint | None) -> NameHint | None:
    """The hint of a name, unless the column is only about such a thing or cannot be one."""
    if hint is None:
        return None
    few = facts.n_rows >= 50 and facts.n_distinct <= _FEW and facts.ratio <= 0.2
    sure = is_shared(hint.what) and hint.what.endswith("name")
    if few and (is_only_about(facts.name) or not sure):
        return None
    if facts.sort == "boolean" or (facts.fractional and is_plain_number(hint.what)):
        return None
    return hint


def _explained(recognized: Found, other: NameHint | None, facts: Facts) -> bool:
    """Whether a name tells what values that look like people's names are: towns, firms."""
    named = recognized.what == "names of people" and other is not None
    return named and facts.ratio < _NEARLY_UNIQUE


def _tells_more(other: NameHint | None, people: NameHint) -> bool:
    return other is not None and other.length > people.length


def _rank(facts: Facts, recognized: Found | None, people: NameHint | None) -> int:
    if names_a_person(facts.name):
        return 0
    if recognized is not None and recognized.what.startswith("numbers of people"):
        return 1
    if people is not None and is_household(people.what):
        return 5
    if people is not None and not is_shared(people.what):
        return 2 if people.what == "an official number" else 3
    if recognized is not None and recognized.what.startswith(("e-mail", "UUIDs")):
        return 4
    return 8


def _is_free_text(facts: Facts) -> bool:
    if facts.sort != "text" or facts.n_distinct < 3:
        return False
    if speaks_of_text(facts.name) and max(len(t.split()) for t in facts.texts) >= 5:
        return True  # however few there are: most rows may have nothing to remark
    varied = facts.ratio >= 0.3 or facts.n_distinct >= (10 if facts.missing else 100)
    return varied and (facts.words_each >= 6 or facts.signs_each >= 60)


def _by_name(facts: Facts, hint: NameHint) -> Decision:
    why = f"its name says that it holds {hint.what}"
    text_of_all = facts.sort == "text" and facts.n_rows >= 20 and facts.all_differ
    if text_of_all and hint.role == "quasi-identifier":
        return _by_counts(facts, hint)
    numbered = facts.n_distinct > _MANY_CHILDREN and not facts.fractional
    if hint.what == "a household" and numbered and facts.repeats:  # no size of a family
        why = "its name speaks of households and it has too many values for a size: it is left out"
        return Decision("identifier", (why,), None, hint, person=5, household=True)
    # of an operation or a death others know the day; and Ingreso is an admission, not an income
    if facts.sort == "date" and hint.role == "sensitive":
        return _by_counts(facts)
    return _with_warning(facts, hint.role, why, None, hint)


def _with_warning(
    facts: Facts, role: Role, why: str, recognized: Found | None, hint: NameHint | None
) -> Decision:
    """The decision, with a warning where a sensitive number is its own key."""
    if role != "sensitive":
        return Decision(role, (f"{why}: others may know it, so it is coarsened",), recognized, hint)
    reasons = [f"{why}: nobody may link it to a person"]
    warning = ""
    if facts.n_rows >= 20 and facts.n_distinct > 20 and facts.ratio >= _MANY_NUMBERS:
        warning = (
            f"{facts.n_distinct:,} different values: it is released as it is, and whoever knows "
            'one (who pays it, who measured it) finds the row. Make it a "quasi-identifier" if '
            "somebody outside may know it"
        )
        reasons.append(warning)
    return Decision("sensitive", tuple(reasons), recognized, hint, warning)


def _by_counts(facts: Facts, hint: NameHint | None = None) -> Decision:
    """Decide by how far the column tells rows apart, when neither values nor name do."""
    if facts.sort == "number" and (facts.fractional or speaks_of_amounts(facts.name)):
        return _number(facts, hint)
    if facts.n_rows >= 20 and facts.all_differ and facts.sort != "date":
        why = "every row has its own value: it names people, so it is left out"
        return Decision("identifier", (why,), None, hint, person=_BY_COUNTS)
    many = facts.n_rows >= 50 and facts.ratio >= _NEARLY_UNIQUE and facts.sort != "date"
    if many and not _is_measure(facts):
        why = "it has half as many values as rows, or more, as names have: it is left out"
        return Decision("identifier", (why,), None, hint, person=_BY_COUNTS)
    if facts.sort == "number":
        return _number(facts, hint)
    why = "others may know it: when in doubt, it is coarsened"
    return Decision("quasi-identifier", (why,), None, hint)


def _is_measure(facts: Facts) -> bool:
    """Whether whole numbers lie close together with gaps, as ages do in a small table.

    Numbers of people are far apart, or have no gaps.
    """
    if facts.sort != "number" or facts.ratio >= _NEARLY_ALL:
        return False
    numbers = [float(value) for value in facts.values]
    span = max(numbers) - min(numbers) + 1
    return facts.n_distinct < span <= _SPAN_OF_MEASURES


def _number(facts: Facts, hint: NameHint | None) -> Decision:
    singles_out = facts.n_distinct > 20 and facts.ratio >= _MANY_NUMBERS
    if not singles_out and facts.n_distinct < MOST_DISTINCT:
        why = "others may know it: when in doubt, it is coarsened"
        return Decision("quasi-identifier", (why,), None, hint)
    share = "nearly every row has its own" if facts.ratio >= _NEARLY_ALL else "few rows share one"
    why = (
        f"a number, and {share}: {WARNING}; it is coarsened. Make it sensitive only if nobody "
        "outside can know it (who pays a bill knows its amount), or leave it out"
    )
    warning = f"{facts.n_distinct:,} different numbers, and {share}: {WARNING}"
    return Decision("quasi-identifier", (why,), None, hint, warning)
