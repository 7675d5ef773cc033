"""Dataframe libraries end here: columns in, codes out, and back."""

from shoal.frames._frame import Frame, is_frame
from shoal.frames._native import read_arrow, write_arrow_batches

__all__ = ["Frame", "is_frame", "read_arrow", "write_arrow_batches"]
