"""Counting: frequency tables and the engines that make them."""

from shoal.tables._engine import RowOptions
from shoal.tables._frequency import FrequencyTable
from shoal.tables._open import open_table

__all__ = [
    "FrequencyTable",
    "RowOptions",
    "open_table",
]
