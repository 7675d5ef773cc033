"""Load a skops file in a process of its own first: a crafted one may crash whoever loads it."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.audit._compiled_parts import check_compiled_parts
from shoal.audit.opened._skops_types import foreign_types
from shoal.errors import ParameterError, ShoalError, TableError

SECONDS = 120
MEMORY = 16 << 30  # bytes of address space: compiled libraries reserve far more than they use
LARGEST = 4 << 30  # bytes that a file may unpack to
REFUSED = 9
"""Exit code of the trial for a file that Shoal's own checks refuse."""
FOREIGN = 10
"""Exit code of the trial for a file with types that are not known to be harmless."""
MOST_NAMED = 60  # letters of such a type


def try_load(path: Path) -> None:
    """Raise unless a process with limits knows all types, and loads trees that are trees."""
    call = [sys.executable, "-P", "-m", "shoal.audit._trial_load", str(path.resolve())]
    try:
        done = subprocess.run(call, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise _not_loaded(path, f"loading it took more than {SECONDS} seconds") from None
    if done.returncode in (REFUSED, FOREIGN):
        said = done.stderr.strip().splitlines()[-1]
        raise TableError(said) if done.returncode == REFUSED else ParameterError(said)
    if done.returncode < 0:
        raise _not_loaded(path, "the process that tried to load it crashed")
    if done.returncode:
        raise _not_loaded(path, "skops cannot load it")


def load_skops(path: Path, unknown: list[str]) -> Any:
    """Load a file and check its trees."""
    from skops import io  # noqa: PLC0415  optional

    try:
        model = io.load(path, trusted=unknown)
        check_compiled_parts(model)
    except ShoalError:
        raise
    except Exception as error:  # whatever the parts of a damaged file raise
        raise _not_loaded(path, f"skops cannot load it ({type(error).__name__})") from None
    return model


def load_known(path: Path) -> Any:
    """Load a file if all of its types are known to do no harm."""
    unknown = list_unknown_types(path)
    if foreign := foreign_types(path, unknown):
        named = ", ".join(ascii(name[:MOST_NAMED])[1:-1] for name in foreign[:3])
        raise ParameterError(
            f"{path.name} holds {len(foreign)} types that neither skops nor Shoal knows to be "
            f"harmless ({named}). Use --trust if you know where the file comes from."
        )
    return load_skops(path, unknown)


def list_unknown_types(path: Path) -> list[str]:
    """Types in a file that skops does not know to be harmless."""
    from skops import io  # noqa: PLC0415  optional

    try:
        return list(io.get_untrusted_types(file=path))
    except Exception as error:  # no zip file, no schema in it, nested too deep, ...
        raise _not_loaded(path, f"it is no skops file ({type(error).__name__})") from None


def check_size(path: Path) -> None:
    """Raise where a file unpacks to more than anybody's model."""
    try:
        with zipfile.ZipFile(path) as file:
            size = sum(entry.file_size for entry in file.infolist())
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        raise _not_loaded(path, "it is no skops file") from None
    if size > LARGEST:
        raise ParameterError(
            f"{path.name} unpacks to {size:,} bytes; at most {LARGEST:,} are read."
        )


def _not_loaded(path: Path, why: str) -> TableError:
    return TableError(
        f"cannot read model {path.name}: {why}. It is damaged or was changed; save it again."
    )


def limit_process(more: int = 0) -> Callable[[], None]:
    """Limit memory and time of this process; call the result to lift the limit on time.

    `more` bytes of memory are for what the process is given beside the file.
    """
    try:
        import resource  # noqa: PLC0415  not on Windows
    except ImportError:
        return lambda: None
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = SECONDS + int(used.ru_utime + used.ru_stime)
    for kind, most in ((resource.RLIMIT_AS, MEMORY + more), (resource.RLIMIT_CPU, seconds)):
        hard = resource.getrlimit(kind)[1]
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (limit, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    return lambda: resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))


def main(path: Path) -> int:
    """Load in this process; the exit code says how it went."""
    limit_process()
    try:
        load_known(path)
    except ShoalError as error:
        sys.stderr.write(f"{error}\n")
        return FOREIGN if isinstance(error, ParameterError) else REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
