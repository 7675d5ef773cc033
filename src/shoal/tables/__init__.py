"""Counting: frequency tables and the engines that make them."""

from shoal.tables._frequency import FrequencyTable, Histogram, group_keys, pack_codes

__all__ = ["FrequencyTable", "Histogram", "group_keys", "pack_codes"]
