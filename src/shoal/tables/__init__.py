"""Counting: frequency tables and the engines that make them."""

from shoal.tables._assemble import CodingOptions, assemble, code_values, counted_columns
from shoal.tables._engine import STAR, Compressed, Engine, Output
from shoal.tables._frequency import FrequencyTable, Histogram, group_keys, pack_codes
from shoal.tables._open import open_table
from shoal.tables._range_columns import range_columns
from shoal.tables._recoded import SUPPRESSED, Labels, Recoded, node_labels, range_labels
from shoal.tables._row_codes import code_array, stack_codes
from shoal.tables.engines._duck_engine import DuckEngine

__all__ = [
    "STAR",
    "SUPPRESSED",
    "CodingOptions",
    "Compressed",
    "DuckEngine",
    "Engine",
    "FrequencyTable",
    "Histogram",
    "Labels",
    "Output",
    "Recoded",
    "assemble",
    "code_array",
    "code_values",
    "counted_columns",
    "group_keys",
    "node_labels",
    "open_table",
    "pack_codes",
    "range_columns",
    "range_labels",
    "stack_codes",
]
