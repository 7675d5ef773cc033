"""Which promises a release breaks: the one function that tests and the fuzzer ask."""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb
from pathlib import Path

from tests.judge.forms import between, broken_means, is_exact, stand_for
from tests.judge.labels import Fact, covers
from tests.judge.models import MODELS
from tests.judge.values import plain, said_by, says
from tests.judge.written import Written, read

_ENDS = ("min", "max", "mean")


@dataclass
class Claim:
    """What was promised, and of which table.

    `columns` holds the table's values, `facts` what is public of each column, `models` the privacy
    models as plain values, `population` the rows of everybody for delta-presence, `form` how
    numbers and dates among the quasi-identifiers are written.
    """

    columns: dict
    facts: dict[str, Fact]
    models: list[dict]
    suppressed: int = 0
    keep_suppressed: bool = False
    ranges: tuple = ()
    guessed: bool = False
    population: dict = field(default_factory=dict)
    form: str = "labels"

    @cached_property
    def source(self):
        """The table's values as what they mean."""
        return {name: list(map(plain, values)) for name, values in self.columns.items()}

    def having(self, *roles):
        return [name for name, fact in self.facts.items() if fact.role in roles]


def judge(released, claim, published=()):
    """Broken promises of a release, as sentences; none when it keeps them all.

    `released` is the path of a file or a table in memory, `published` every file that goes out
    with it.
    """
    written = read(released)
    broken = [f"written besides the cells: {what}" for what in written.besides]
    broken += _columns(written, claim)
    if broken:
        return broken
    table = {name: [row[i] for row in written.rows] for i, name in enumerate(written.names)}
    broken += _one_text_per_value(table, claim)
    candidates = _candidates(table, len(written.rows), claim)
    source_of, is_forced = _matching(candidates), all(len(rows) == 1 for rows in candidates)
    if source_of is None:
        return [*broken, "rows or labels that are not true of any row of the table"]
    n_rows = len(next(iter(claim.columns.values())))
    expected = n_rows - (0 if claim.keep_suppressed else claim.suppressed)
    if len(written.rows) != expected:
        broken.append(f"{len(written.rows)} rows where {expected} were claimed")
    if claim.form != "draws":  # rows that look alike cannot be seen in draws
        broken += _models(table, source_of, claim)
        if is_forced or claim.form in ("labels", "intervals"):  # else nobody knows whose they are
            broken += _ranges(table, candidates, claim)
    groups = _groups(table, claim)
    broken += broken_means(groups, table, source_of if is_forced else None, claim)
    return broken + leaks(written, published, claim)


def _columns(written: Written, claim):
    out = claim.having("sensitive", "insensitive")
    for name in claim.having("quasi-identifier"):
        out += stand_for(name, written.names, claim)
    added = [f"{name}_{end}" for name in claim.ranges for end in _ENDS]
    if sorted(written.names) != sorted([*out, *added]):
        return [f"columns are {written.names}, and may be {[*out, *added]}"]
    return []


def _one_text_per_value(table, claim):
    """Equal values are written alike, so that no cell tells how its value was stored."""
    broken = []
    for name in claim.having("sensitive", "insensitive"):
        texts, known = defaultdict(set), dict.fromkeys(claim.source[name])
        for raw, text in set(table[name]):
            texts[_meaning(text, known, claim.guessed)].add(raw)
        split = [sorted(raw) for raw in texts.values() if len(raw) > 1]
        broken += [f"{name!r}: {raw} are one value" for raw in split]
    return broken


def _meaning(text, known, guessed):
    """The value of the table that a text says; the text itself where a CSV file only guesses."""
    if text is None or guessed:
        return text
    return next((value for value in said_by(text) if value in known), text)


def _candidates(table, n_written, claim):
    """For each written row, the rows of the table of which all its cells are true."""
    source = claim.source
    n_rows = len(next(iter(source.values())))
    candidates = [set(range(n_rows)) for _ in range(n_written)]
    for name, cells in table.items():
        if name not in claim.facts or not is_exact(name, claim):
            continue
        true_of = _true_rows(cells, source[name], claim.facts[name], claim.guessed)
        for row, cell in enumerate(cells):
            candidates[row] &= true_of[cell]
    for name in claim.having("quasi-identifier"):
        ends = stand_for(name, table, claim)
        if len(ends) == 2:
            _keep_between(candidates, *(table[end] for end in ends), source[name], claim.guessed)
    return candidates


def _keep_between(candidates, lows, highs, values, guessed):
    for row, rows in enumerate(candidates):
        low, high = lows[row][1], highs[row][1]
        rows &= {at for at in rows if between(low, high, values[at], guessed=guessed)}


def _true_rows(cells, values, fact, guessed):
    rows_of = defaultdict(set)
    for row, value in enumerate(values):
        rows_of[value].add(row)
    if fact.role == "quasi-identifier":
        return {
            cell: _joined(rows_of, _covered(cell[1], rows_of, fact, guessed)) for cell in set(cells)
        }
    if guessed:
        return {
            cell: _joined(rows_of, (v for v in rows_of if says(cell[1], v, guessed=True)))
            for cell in set(cells)
        }
    return {cell: _joined(rows_of, filter(rows_of.get, said_by(cell[1]))) for cell in set(cells)}


def _covered(text, values, fact, guessed):
    return (value for value in values if covers(text, value, fact, guessed=guessed))


def _joined(rows_of, values):
    return set().union(*(rows_of[value] for value in values))


def _matching(candidates):
    """A row of the table for each written row, no row twice; None where there is no such way."""
    found = _largest_matching(dict(enumerate(candidates)))
    return [found[row] for row in sorted(found)] if len(found) == len(candidates) else None


def _largest_matching(candidates):
    """Rows of the table for as many written rows as can be, no row twice.

    By Kuhn's augmenting paths.
    """
    owner = {}

    def assign(row, seen):
        for source in candidates[row]:
            if source not in seen:
                seen.add(source)
                if source not in owner or assign(owner[source], seen):
                    owner[source] = row
                    return True
        return False

    # the free ones first, so that paths stay short
    for row, sources in candidates.items():
        free = next((source for source in sources if source not in owner), None)
        if free is not None:
            owner[free] = row
        else:
            assign(row, set())
    return {row: source for source, row in owner.items()}


def _groups(table, claim, names=None):
    groups = defaultdict(list)
    names = claim.having("quasi-identifier") if names is None else names
    names = [column for name in names for column in stand_for(name, table, claim)]
    n_rows = len(next(iter(table.values()), ()))
    for row in range(n_rows):
        groups[tuple(table[name][row][0] for name in names)].append(row)
    return groups


def _models(table, source_of, claim):
    groups, broken = _groups(table, claim), []
    for model in _flat(claim.models):
        if model["model"] in _WHOLE:
            sizes = [(_people(rows, source_of, claim), rows) for rows in groups.values()]
            if not _WHOLE[model["model"]](sizes, model, table, claim):
                broken.append(f"{model} does not hold of the whole table")
            continue
        if model["model"] in _COLUMN_SETS:
            broken += _of_columns(model, table, source_of, claim)
            continue
        judges = _GROUPS.get(model["model"], _sensitive)
        failing = [
            key for key, rows in groups.items() if not judges(rows, model, table, source_of, claim)
        ]
        if failing:
            broken.append(f"{model} does not hold in {len(failing)} groups, such as {failing[0]}")
    return broken


def _of_columns(model, table, source_of, claim):
    """What is asked of rows that agree on some columns, set after set, small ones too."""
    broken = []
    for names, asked in _COLUMN_SETS[model["model"]](model, claim):
        groups = _groups(table, claim, names).values()
        for one in _flat([asked]):
            judges = _GROUPS.get(one["model"], _sensitive)
            if not all(judges(rows, one, table, source_of, claim) for rows in groups):
                broken.append(f"{one} does not hold by {names}")
    return broken


def _required(model, claim):
    yield model["columns"], model["asked"]


def _few(model, claim):
    names, c = claim.having("quasi-identifier"), model.get("c", 1)
    for size in range(1, min(model["l"], len(names)) + 1):
        for chosen in combinations(names, size):
            yield chosen, {"model": "KAnonymity", "k": model["k"]}
            if c < 1:
                share = {"model": "AlphaKAnonymity", "alpha": c, "k": 1}
                yield chosen, share | {"column": model.get("column")}


_COLUMN_SETS = {"Requirement": _required, "LKCPrivacy": _few}


def _flat(models):
    for model in models:
        yield from _flat(model["models"]) if "models" in model else (model,)


def _people(rows, source_of, claim):
    """People behind rows: distinct subjects or households where the table names them, else rows."""
    names = claim.having("subject", "household")
    if not names:
        return len(rows)
    return len({claim.source[names[0]][source_of[row]] for row in rows})


def _large(rows, model, table, source_of, claim):
    return _people(rows, source_of, claim) >= model["k"]


def _sensitive(rows, model, table, source_of, claim):
    names = [model["column"]] if model.get("column") else claim.having("sensitive")
    return _people(rows, source_of, claim) >= model.get("k", 1) and all(
        MODELS[model["model"]](
            [table[name][row] for row in rows], table[name], model, claim.facts[name]
        )
        for name in names
    )


def _presence(rows, model, table, source_of, claim):
    n_people = _fitting(rows, table, claim)
    return len(rows) <= Fraction(model["high"]) * n_people + Fraction(1, 10**8)


def _fitting(rows, table, claim):
    """People of the population of whom all labels of a group are true."""
    names = claim.having("quasi-identifier")
    people = {name: list(map(plain, claim.population[name])) for name in names}
    return sum(
        all(covers(table[n][rows[0]][1], people[n][i], claim.facts[n]) for n in names)
        for i in range(len(people[names[0]]))
    )


def _mapped(rows, model, table, source_of, claim):
    if model.get("fraction") is None:
        return _fitting(rows, table, claim) >= model["k"]
    # fewer than k people show as many rows with a chance of at most the significance
    n, p, least = model["k"] - 1, Fraction(model["fraction"]), _people(rows, source_of, claim)
    tail = sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(least, n + 1))
    return tail <= Fraction(model.get("significance", 0.05)) + Fraction(1, 10**8)


def _risks(sizes, model, table, claim):
    """Risk of every row, and how many rows have it."""
    for size, rows in sizes:
        if model.get("fraction") is not None:
            yield Fraction(model["fraction"]) / size, size
        elif model.get("attacker", "prosecutor") != "prosecutor":
            yield Fraction(1, _fitting(rows, table, claim)), size
        else:
            yield Fraction(1, size), size


def _average(sizes, model, table, claim):
    risks = list(_risks(sizes, model, table, claim))
    total = sum(risk * size for risk, size in risks)
    most = Fraction(model["risk"]) + Fraction(1, 10**8)
    return total <= most * sum(size for _, size in risks)


def _guesses(sizes, model, table, claim):
    total = sum(risk * size for risk, size in _risks(sizes, model, table, claim))
    return total <= Fraction(model["guesses"]) + Fraction(1, 10**6)


def _at_risk(sizes, model, table, claim):
    risks = list(_risks(sizes, model, table, claim))
    above = sum(n for risk, n in risks if risk > Fraction(model["threshold"]) + Fraction(1, 10**8))
    return above <= (Fraction(model["share"]) + Fraction(1, 10**8)) * sum(n for _, n in risks)


def _alone(sizes, model, table, claim):
    alone = sum(n == 1 for n, _ in sizes)
    return alone <= (Fraction(model["share"]) + Fraction(1, 10**8)) * sum(n for n, _ in sizes)


def _thresholds(sizes, model, table, claim):
    """At most a share of the rows above a risk, and a limit on the mean, where they are given."""
    risks = list(_risks(sizes, model, table, claim))
    rows, slack = sum(n for _, n in risks), Fraction(1, 10**8)
    if model.get("at_risk") is not None:
        above = sum(n for risk, n in risks if risk - slack > Fraction(model["highest"]))
        if above > (Fraction(model["at_risk"]) + slack) * rows:
            return False
    if model.get("success") is None:
        return True
    return sum(risk * n for risk, n in risks) <= (Fraction(model["success"]) + slack) * rows


_GROUPS = {"KAnonymity": _large, "DeltaPresence": _presence, "KMap": _mapped}
_WHOLE = {
    "AverageRisk": _average,
    "CorrectGuesses": _guesses,
    "RecordsAtRisk": _at_risk,
    "RiskThresholds": _thresholds,
    "Uniqueness": _alone,
}
"""Models about the whole table; a uniqueness that is estimated is none of them."""


def _ranges(table, candidates, claim):
    """Bounds hold every value of the group; means are of enough people, or missing.

    Where several rows of the table may stand behind a row, as many count as can have a value: of
    two rows that differ in a missing value only, either may be in either group.
    """
    some = ("KMap", "LKCPrivacy")  # whose k is not that of groups
    sized = [model for model in _flat(claim.models) if model["model"] not in some]
    k = max((model.get("k", 1) for model in sized), default=1)
    broken = []
    for name in claim.ranges:
        for rows in _ranged_groups(table, claim):
            values = claim.source[name]
            have = _largest_matching(
                {row: [own for own in candidates[row] if values[own] is not None] for row in rows}
            )
            cells = {end: {table[f"{name}_{end}"][row] for row in rows} for end in _ENDS}
            if any(len(said) > 1 for said in cells.values()):
                broken.append(f"the ranges of {name!r} differ within a group")
            elif _people(have, have, claim) < k and next(iter(cells["mean"]))[1] is not None:
                broken.append(f"a mean of {name!r} is of {len(have)} rows")
    return broken


def _ranged_groups(table, claim):
    """Groups; where labels share a midpoint, what all ends and means together tell apart."""
    for rows in _groups(table, claim).values():
        if claim.form == "labels":
            yield rows
            continue
        told = [table[f"{name}_{end}"] for name in claim.ranges for end in _ENDS]
        apart = defaultdict(list)
        for row in rows:
            apart[tuple(column[row] for column in told)].append(row)
        yield from apart.values()


def leaks(written, published, claim):
    """Values that no released cell tells, and that stand somewhere in the files that go out.

    `published` are those files.  Only texts long enough to be nobody else's are looked for.
    """
    told = {text for row in written.rows for _, text in row if text}
    told = "\n".join(told)
    secrets = {
        text
        for values in claim.columns.values()
        for value in values
        if (text := _distinctive(value)) and text not in told
    }
    broken = []
    for path in map(Path, published):
        content = path.read_bytes()
        for secret in sorted(secrets):
            if any(form in content for form in _forms(secret)):
                broken.append(f"{''.join(path.suffixes)} holds {secret!r}, which no cell tells")
    return broken


def _forms(secret):
    return {secret.encode(), json.dumps(secret)[1:-1].encode()}


def _distinctive(value):
    held = plain(value)
    if held is None or held[0] not in ("text", "number"):
        return None
    if held[0] == "number" and getattr(held[1], "denominator", 2) > 1:
        return None  # distances and shares in a manifest look like other people's fractions
    text = str(value)
    return text if len(text) >= 7 else None
