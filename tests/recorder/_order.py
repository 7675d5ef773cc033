"""Orders and draws that are secret by default, fixed while cases are recorded."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import shoal.anonymize.perturbed._perturb as perturb
import shoal.federated.transforms._files as encoded_files
import shoal.tables._engine as tables
import shoal.tables.engines._spark_release as spark
import shoal.tables.engines.regions._spark_regions as regions

DRAWING = (tables, perturb, encoded_files, spark, regions)
"""Modules that draw the order of rows, or what stands in them, when nobody gives a seed.

Keys, salts and masks stay secret: nothing that is compared depends on them.
"""


@contextmanager
def fixed_draws(name: str) -> Iterator[None]:
    """Let modules that draw do so as the name says, the same in every recording."""
    before = [module.secrets for module in DRAWING]
    drawn = random.Random(name)
    fixed = SimpleNamespace(
        randbits=drawn.getrandbits,
        token_hex=lambda size: drawn.randbytes(size).hex(),
    )
    try:
        for module in DRAWING:
            module.secrets = fixed  # type: ignore[assignment]
        yield
    finally:
        for module, secrets in zip(DRAWING, before, strict=True):
            module.secrets = secrets
