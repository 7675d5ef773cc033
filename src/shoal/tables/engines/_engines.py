"""Every engine, in the order they are asked in."""

from __future__ import annotations

from typing import Any

from shoal.tables._engine import Engine
from shoal.tables.engines._array_engine import ArrayEngine
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.tables.engines._frame_engine import FrameEngine
from shoal.tables.engines._spark_engine import SparkEngine

ENGINES: tuple[type[Engine], ...] = (DuckEngine, SparkEngine, FrameEngine, ArrayEngine)
"""A new engine is one more file beside this one, and one more entry here."""


def find_engine(source: Any) -> type[Engine] | None:
    """The first engine that recognizes a table in memory or on a cluster, or None."""
    return next((engine for engine in ENGINES if engine.recognizes(source)), None)
