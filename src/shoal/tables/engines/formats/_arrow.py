"""Arrow files (also called Feather or IPC files), mapped into memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shoal.frames._arrow_files import ARROW_SUFFIXES, read_arrow
from shoal.tables._engine import OpenOptions
from shoal.tables.engines._frame_engine import FrameEngine
from shoal.tables.engines.formats._file_format import FileFormat


def _read(paths: Sequence[Path], options: OpenOptions) -> FrameEngine:
    return FrameEngine(read_arrow(paths))


ARROW = FileFormat("Arrow", ARROW_SUFFIXES, _read)
