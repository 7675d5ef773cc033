"""Both transforms as SQL expressions, for tables that stay where they are."""

from dataclasses import dataclass

from shoal.federated.transforms._aliases import AliasTable, Category
from shoal.federated.transforms._key import ColumnCode, TransformKey
from shoal.federated.transforms._ranges import GradedRanges

MAP_LIMIT = 256  # DuckDB searches a MAP from its start: beyond this an ENUM's hash table wins
BAD = "shoal: a value cannot be transformed"


@dataclass(frozen=True)
class Dialect:
    """What DuckDB and Spark spell differently."""

    quote: str
    error: str
    map_of: str

    def name(self, column: str) -> str:
        """Quote a column name."""
        return self.quote + column.replace(self.quote, self.quote * 2) + self.quote

    def fail(self) -> str:
        """Stop the query."""
        return f"{self.error}('{BAD}')"

    def look_up(self, pairs: list[tuple[str, str]], column: str) -> str:
        """Read a constant map at a column; NULL where there is no entry."""
        if self.map_of == "duckdb" and len(pairs) > MAP_LIMIT and pairs[0][0].startswith("'"):
            members = ", ".join(key for key, _ in pairs)
            values = ", ".join(value for _, value in pairs)
            return f"[{values}][enum_code(TRY_CAST({column} AS ENUM ({members}))) + 1]"
        if self.map_of == "duckdb":
            entries = ", ".join(f"{key}: {value}" for key, value in pairs)
            return f"MAP {{{entries}}}[{column}]"
        entries = ", ".join(f"{key}, {value}" for key, value in pairs)
        return f"try_element_at(map({entries}), {column})"


DUCKDB = Dialect(quote='"', error="error", map_of="duckdb")
SPARK = Dialect(quote="`", error="raise_error", map_of="spark")


def encode_sql(key: TransformKey, columns: list[str], dialect: Dialect) -> list[str]:
    """One expression per column of the table; columns outside the key pass unchanged."""
    return _each(key, columns, dialect, encode=True)


def decode_sql(key: TransformKey, columns: list[str], dialect: Dialect) -> list[str]:
    """The way back."""
    return _each(key, columns, dialect, encode=False)


def _each(key: TransformKey, columns: list[str], dialect: Dialect, *, encode: bool) -> list[str]:
    expressions = []
    for column in columns:
        name = dialect.name(column)
        code = key.columns.get(column)
        body = name if code is None else _expression(code, name, dialect, encode=encode)
        expressions.append(f"{body} AS {name}")
    return expressions


def _expression(code: ColumnCode, name: str, dialect: Dialect, *, encode: bool) -> str:
    if isinstance(code, AliasTable):
        pairs = [(literal(c), literal(a)) for c, a in code.to_alias.items()]
        if not encode:
            pairs = [(alias, category) for category, alias in pairs]
        found = dialect.look_up(pairs, name)
        return f"CASE WHEN {name} IS NULL THEN NULL ELSE coalesce({found}, {dialect.fail()}) END"
    inner = _graded(code, name, dialect) if encode else _ungraded(code, name, dialect)
    if not encode and code.decimals == 0:
        return f"CAST({inner} AS BIGINT)"
    return inner


def _graded(ranges: GradedRanges, name: str, dialect: Dialect) -> str:
    x, fail = f"CAST({name} AS DOUBLE)", dialect.fail()
    scale = number(10.0**ranges.decimals)
    low, high = number(ranges.lower[0]), number(ranges.upper[-1])
    parts = [
        f"WHEN {name} IS NULL OR isnan({x}) THEN NULL",
        f"WHEN NOT ({x} >= {low} AND {x} <= {high}) THEN {fail}",
        f"WHEN round({x} * {scale}) / {scale} <> {x} THEN {fail}",
    ]
    last = len(ranges.names) - 1
    for i, tag in enumerate(ranges.names):
        lower, upper = number(ranges.lower[i]), number(ranges.upper[i])
        place = f"{number(tag)} + ({x} - {lower}) / ({upper} - {lower})"
        if i == last or ranges.lower[i + 1] != ranges.upper[i]:
            top = number(float(tag) + float(ranges.tops[i]))
            place = f"CASE WHEN {x} = {upper} THEN {top} ELSE {place} END"
        limit = "ELSE" if i == last else f"WHEN {x} < {number(ranges.lower[i + 1])} THEN"
        parts.append(f"{limit} {place}")
    return f"CASE {' '.join(parts)} END"


def _ungraded(ranges: GradedRanges, name: str, dialect: Dialect) -> str:
    y, fail = f"CAST({name} AS DOUBLE)", dialect.fail()
    scale = number(10.0**ranges.decimals)
    ceiling, beyond = ranges.ceilings, ranges.beyond
    parts = [
        f"WHEN {name} IS NULL OR isnan({y}) THEN NULL",
        f"WHEN {y} < {number(ranges.names[0])} THEN {fail}",
    ]
    for i, tag in enumerate(ranges.names):
        lower, upper = number(ranges.lower[i]), number(ranges.upper[i])
        place = f"({y} - {number(tag)})"
        inner = f"round(({lower} + {place} * ({upper} - {lower})) * {scale}) / {scale}"
        steps = [f"WHEN {place} > {number(ceiling[i])} THEN {fail}"]
        if beyond[i] < 1:
            steps.append(f"WHEN {place} > {number(beyond[i])} THEN {upper}")
        value = f"CASE {' '.join(steps)} ELSE {inner} END"
        last = i == len(ranges.names) - 1
        limit = "ELSE" if last else f"WHEN {y} < {number(ranges.names[i + 1])} THEN"
        parts.append(f"{limit} {value}")
    return f"CASE {' '.join(parts)} END"


def number(value: float) -> str:
    """A double, exactly."""
    return f"CAST('{float(value)!r}' AS DOUBLE)"


def literal(value: Category) -> str:
    """A category or alias."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return f"CAST({value} AS BIGINT)"
    return "'" + value.replace("'", "''") + "'"
