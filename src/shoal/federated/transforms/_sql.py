"""Both transforms as SQL expressions, for tables that stay where they are."""

from dataclasses import dataclass

from shoal.federated.transforms._aliases import AliasTable, Category
from shoal.federated.transforms._key import ColumnCode
from shoal.federated.transforms._ranges import GradedRanges
from shoal.tables._engine import Dialect
from shoal.tables.engines._duck_connection import MAP_LIMIT, STOP, is_nan_sql


@dataclass(frozen=True)
class Spelling:
    """What DuckDB and Spark spell differently."""

    dialect: Dialect
    error: str

    def fail(self) -> str:
        """Stop the query."""
        return f"{self.error}('{STOP}')"

    def is_nan(self, number: str) -> str:
        """Whether a binary number is NaN."""
        return is_nan_sql(number) if self.dialect == "duckdb" else f"isnan({number})"

    def look_up(self, pairs: list[tuple[str, str]], column: str) -> str:
        """Read a constant map at a column; NULL where there is no entry."""
        if self.dialect == "duckdb" and len(pairs) > MAP_LIMIT and pairs[0][0].startswith("'"):
            members = ", ".join(key for key, _ in pairs)
            values = ", ".join(value for _, value in pairs)
            return f"[{values}][enum_code(TRY_CAST({column} AS ENUM ({members}))) + 1]"
        if self.dialect == "duckdb":
            entries = ", ".join(f"{key}: {value}" for key, value in pairs)
            return f"MAP {{{entries}}}[{column}]"
        entries = ", ".join(f"{key}, {value}" for key, value in pairs)
        return f"try_element_at(map({entries}), {column})"


SPELLINGS = {
    "duckdb": Spelling("duckdb", error="error"),
    "spark": Spelling("spark", error="raise_error"),
}


def code_sql(code: ColumnCode, column: str, dialect: Dialect, *, back: bool) -> str:
    """A column's published form as an expression, or the way back; `column` is a quoted name."""
    spelling = SPELLINGS[dialect]
    if isinstance(code, AliasTable):
        pairs = [(literal(c), literal(a)) for c, a in code.to_alias.items()]
        if back:
            pairs = [(alias, category) for category, alias in pairs]
        looked_up = spelling.look_up(pairs, column)
        return (
            f"CASE WHEN {column} IS NULL THEN NULL "
            f"ELSE coalesce({looked_up}, {spelling.fail()}) END"
        )
    if not back:
        return _graded(code, column, spelling)
    original = _ungraded(code, column, spelling)
    return f"CAST({original} AS BIGINT)" if code.decimals == 0 else original


def _graded(ranges: GradedRanges, column: str, spelling: Spelling) -> str:
    x, fail = f"CAST({column} AS DOUBLE)", spelling.fail()
    scale = number(10.0**ranges.decimals)
    low, high = number(ranges.lower[0]), number(ranges.upper[-1])
    parts = [
        f"WHEN {column} IS NULL OR {spelling.is_nan(x)} THEN NULL",
        f"WHEN NOT ({x} >= {low} AND {x} <= {high}) THEN {fail}",
        f"WHEN round({x} * {scale}) / {scale} <> {x} THEN {fail}",
    ]
    last = len(ranges.names) - 1
    for i, tag in enumerate(ranges.names):
        lower, upper = number(ranges.lower[i]), number(ranges.upper[i])
        graded = f"{number(tag)} + ({x} - {lower}) / ({upper} - {lower})"
        if i == last or ranges.lower[i + 1] != ranges.upper[i]:
            top = number(float(tag) + float(ranges.tops[i]))
            graded = f"CASE WHEN {x} = {upper} THEN {top} ELSE {graded} END"
        limit = "ELSE" if i == last else f"WHEN {x} < {number(ranges.lower[i + 1])} THEN"
        parts.append(f"{limit} {graded}")
    return f"CASE {' '.join(parts)} END"


def _ungraded(ranges: GradedRanges, column: str, spelling: Spelling) -> str:
    y, fail = f"CAST({column} AS DOUBLE)", spelling.fail()
    scale = number(10.0**ranges.decimals)
    ceiling, beyond = ranges.ceilings, ranges.beyond
    parts = [
        f"WHEN {column} IS NULL OR {spelling.is_nan(y)} THEN NULL",
        f"WHEN {y} < {number(ranges.names[0])} THEN {fail}",
    ]
    for i, tag in enumerate(ranges.names):
        lower, upper = number(ranges.lower[i]), number(ranges.upper[i])
        share = f"({y} - {number(tag)})"
        inner = f"round(({lower} + {share} * ({upper} - {lower})) * {scale}) / {scale}"
        steps = [f"WHEN {share} > {number(ceiling[i])} THEN {fail}"]
        if beyond[i] < 1:
            steps.append(f"WHEN {share} > {number(beyond[i])} THEN {upper}")
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
