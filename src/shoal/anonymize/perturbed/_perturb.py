"""A table with values changed at random, and what an attacker still achieves."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._checks import check_number
from shoal.anonymize.perturbed._changes import add_noise, randomize, swap_ranks
from shoal.anonymize.perturbed._linkage import Linkage, Points, link, place_numbers
from shoal.anonymize.perturbed._perturbed import Perturbed
from shoal.errors import ParameterError, SchemaError
from shoal.frames._frame import Frame
from shoal.schema import Schema
from shoal.schema._coding import Coding, code_column
from shoal.tables import open_table
from shoal.tables._open import require_filled
from shoal.tables.forms._coarse import coarse_pool
from shoal.tables.forms._forms import TypedColumn
from shoal.tables.forms._means import decimal_place
from shoal.typing import Codes, Floats, Native

_KINDS = {
    "noise": (("numeric",), "a numeric column"),
    "swap": (("numeric", "date", "ordinal"), "a numeric, date or ordinal column"),
    "pram": (("categorical", "ordinal"), "a categorical or ordinal column"),
}
Pool = tuple[list[Any], Codes]


def perturb_table(
    table: Native,
    schema: Schema,
    *,
    noise: Mapping[str, float] | None = None,
    swap: Mapping[str, float] | None = None,
    pram: Mapping[str, float] | None = None,
    keep: Collection[str] = (),
    random_state: int | None = None,
    encoding: str | None = None,
) -> Perturbed:
    """Change values at random, and measure how many rows can still be linked.

    Parameters
    ----------
    table : table or path
        Whatever :func:`shoal.open_table` takes; read into memory.
    schema : Schema
        What the columns are; identifiers and the like are left out.
    noise : mapping of str to float
        Numeric columns that get normal noise, and its share of the column's standard deviation;
        noises of several columns are correlated as the columns are.
    swap : mapping of str to float
        Numeric, date or ordinal columns whose values change rows, and the share of the rows that
        lies between the ranks at most.  Every value stays in the column.
    pram : mapping of str to float
        Categorical or ordinal columns, and the probability with which a value is kept; otherwise
        one is drawn from the distribution of the column.
    keep : collection of str
        Quasi-identifiers that are written as they are; every other one has to be changed.
    random_state : int, optional
        Seed, for tests; None draws a secret one, which is not kept.
    encoding : str, optional
        Encoding of CSV files.

    Notes
    -----
    **Guarantee.**  None by counting: nobody is certain to hide among k people.  Instead the risk is
    measured: how many rows are linked correctly by an attacker who knows the raw quasi-identifiers
    of everybody and takes the nearest row.  A better attacker may find more.

    Examples
    --------
    >>> people = {"age": list(range(20, 60)), "town": ["A", "B"] * 20}
    >>> schema = Schema(
    ...     {
    ...         "age": {"role": "quasi-identifier", "kind": "numeric"},
    ...         "town": {"role": "quasi-identifier"},
    ...     }
    ... )
    >>> made = perturb_table(
    ...     people, schema, noise={"age": 0.5}, pram={"town": 0.7}, random_state=0
    ... )
    >>> made.before.share, made.after.share < 0.5
    (1.0, True)
    """
    asked = {"noise": dict(noise or {}), "swap": dict(swap or {}), "pram": dict(pram or {})}
    _check(schema, asked, keep)
    engine = open_table(table, encoding=encoding, schema=schema)
    require_filled(engine, "change")
    frame = engine.frame()
    schema.require(frame.names)
    frame.require_plain([name for name in frame.names if schema[name].is_released])
    seed = secrets.randbits(256) if random_state is None else random_state
    generator = np.random.default_rng(seed)
    pools, compared = _change(frame, schema, asked, generator)
    for name in schema.released:
        if schema[name].is_coarse and name not in pools:
            pools[name] = coarse_pool(schema[name], *frame.factorize(name))
    before, after = _measure(frame, schema, compared, np.random.default_rng(0))
    order = generator.permutation(frame.n_rows)
    names = [name for name in frame.names if schema[name].is_released]
    placed = {name: (values, codes[order]) for name, (values, codes) in pools.items()}
    released = frame.fresh(names, order, placed, {})
    return Perturbed(released, schema, asked, before, after, frame, order)


def _check(schema: Schema, asked: Mapping[str, Mapping[str, float]], keep: Collection[str]) -> None:
    seen: set[str] = set(keep)
    for how, columns in asked.items():
        kinds, words = _KINDS[how]
        for name, share in columns.items():
            if name not in schema or not schema[name].is_released:
                raise ParameterError(f"{how}: {name!r} is no column that is released.")
            if name in seen:
                raise ParameterError(f"{how}: {name!r} is changed or kept already. Choose one way.")
            if schema[name].kind not in kinds:
                raise ParameterError(f"{how}: {name!r} is {schema[name].kind}; it takes {words}.")
            most = np.inf if how == "noise" else 1.0
            check_number(f"{how} of {name!r}", share, 0, most, above=how != "pram")
            seen.add(name)
    if left := [name for name in schema.quasi_identifiers if name not in seen]:
        raise ParameterError(
            f"quasi-identifiers would be written as they are: {', '.join(map(repr, left))}. Change "
            "each with noise, swap or pram, say that it may be kept, or leave the column out "
            "(role = 'identifier')."
        )
    if schema.requirements:
        raise ParameterError(
            "the schema requires groups of rows that agree on some columns, and nothing of the "
            "kind is promised of changed values. Take the requirements out of the schema."
        )
    if schema.pseudonym is not None or schema.shifted or schema.subject is not None:
        raise SchemaError(
            "values are changed row by row, and the schema says that people have several. Keep one "
            "row of each person, and leave the column out."
        )


def _change(
    frame: Frame,
    schema: Schema,
    asked: Mapping[str, Mapping[str, float]],
    generator: np.random.Generator,
) -> tuple[dict[str, Pool], dict[str, tuple[Coding, Codes, Codes | Floats]]]:
    """Changed columns, and for each its coding, the raw codes, and changed codes or numbers."""
    pools: dict[str, Pool] = {}
    compared: dict[str, tuple[Coding, Codes, Codes | Floats]] = {}
    coded = {
        name: (*frame.factorize(name), *code_column(name, schema[name], *frame.factorize(name)))
        for how in asked.values()
        for name in how
    }
    noisy = list(asked["noise"])
    numbers = [coded[name][2].numbers[coded[name][3]] for name in noisy]
    changed = add_noise(numbers, list(asked["noise"].values()), generator) if noisy else []
    for name, values in zip(noisy, changed, strict=True):
        _, _, coding, codes = coded[name]
        rounded = _on_grid(coding, values)
        pools[name] = rounded.pool()
        compared[name] = coding, codes, np.where(rounded.missing, np.nan, rounded.values)
    for how in ("swap", "pram"):
        for name, share in asked[how].items():
            own, values, coding, codes = coded[name]
            source = (
                _swapped(codes, coding, share, generator)
                if how == "swap"
                else _drawn_rows(codes, share, generator)
            )
            pools[name] = ([*values, None], np.where(own < 0, len(values), own)[source])
            compared[name] = coding, codes, codes[source]
    return pools, compared


def _swapped(
    codes: Codes, coding: Coding, share: float, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Row whose value each row gets; rows without a value keep that they have none."""
    known = np.flatnonzero(codes != coding.missing)
    # rows with equal values are ordered by chance, else the first of them would go with the first
    order = np.lexsort((generator.random(len(known)), codes[known]))
    source = np.arange(len(codes))
    source[known] = known[swap_ranks(order, share, generator)]
    return source


def _drawn_rows(codes: Codes, kept: float, generator: np.random.Generator) -> NDArray[np.int64]:
    return randomize(np.arange(len(codes), dtype=np.int32), kept, generator).astype(np.int64)


def _on_grid(coding: Coding, values: Floats) -> TypedColumn:
    """Numbers rounded to the decimals of the column."""
    exponent = min((decimal_place(text) for text in coding.texts if text is not None), default=0)
    missing = np.isnan(values)
    units = np.rint(np.where(missing, 0.0, values) * 10.0**-exponent)
    if exponent == 0:
        return TypedColumn("whole", units.astype(np.int64), missing)
    return TypedColumn("number", units / 10.0**-exponent, missing)


def _measure(
    frame: Frame,
    schema: Schema,
    compared: Mapping[str, tuple[Coding, Codes, Codes | Floats]],
    generator: np.random.Generator,
) -> tuple[Linkage, Linkage]:
    """What linking by quasi-identifiers achieves on the raw table and on the changed one."""
    none = np.empty((frame.n_rows, 0))
    numbers: tuple[list[Floats], list[Floats]] = ([none], [none])
    codes: tuple[list[Codes], list[Codes]] = ([none.astype(np.int32)], [none.astype(np.int32)])
    for name in schema.quasi_identifiers:
        if name in compared:
            coding, own, changed = compared[name]
        else:
            coding, own = code_column(name, schema[name], *frame.factorize(name))
            changed = own
        if coding.kind == "categorical":
            codes[0].append(own[:, None])
            codes[1].append(np.asarray(changed, np.int32)[:, None])
            continue
        is_code = changed.dtype.kind == "i"
        after = coding.numbers[changed] if is_code else np.asarray(changed, np.float64)
        for into, side in zip(numbers, place_numbers(coding.numbers[own], after), strict=True):
            into.append(side)
    raw, released = (
        Points(np.concatenate(numbers[table], axis=1), np.concatenate(codes[table], axis=1))
        for table in (0, 1)
    )
    state = generator.bit_generator.state
    before = link(raw, raw, generator)
    generator.bit_generator.state = state  # the same people are looked for
    return before, link(raw, released, generator)
