"""What recipients will ask: queries read from SQL, and what they say about the columns."""

from shoal.workload._read import parse_workload, read_workload

__all__ = [
    "parse_workload",
    "read_workload",
]
