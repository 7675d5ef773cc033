"""Which column says whose a row is: the person behind several rows, or the household."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from shoal.discover._ratios import distinct_ratio
from shoal.discover.columns._decide import Decision
from shoal.discover.columns._facts import Facts
from shoal.schema import Column
from shoal.schema._column import Role
from shoal.schema._text import text
from shoal.tables._engine import Engine

_LEAST_PEOPLE = 20
_CHANCE = 20
"""Rows more than values from which agreeing on the sex is no chance: one in a million."""

_PERHAPS = "its values repeat: make it the subject if it names the person behind a row"
_AT_HOME = (
    'to hide whole families, give it the role "household" and the subject the role "identifier"'
)

Columns = dict[str, Column]
Reasons = dict[str, tuple[str, ...]]


def choose_subject(
    engine: Engine,
    facts: list[Facts],
    decisions: Mapping[str, Decision],
    columns: Columns,
    reasons: Reasons,
) -> None:
    """Take one column for the person behind a row, or for the household, and say so.

    The likeliest of the identifiers whose values repeat; else a column whose rows agree on
    everybody's sex or date of birth; else one that numbers households.
    """
    repeated = [
        f
        for f in facts
        if columns[f.name].role == "identifier"
        and f.repeats
        and decisions[f.name].person < 9
        and not (f.missing and _only_misses_repeat(engine, f.name))
    ]
    likely = [f for f in repeated if decisions[f.name].person <= 4]
    likely.sort(key=lambda f: (decisions[f.name].person, f.n_distinct))
    if likely:
        _take(likely[0], "subject", columns)
        reasons[likely[0].name] += ("its values repeat: taken for the person behind several rows",)
    elif (alike := _agreeing(engine, facts, decisions)) is not None:
        number, trait = alike
        _take(number, "subject", columns)
        reasons[number.name] = (
            reasons[number.name][0],
            f"its values repeat, and rows that share one agree on {trait.name!r}: taken for the "
            "person behind several rows",
        )
    else:
        for fact in [f for f in repeated if decisions[f.name].household][:1]:
            _take(fact, "household", columns)
            reasons[fact.name] += ("its values repeat: taken for the household of each row",)
    for fact in repeated:
        if columns[fact.name].role == "identifier":
            reasons[fact.name] += (_AT_HOME if decisions[fact.name].household else _PERHAPS,)


def _take(fact: Facts, role: Role, columns: Columns) -> None:
    columns[fact.name] = replace(columns[fact.name], role=role, hierarchy=None)


def _agreeing(
    engine: Engine, facts: list[Facts], decisions: Mapping[str, Decision]
) -> tuple[Facts, Facts] | None:
    """A column of numbers or words that is likely a person's, and what its rows agree on."""
    traits = [f for f in facts if _is_trait(f, decisions[f.name])]
    numbers = [f for f in facts if _may_number(f, decisions[f.name])]
    for number in sorted(numbers, key=lambda f: -f.n_distinct):
        for trait in traits:
            if trait.n_distinct >= number.n_distinct:
                continue
            pairs = distinct_ratio(engine, [number.name, trait.name]) * engine.n_rows
            if round(pairs) == number.n_distinct:
                return number, trait
    return None


def _is_trait(fact: Facts, decision: Decision) -> bool:
    what = decision.hint.what if decision.hint is not None else ""
    return what in ("a sex", "a date of birth") and fact.n_distinct >= 2 and not fact.missing


def _may_number(fact: Facts, decision: Decision) -> bool:
    """Whether a column that nothing else explains could number people who have several rows."""
    # numbers such as K001 look like diagnoses
    unclear = decision.found is None or decision.found.ready == "icd10"
    silent = unclear and (decision.hint is None or decision.role == "identifier")
    spare = fact.n_rows - fact.n_distinct
    return (
        silent
        and fact.sort in ("number", "text")
        and not (fact.fractional or fact.missing or decision.household)
        and fact.repeats
        and fact.n_distinct >= _LEAST_PEOPLE
        and spare >= max(_CHANCE, fact.n_rows / 4)
        and fact.words_each < 2
    )


def _only_misses_repeat(engine: Engine, name: str) -> bool:
    """Whether every value of a column stands in one row, and only nothing in several."""
    column = engine.view([name], {})
    sizes, n_groups = column.group_sizes()
    if n_groups[sizes > 1].sum() > 2:  # no value and blanks are two
        return False
    counted = Counter(text(value) for value in column.columns()[name].tolist())
    return all(n == 1 for said, n in counted.items() if said is not None and said.strip())
