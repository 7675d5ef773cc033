"""Random tables of hostile values, as plain Python, with what is public of their columns."""

import datetime as dt
import random
from dataclasses import dataclass, field
from decimal import Decimal

from tests.judge.labels import Fact, tree_above

NAMES = (
    "age", "Age", "city", "source", "columns", "shoal_rows", "shoal_source", "index", "count",
    "row_id", "c0", "c1", "select", 'quo"te', "dot.ted", "semi;colon", "com,ma", "new\nline",
    "blank ", " ", "ü", "u\u0308", "naïve", "group", "__index_level_0__", "rowid", "{x}", "a'b",
    "%s", "*", "age_min", "main", "temp", "information_schema", "level", "size", "label",
)  # fmt: skip
TEXTS = (
    "", "a", "a ", " a", "A", "\u0430",
    "é", "e\u0301", "*", "[1-2]", "[a to b]", "<3", "NaN", "null",
    "None", "nan", "1", "1.0", "01", "true", "True", "=1+1", "+1", "-", "@x", "x,y", 'x"y', "x\ny",
    "'", "\u200b", "\ufb00", "101**", "2024-01", "n/a", "0", "-0", "(none)", "\t", "😀",
    "\uff1d1+1", "\n=1", "'=x", "''@y", "\r+a", "\uff0d2x",
)  # fmt: skip
TREE = {
    "north": {"coast": ["Kiel", "Emden"], "plain": ["Celle", "Uelzen"]},
    "south": {"alps": ["Füssen am Lech", "Kempten"], "rhine": ["Speyer", "Worms am Rhein"]},
}
ILLNESSES = {"chest": ["flu", "cough"], "joints": ["gout", "arthritis"]}
GRADES = ("low", "mid", "a to b", "high", "top-most")


@dataclass
class Drawn:
    """A column: its values, what is public of it, its lines in a schema, and its Arrow type."""

    values: list
    fact: Fact
    schema: dict
    sort: str
    options: dict = field(default_factory=dict)


def some(rng, pool, n, *, missing=True):
    """Values from a few of a pool, sometimes with missing ones among them."""
    few = rng.sample(list(pool), min(len(pool), rng.choice((1, 2, 3, 5, 8, 20))))
    share = rng.choice((0, 0, 0, 0.1, 0.4)) if missing else 0
    return [None if rng.random() < share else rng.choice(few) for _ in range(n)]


def _whole(rng, n):
    base = rng.choice((0, 0, 18, -50, 1000, 2**53 - 3, -(2**53) - 5, 2**62, 10**15))
    return some(rng, [base + rng.randrange(rng.choice((3, 10, 100))) for _ in range(25)], n)


def _real(rng, n):
    pool = [
        0.0,
        -0.0,
        0.1,
        0.2,
        0.1 + 0.2,
        0.3,
        1.0,
        2.0,
        20.0,
        -1.5,
        1e-7,
        1e15,
        1e16,
        1e22,
        5e-324,
    ]
    pool += [round(rng.uniform(-50, 50), rng.choice((0, 1, 2))) for _ in range(12)]
    values = some(rng, pool, n)
    return [float("nan") if v is None and rng.random() < 0.5 else v for v in values]


def _date(rng, n):
    start = dt.date(rng.choice((1931, 1969, 1999, 2024)), rng.randint(1, 12), rng.randint(1, 28))
    width = rng.choice((3, 40, 700, 9000))
    return some(rng, [start + dt.timedelta(days=rng.randrange(width)) for _ in range(25)], n)


def _moment(rng, n):
    days = _date(rng, n)
    time = rng.choice((dt.time(), dt.time(), dt.time(13, 30)))
    return [None if day is None else dt.datetime.combine(day, time) for day in days]


def _decimal(rng, n):
    pool = [Decimal(rng.randrange(-200, 3000)).scaleb(-rng.choice((0, 1, 2))) for _ in range(15)]
    return some(rng, pool, n)


def _mixed(rng, n):
    pool = [20, 20.0, Decimal("20.00"), 0.0, -0.0, 0, 1, 1.5, Decimal("1.5"), 2**53 + 1, 7]
    values = some(rng, pool, n)
    return [float("nan") if v is None and rng.random() < 0.5 else v for v in values]


def _texts(rng, n):
    own = [f"canary-{rng.randrange(16**6):06x}" for _ in range(6)]
    return some(rng, [*rng.sample(TEXTS, 10), *own], n)


def quasi_identifier(rng, n):
    """A column of any kind with any recipe that suits it."""
    kind = rng.choice((
        "whole", "whole", "real", "date", "text", "text", "tree", "code", "grade", "truth",
        "moment", "decimal", "mixed",
    ))  # fmt: skip
    role = {"role": "quasi-identifier"}
    if kind in ("whole", "real", "decimal", "mixed"):
        values = {"whole": _whole, "real": _real, "decimal": _decimal, "mixed": _mixed}[kind](
            rng, n
        )
        recipe = rng.choice((
            None, "auto", "flat", {"intervals": [5, 10]}, {"intervals": [0.5, 1, 10]},
            {"breaks": [0, 20, 65]}, {"breaks": [[0.5, 10, 20], [10]]},
            {"equal_width": 4}, {"equal_frequency": 4},
        ))  # fmt: skip
        return _drawn(values, kind, role | {"kind": "numeric"}, recipe)
    if kind in ("date", "moment"):
        recipe = rng.choice(
            (None, "auto", "flat", {"dates": ["month", "year"]}, {"dates": ["quarter", "decade"]})
        )
        return _drawn(
            (_date if kind == "date" else _moment)(rng, n), kind, role | {"kind": "date"}, recipe
        )
    if kind == "tree":
        values = some(rng, tree_above(TREE), n)
        return _drawn(values, "text", role, {"tree": TREE}, above=tree_above(TREE))
    if kind == "code":
        values = some(rng, [f"{rng.randrange(10**5):05d}" for _ in range(20)], n)
        lengths = rng.choice(((1, 3), (2,), (1, 2, 3, 4)))
        return _drawn(values, "text", role, {"prefix": list(lengths)}, prefix=(lengths, "*"))
    if kind == "grade":
        column = role | {"kind": "ordinal", "order": list(GRADES)}
        return _drawn(
            some(rng, GRADES, n), "text", column, rng.choice((None, "flat")), order=GRADES
        )
    if kind == "truth":
        return _drawn(
            some(rng, (True, False), n), "truth", role, rng.choice((None, "flat", "auto"))
        )
    sort = rng.choice(("text", "category"))
    drawn = _drawn(_texts(rng, n), sort, role, rng.choice((None, "flat", "auto")))
    drawn.fact = Fact("quasi-identifier", prefix=((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), "*"))
    return drawn


def _drawn(values, sort, column, recipe, **public):
    if recipe is not None:
        column = column | {"hierarchy": recipe}
    fact = Fact(column["role"], column.get("kind", "categorical"), **public)
    return Drawn(values, fact, column, sort)


def other(rng, n, role):
    """A sensitive or insensitive column."""
    kind = rng.choice(
        ("text", "ill", "ill", "pay", "real", "grade", "truth", "date", "mixed", "decimal")
    )
    column = {"role": role}
    if kind == "ill":
        missing = rng.random() < 0.3
        values = some(rng, tree_above(ILLNESSES), n, missing=missing)
        return _drawn(values, "text", column, {"tree": ILLNESSES}, above=tree_above(ILLNESSES))
    if kind == "grade":
        column = column | {"kind": "ordinal", "order": list(GRADES)}
        return _drawn(some(rng, GRADES, n), "text", column, None, order=GRADES)
    if kind == "text":
        return _drawn(_texts(rng, n), rng.choice(("text", "category")), column, None)
    if kind == "truth":
        return _drawn(some(rng, (True, False), n), "truth", column, None)
    if kind == "date":
        return _drawn(_date(rng, n), "date", column | {"kind": "date"}, None)
    makers = {"pay": _whole, "real": _real, "mixed": _mixed, "decimal": _decimal}
    sort = "whole" if kind == "pay" else kind
    return _drawn(makers[kind](rng, n), sort, column | {"kind": "numeric"}, None)


def identifier(rng, n):
    """Names that occur nowhere else."""
    values = [f"secret-{rng.randrange(16**8):08x}" for _ in range(n)]
    return _drawn(values, "text", {"role": "identifier"}, None)


def table(rng: random.Random, engine: str) -> dict[str, Drawn]:
    """Columns by name, in random order; nearly half of the tables name their rows."""
    n = rng.choice((1, 2, 4, 7, 12, 20, 30, 45, 60))
    columns = [quasi_identifier(rng, n) for _ in range(rng.choice((1, 1, 2, 2, 3, 4)))]
    columns += [other(rng, n, "sensitive") for _ in range(rng.choice((0, 1, 1, 2)))]
    columns += [other(rng, n, "insensitive") for _ in range(rng.choice((0, 0, 1)))]
    columns += [identifier(rng, n) for _ in range(rng.choice((0, 0, 1, 2)))]
    if rng.random() < 0.6:
        tags = rng.sample(range(100, 1000), n)
        columns.append(_drawn(tags, "whole", {"role": "insensitive", "kind": "numeric"}, None))
        if rng.random() < 0.2:  # only where rows have names is it known whose they are
            people = [f"person-{rng.randrange(n):05d}" for _ in range(n)]
            columns.append(_drawn(people, "text", {"role": "subject"}, None))
    if rng.random() < 0.3:  # many rows alike
        picked = [rng.randrange(max(1, n // 3)) for _ in range(n)]
        for column in columns:
            if column.fact.role == "quasi-identifier":
                column.values = [column.values[i] for i in picked]
    rng.shuffle(columns)
    plain = [f"x{i}" for i in range(len(columns))]
    names = rng.sample(NAMES, len(columns)) if rng.random() < 0.4 else plain
    if engine == "duckdb" and {"age", "Age"} <= set(names):  # one name to a database
        names = plain
    return dict(zip(names, columns, strict=True))
