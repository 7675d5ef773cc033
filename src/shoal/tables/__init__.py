"""Counting: frequency tables and the engines that make them."""

from shoal.tables._engine import Engine, RowOptions
from shoal.tables._frequency import FrequencyTable
from shoal.tables._open import open_table

__all__ = [
    "Engine",
    "FrequencyTable",
    "RowOptions",
    "open_table",
]
