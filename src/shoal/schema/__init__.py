"""What columns mean: roles, kinds, hierarchies, limits, and the schema file."""

from shoal.schema._band_labels import band_bounds, range_ends, range_label
from shoal.schema._bands import Breaks, EqualFrequency, EqualWidth, Intervals
from shoal.schema._builders import Auto, Dates, Flat, FromFile, Prefix, Tree
from shoal.schema._coding import Coding, code_column, find_ceiling, make_coding
from shoal.schema._column import KINDS, ROLES, Column, Kind, Role
from shoal.schema._csv import read_hierarchy, write_hierarchy
from shoal.schema._hierarchy import Hierarchy
from shoal.schema._recipe import Recipe
from shoal.schema._schema import Schema
from shoal.schema._text import number, text
from shoal.schema._tree_parts import ROOT_LABEL

__all__ = [
    "KINDS",
    "ROLES",
    "ROOT_LABEL",
    "Auto",
    "Breaks",
    "Coding",
    "Column",
    "Dates",
    "EqualFrequency",
    "EqualWidth",
    "Flat",
    "FromFile",
    "Hierarchy",
    "Intervals",
    "Kind",
    "Prefix",
    "Recipe",
    "Role",
    "Schema",
    "Tree",
    "band_bounds",
    "code_column",
    "find_ceiling",
    "make_coding",
    "number",
    "range_ends",
    "range_label",
    "read_hierarchy",
    "text",
    "write_hierarchy",
]
