"""What a dossier measures itself on both tables: attacks beside control rows, and utility."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shoal.attacks._attack_result import AttackResult
from shoal.attacks.rows._any import attack_any
from shoal.errors import SchemaError, TableError
from shoal.metrics import compare_tables
from shoal.metrics.kept._comparison import TableComparison
from shoal.schema import Schema
from shoal.tables import open_table
from shoal.typing import PathText

MOST_ROWS = 300_000
"""Rows of a table that attacks by nearest rows are carried out on."""
N_ATTACKS = 500


@dataclass(frozen=True, eq=False)
class Measured:
    """Attacks in the sense of WP29 and what analysts keep; or why there is nothing.

    Parameters
    ----------
    attacks : tuple of AttackResult
        Singling out, linkability, inference, distance to the closest record.
    kept : TableComparison or None
        The release beside the raw table.
    has_control : bool
        Whether the baseline is people who were not in the table.
    not_done : str
        Why nothing was measured; empty where something was.
    """

    attacks: tuple[AttackResult, ...] = ()
    kept: TableComparison | None = None
    has_control: bool = False
    not_done: str = ""


def measure_release(
    release: Path | None,
    original: PathText | None,
    control: PathText | None,
    schema: Schema,
    *,
    few_left_out: int = 0,
    random_state: int = 0,
    encoding: str | None = None,
) -> Measured:
    """Attack and compare, where both tables are there, small enough and readable.

    With `few_left_out`, fewer rows than so many were left out, and every figure of both tables
    would tell of them: nobody is attacked, and nothing is compared.
    """
    if release is None or original is None:
        return Measured(not_done="the raw table or the released rows were not given.")
    if few_left_out:
        return Measured(
            not_done=f"fewer than {few_left_out} rows were left out, and figures of the raw table "
            "would tell what they have. shoal attack any and shoal compare have them for the house."
        )
    released, raw = open_table(release, encoding=encoding), open_table(original, encoding=encoding)
    others = None if control is None else open_table(control, encoding=encoding)
    if max(released.n_rows, raw.n_rows) > MOST_ROWS:
        return Measured(
            not_done=f"a table has more than {MOST_ROWS:,} rows. Run shoal attack any and shoal "
            "compare on a part of it."
        )
    try:
        attacks = attack_any(
            released, raw, others, schema, n_attacks=N_ATTACKS, random_state=random_state
        )
        kept = compare_tables(raw, released, schema, random_state=random_state)
    except (SchemaError, TableError):
        return Measured(not_done="labels and raw values could not be matched by the schema.")
    return Measured(tuple(attacks), kept, control is not None)
