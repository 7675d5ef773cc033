"""Read SQL with a real parser: which columns does each query use, and how?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shoal.errors import MissingExtraError, ParameterError, TableError
from shoal.metrics._queries import Among, Between, QueryCondition
from shoal.typing import PathText
from shoal.workload._workload import Problem, Query, Workload

_FLIPPED = {"GT": "LT", "LT": "GT", "GTE": "LTE", "LTE": "GTE", "EQ": "EQ", "NEQ": "NEQ"}


def read_workload(path: PathText, *, strict: bool = False, dialect: str | None = None) -> Workload:
    """Read a file of SQL queries, separated by semicolons.

    Parameters
    ----------
    path : path
        The file, in UTF-8.
    strict : bool
        Fail on the first query that cannot be read, instead of skipping it.
    dialect : str, optional
        The SQL that it is written in, by sqlglot's name; several are understood without.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "queries.sql"
    ...     _ = path.write_text("SELECT sex, avg(income) FROM t GROUP BY sex;")
    ...     read_workload(path).queries[0].targets
    ('income',)
    """
    path = Path(path)
    try:
        content = path.read_text("utf-8-sig")
    except OSError as error:
        raise TableError(f"cannot read workload {path.name!r}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise TableError(f"workload {path.name!r} is not UTF-8 text.") from None
    return parse_workload(content, strict=strict, dialect=dialect)


def parse_workload(text: str, *, strict: bool = False, dialect: str | None = None) -> Workload:
    """Read SQL queries, separated by semicolons; see :func:`read_workload`.

    Examples
    --------
    >>> asked = parse_workload("SELECT count(*) FROM t WHERE age >= 65; nonsense")
    >>> len(asked.queries), asked.problems[0].line
    (1, 1)
    """
    sqlglot = _sqlglot()
    queries, problems = [], []
    for line, statement in split_statements(text):
        try:
            tree = sqlglot.parse_one(statement, read=dialect)
        except (sqlglot.errors.SqlglotError, RecursionError):
            tree = None
        if isinstance(tree, sqlglot.exp.Query):
            queries.append(_read_query(sqlglot.exp, tree, line))
            continue
        reason = "it is not SQL that can be parsed" if tree is None else "it is not a query"
        if strict:
            raise ParameterError(f"workload, line {line}: {reason}. Mend it, or skip such queries.")
        problems.append(Problem(line, reason))
    if not queries:
        raise ParameterError(f"the workload has no query ({len(problems)} could not be read).")
    return Workload(tuple(queries), tuple(problems))


def _sqlglot() -> Any:
    try:
        import sqlglot  # noqa: PLC0415  an extra
    except ImportError:
        raise MissingExtraError("sqlglot", "workload", "reading a workload of queries") from None
    return sqlglot


def split_statements(text: str) -> Iterator[tuple[int, str]]:
    """Statements and the line on which each one begins; quotes and comments hold no separators."""
    begin, position, quote = 0, 0, ""
    while position <= len(text):
        here = text[position : position + 1]
        if quote:
            position += 1
            quote = "" if here == quote or not here else quote
        elif text.startswith("--", position):
            position = (text + "\n").index("\n", position)
        elif text.startswith("/*", position):
            position = end + 2 if (end := text.find("*/", position)) >= 0 else len(text)
        elif here in ("'", '"', "`"):
            quote, position = here, position + 1
        elif here in (";", ""):
            if first := _first_word(text[begin:position]):
                yield text.count("\n", 0, begin + first - 1) + 1, text[begin:position]
            position = begin = position + 1
        else:
            position += 1
    if begin < len(text) and (first := _first_word(text[begin:])):  # an open quote to the end
        yield text.count("\n", 0, begin + first - 1) + 1, text[begin:]


def _first_word(statement: str) -> int:
    """Position, counted from 1, of the first character outside blanks and comments; 0: none."""
    position = 0
    while position < len(statement):
        if statement.startswith("--", position):
            position = (statement + "\n").index("\n", position)
        elif statement.startswith("/*", position):
            position = end + 2 if (end := statement.find("*/", position)) >= 0 else len(statement)
        elif statement[position].isspace():
            position += 1
        else:
            return position + 1
    return 0


# -- one query ----------------------------------------------------------------------------------


def _read_query(exp: Any, tree: Any, line: int) -> Query:
    selections: list[str] = []
    features: list[str] = []
    targets: list[str] = []
    conditions: list[QueryCondition] = []
    wheres = list(tree.find_all(exp.Where))
    for clause in (*wheres, *tree.find_all(exp.Having)):
        selections += _columns(exp, clause)
    for join in tree.find_all(exp.Join):
        selections += _columns(exp, join.args["on"]) if join.args.get("on") else []
    for select in tree.find_all(exp.Select):
        for item in select.expressions:
            for column in item.find_all(exp.Column):
                (targets if column.find_ancestor(exp.AggFunc) else features).append(column.name)
        if group := select.args.get("group"):
            features += _columns(exp, group)
    is_conjunction = len(wheres) == 1 and not any(tree.find_all(exp.Having, exp.Join, exp.Subquery))
    for where in wheres:
        for part in _and_parts(exp, where.this):
            condition = _condition(exp, part)
            if condition is None:
                is_conjunction = False
                conditions += _inner_conditions(exp, part)
            else:
                conditions.append(condition)
    return Query(
        line, _distinct(selections), _distinct(features), _distinct(targets),
        tuple(conditions), is_conjunction,
    )  # fmt: skip


def _columns(exp: Any, tree: Any) -> list[str]:
    return [column.name for column in tree.find_all(exp.Column)]


def _distinct(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _and_parts(exp: Any, tree: Any) -> list[Any]:
    tree = tree.unnest()
    return [part.unnest() for part in tree.flatten()] if isinstance(tree, exp.And) else [tree]


def _inner_conditions(exp: Any, tree: Any) -> list[QueryCondition]:
    """Single comparisons inside something larger: their constants still tell where to cut."""
    read = [_condition(exp, part) for part in tree.find_all(exp.Predicate)]
    return [condition for condition in read if condition is not None]


def _condition(exp: Any, tree: Any) -> QueryCondition | None:
    """A comparison of one column with constants, if that is what `tree` is."""
    tree = tree.unnest()
    if isinstance(tree, exp.Not):
        inner = _condition(exp, tree.this)
        return inner and QueryCondition(inner.column, inner.tests, not inner.negated)
    if isinstance(tree, exp.Or):
        return _any_of([_condition(exp, part) for part in tree.flatten()])
    if isinstance(tree, exp.Is):
        if isinstance(tree.this, exp.Column) and isinstance(tree.expression, exp.Null):
            return QueryCondition(tree.this.name, (Among((None,)),))
        return None
    if isinstance(tree, exp.Column):
        return QueryCondition(tree.name, (Among((True,)),))
    test = _test(exp, tree)
    return None if test is None else QueryCondition(*test)


def _any_of(parts: list[QueryCondition | None]) -> QueryCondition | None:
    known = [part for part in parts if part is not None and not part.negated]
    if len(known) < len(parts) or len({part.column for part in known}) != 1:
        return None
    return QueryCondition(known[0].column, tuple(test for part in known for test in part.tests))


def _test(exp: Any, tree: Any) -> tuple[str, tuple[Among | Between, ...], bool] | None:
    """Column, tests and whether they are negated."""
    if isinstance(tree, exp.Between) and isinstance(tree.this, exp.Column):
        low, high = _constant(exp, tree.args["low"]), _constant(exp, tree.args["high"])
        return (
            None if low is None or high is None else (tree.this.name, (Between(low, high),), False)
        )
    if isinstance(tree, exp.In) and isinstance(tree.this, exp.Column):
        values = [_constant(exp, value) for value in tree.expressions]
        return (
            None
            if None in values or not values
            else (tree.this.name, (Among(tuple(values)),), False)
        )
    name = type(tree).__name__
    if name not in _FLIPPED:
        return None
    left, right = tree.this.unnest(), tree.expression.unnest()
    if isinstance(right, exp.Column):
        left, right, name = right, left, _FLIPPED[name]
    value = _constant(exp, right)
    if not isinstance(left, exp.Column) or value is None:
        return None
    tests: dict[str, Among | Between] = {
        "EQ": Among((value,)),
        "NEQ": Among((value,)),
        "LT": Between(high=value, with_high=False),
        "LTE": Between(high=value),
        "GT": Between(low=value, with_low=False),
        "GTE": Between(low=value),
    }
    return left.name, (tests[name],), name == "NEQ"


def _constant(exp: Any, tree: Any) -> Any:
    """Value of a literal; None for anything that is none."""
    if isinstance(tree, exp.Cast):
        tree = tree.this
    if isinstance(tree, exp.Neg):
        value = _constant(exp, tree.this)
        return -value if isinstance(value, int | float) else None
    if isinstance(tree, exp.Boolean):
        return bool(tree.this)
    if not isinstance(tree, exp.Literal):
        return None
    if tree.is_string:
        return str(tree.this)
    value = float(tree.this)
    return int(value) if value.is_integer() else value
