"""Dataframe libraries end here: columns in, codes out, and back."""

from shoal.frames._frame import Frame, is_frame
from shoal.frames._native import write_arrow_batches

__all__ = ["Frame", "is_frame", "write_arrow_batches"]
