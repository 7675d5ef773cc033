"""Who is behind a release, told by releases of the same program: membership by shadow tables."""

from __future__ import annotations

from pathlib import Path

from shoal.anonymize._release_files import find_schema
from shoal.attacks._attack_result import AttackResult
from shoal.attacks._registry import find_attack
from shoal.attacks.rows._program import read_program
from shoal.schema import Schema
from shoal.tables import open_table
from shoal.typing import PathText


def attack_members(
    release: Path,
    original: PathText,
    n_shadows: int,
    *,
    random_state: int = 0,
    encoding: str | None = None,
) -> AttackResult:
    """Make the release again of halves of the people, and tell who was in which."""
    schema = Schema.from_toml(find_schema(release))
    return find_attack("shadow").run(
        read_program(release, schema),
        open_table(original, encoding=encoding),
        schema=schema,
        n_shadows=n_shadows,
        random_state=random_state,
    )
