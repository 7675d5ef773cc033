"""What columns mean: roles, kinds, hierarchies, limits, and the schema file."""

from shoal.schema._arx_project import read_arx_project
from shoal.schema._column import Column
from shoal.schema._csv import read_hierarchy
from shoal.schema._hierarchy import Hierarchy
from shoal.schema._schema import Schema
from shoal.schema.readymade._ready import Ready

__all__ = [
    "Column",
    "Hierarchy",
    "Ready",
    "Schema",
    "read_arx_project",
    "read_hierarchy",
]
