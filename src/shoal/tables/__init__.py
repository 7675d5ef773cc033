"""Counting: frequency tables and the engines that make them."""

from shoal.tables._frequency import FrequencyTable, Histogram, group_keys, pack_codes
from shoal.tables._recoded import SUPPRESSED, Labels, Recoded, node_labels, range_labels

__all__ = [
    "SUPPRESSED",
    "FrequencyTable",
    "Histogram",
    "Labels",
    "Recoded",
    "group_keys",
    "node_labels",
    "pack_codes",
    "range_labels",
]
