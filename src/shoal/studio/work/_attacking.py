"""Attacks of the registry on a release of the project, whatever attacks there are."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from shoal.anonymize._release_files import is_manifest, read_making
from shoal.attacks._registry import ATTACKS, Attack, find_attack
from shoal.attacks.rows._program import read_program
from shoal.errors import ParameterError
from shoal.schema import Schema
from shoal.studio.work._bench import Args, Bench, like, read_schema, released
from shoal.studio.work._registered import task
from shoal.tables import open_table
from shoal.tables._engine import Engine
from shoal.typing import Progress

_ASKED = {
    *("release", "schema", "original", "table", "truth", "register", "column"),
    *("method", "ranges", "random_state", "secret", "first", "second", "control"),
    *("make", "people"),
}
"""Parameters of attacks that this screen has an answer for."""


@task("attack")
def attack_release(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """Carry out one attack with what the attacker is said to know."""
    attack = find_attack(args["attack"])
    if args.get("draft"):
        bench.release(args, progress).write(args["release"], force=True)
    progress(0, 0, f"attacking: {attack.name}")
    whole = read_schema(args)
    columns = list(args.get("known") or whole.quasi_identifiers)
    given = _given(bench, args, whole, columns)
    names = set(inspect.signature(attack.run).parameters)
    if "first" in names:  # two sources: each has half of what is known
        half = len(columns) // 2
        given |= {"first": columns[:half], "second": columns[half:]}
    if "secret" in names:
        given["known"] = columns
    if "make" in names:  # the program is run on other people, and needs the whole schema
        given["make"] = read_program(args["release"], whole)
        given |= {"people": _of(bench.engine(args), whole), "progress": progress}
    if "control" in needed_by(attack) and given["control"] is None:
        raise ParameterError(
            f"attack {attack.name} needs control rows: name a file of others, drawn alike, who are "
            "not in the table."
        )
    if lacking := [name for name in needed_by(attack) if given.get(name) is None]:
        raise ParameterError(
            f"attack {attack.name} needs {', '.join(lacking)}, which this screen does not ask for. "
            "Use `shoal attack`."
        )
    known = {name: value for name, value in given.items() if name in names and value is not None}
    return attack.run(**known).to_dict() | {"asked": attack.name, "knows": attack.knows}


def needed_by(attack: Attack) -> list[str]:
    """Names of the parameters that an attack cannot do without."""
    parameters = inspect.signature(attack.run).parameters.values()
    return [p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]


def offered() -> list[Attack]:
    """Attacks on released tables for which this screen can ask all that they need."""
    on_tables = [attack for attack in ATTACKS if {"release", "any"} & {*attack.targets}]
    return [attack for attack in on_tables if {*needed_by(attack)} <= _ASKED]


def _given(bench: Bench, args: Args, whole: Schema, columns: Sequence[str]) -> dict[str, Any]:
    """Everything an attack may ask for, by the name of its parameter."""
    path = args["release"]
    if is_manifest(path):
        raise ParameterError("name the released table, not its manifest.")
    release, raw = open_table(released(args, path)), bench.engine(args)
    schema = _known_to_attacker(whole, columns)
    secret = args.get("sensitive") or whole.target or next(iter(whole.sensitive), None)
    made, ends = read_making(path)
    original = _of(raw, schema)
    return {
        "release": _of(release, schema),
        "schema": schema,
        "original": original,
        "table": original,
        "truth": original,
        "register": open_table(like(args, args["register"])) if args.get("register") else None,
        "control": _control(args, schema),
        "column": args.get("sensitive") or None,
        "secret": secret,
        "first": list(columns),
        "second": None,
        "method": made,
        "ranges": ends,
        "random_state": 0,
    }


def _control(args: Args, schema: Schema) -> Engine | None:
    """Rows of others; whoever wrote the file of the table is taken to have written theirs."""
    if not args.get("control"):
        return None
    return _of(open_table(like(args, args["control"])), schema)


def _known_to_attacker(schema: Schema, known: Sequence[str]) -> Schema:
    """The schema of what plays a part: known quasi-identifiers and what is to be learnt."""
    kept = {
        name: column
        for name, column in schema.items()
        if column.role in ("subject", "sensitive") or name in known
    }
    if not any(column.role == "quasi-identifier" for column in kept.values()):
        raise ParameterError("the attacker has to know at least one quasi-identifier.")
    return Schema(kept)


def _of(engine: Engine, schema: Schema) -> Engine:
    """The columns that play a part; a release lacks the subject."""
    return engine.view([name for name in engine.names if name in schema], {})
