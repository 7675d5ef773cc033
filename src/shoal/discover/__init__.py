"""Quasi-identifiers: which columns single people out, and which can be published together."""

from shoal.discover._keys import find_key, minimal_keys
from shoal.discover._mask import mask
from shoal.discover._ratios import distinct_ratio, separation_ratio
from shoal.discover._suggest import suggest_schema
from shoal.discover._survey import survey
from shoal.discover._uniqueness import uniqueness
from shoal.discover.sources._reservoir import RowSample

__all__ = [
    "RowSample",
    "distinct_ratio",
    "find_key",
    "mask",
    "minimal_keys",
    "separation_ratio",
    "suggest_schema",
    "survey",
    "uniqueness",
]
