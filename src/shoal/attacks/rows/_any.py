"""All attacks on any table, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.attacks._attack_result import AttackResult
from shoal.attacks.rows._closest import closest_attack
from shoal.attacks.rows._inference import inference_attack
from shoal.attacks.rows._linkability import linkability_attack
from shoal.attacks.rows._row_tables import read_row_tables
from shoal.attacks.rows._singling_out import singling_out_attack
from shoal.schema import Schema
from shoal.typing import Native


def attack_any(
    release: Native,
    original: Native,
    control: Native | None,
    schema: Schema | None,
    *,
    secrets: Sequence[str] = (),
    n_columns: int = 3,
    n_attacks: int = 2_000,
    random_state: int = 0,
) -> list[AttackResult]:
    """Singling out, linkability of every other column, inference, and the closest record.

    Secrets are the sensitive columns of the schema unless named; without either, the last column.
    """
    names = read_row_tables(release, original, control, schema).names
    if not secrets and schema is not None:
        secrets = [name for name in schema.sensitive if name in names]
    secrets = secrets or names[-1:]
    fixed = {"schema": schema, "n_attacks": n_attacks, "random_state": random_state}
    seen = fixed | {"control": control}
    n_columns = min(n_columns, len(names))
    results = [singling_out_attack(release, original, n_columns=n_columns, **seen)]  # type: ignore[arg-type]
    if len(names) > 1:
        halves = names[::2], names[1::2]
        results.append(linkability_attack(release, original, *halves, **seen))  # type: ignore[arg-type]
        results += [inference_attack(release, original, name, **seen) for name in secrets]  # type: ignore[arg-type]
    if control is not None:
        results.append(closest_attack(release, original, control, **fixed))  # type: ignore[arg-type]
    return results
