"""Compile the kernels while the package is installed, so that no first release waits for them.

Every method releases a small table once; what numba compiles for it goes into the installation,
for processors of any age.  ``SHOAL_BUILD_KERNELS=0`` leaves it out: then kernels are compiled when
they are first needed, and small tables do without.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LONGEST = 420.0
"""Seconds for all of it, a minute or two on two idle processors; what is not compiled by then is
compiled when it is needed."""

_MAKE_TABLE = """
from shoal.datasets import census
people = census(4_000)
people.to_file("people.csv")
people.schema.to_toml("people.toml")

from shoal._jit_shipped import tag
print(tag())
"""
_RELEASE = """
import json, sys
from shoal.cli import app
lines = []
for number, options in enumerate(json.loads(sys.argv[1])):
    files = ["people.csv", "--schema", "people.toml", "--out", f"{sys.argv[2]}-{number}.csv"]
    lines.append(["anonymize", *files, "--quiet", *options])
for line in lines + json.loads(sys.argv[3]):
    try:
        app(line, prog_name="shoal", standalone_mode=False)
    except (Exception, SystemExit) as error:
        print(error, file=sys.stderr)
"""

LOOKS = [
    ["schema", "people.csv", "--out", "suggested.toml", "--quiet"],
    ["report", "out1-0.csv", "--original", "people.csv", "--quiet"],
]
"""What people do before and after a release; of one that the last process makes."""

RELEASES: list[list[list[str]]] = [
    [
        ["-k", "10", "--method", "local"],
        ["-k", "10", "--method", "constrained"],
        ["-k", "400", "--method", "local"],  # large groups are searched for in other ways
        ["-k", "5", "--method", "local", "--diversity", "distinct:2"],
    ],
    [
        ["-k", "10", "--method", "mondrian"],
        ["-k", "10", "--method", "microaggregation"],
        ["-k", "10", "--method", "bottom-up"],
        ["-k", "10", "--method", "top-down"],
        ["-k", "10", "--method", "full-domain"],
        ["-k", "10", "--method", "auto"],
        ["-k", "5", "--method", "mondrian", "--diversity", "distinct:2"],
    ],
]
"""Options of the releases that compile what most people need first.

Each list is a process of its own: what its releases share is compiled once, and both processors
of a small machine have something to do.
"""


class KernelHook(BuildHookInterface[Any]):
    """Puts compiled kernels into wheels, and beside the sources of editable installations."""

    def dependencies(self) -> list[str]:
        """What a release needs; nothing when no kernels are wanted."""
        return list(self.metadata.core.dependencies) if self._is_wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and name the files that are to be in the wheel."""
        if not self._is_wanted():
            return
        editable = Path(self.root, "src", "shoal", "_kernels")
        folder = editable if version == "editable" else Path(self.directory, "kernels")
        shutil.rmtree(folder, ignore_errors=True)
        compile_kernels(Path(self.root), folder)
        n_kernels = sum(1 for _ in folder.rglob("*.nbi"))
        rest = "" if n_kernels else ": first releases take minutes"
        self.app.display_info(f"{n_kernels} kernels were compiled{rest}")
        if version == "editable" or n_kernels == 0:
            return
        build_data["force_include"][str(folder)] = "shoal/_kernels"
        build_data["pure_python"], build_data["infer_tag"] = False, True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Leave nothing beside the wheel."""
        shutil.rmtree(Path(self.directory, "kernels"), ignore_errors=True)

    def _is_wanted(self) -> bool:
        return self.target_name == "wheel" and os.environ.get("SHOAL_BUILD_KERNELS", "1") == "1"


def compile_kernels(root: Path, folder: Path) -> None:
    """Fill a folder with the kernels of all releases.

    A machine that cannot compile installs the package without kernels, as it did before.
    """
    until = time.monotonic() + LONGEST
    with tempfile.TemporaryDirectory() as scratch:
        # pip tells processes of a build by PYTHONPATH where it put what they need
        paths = [str(root / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(paths),
            "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "",
            "NUMBA_CACHE_DIR": scratch, "SHOAL_JIT_CACHE": "1", "SHOAL_JIT_INTERPRET": "0",
            "SHOAL_JIT_SHIPPED": "0", "SHOAL_JIT_WHOLE": "0",
        }  # fmt: skip

        def run(program: str, *arguments: str) -> str:
            try:
                done = subprocess.run(
                    [sys.executable, "-c", program, *arguments], cwd=scratch, env=environment,
                    capture_output=True, text=True, timeout=max(1.0, until - time.monotonic()),
                )  # fmt: skip
            except (OSError, subprocess.SubprocessError):
                return ""
            return done.stdout.strip()

        if tag := run(_MAKE_TABLE):
            environment["SHOAL_JIT_SHIP"] = str(folder / tag)
            with ThreadPoolExecutor() as pool:
                for number, releases in enumerate(RELEASES):
                    looks = LOOKS if number == len(RELEASES) - 1 else []
                    told = json.dumps(releases), f"out{number}", json.dumps(looks)
                    pool.submit(run, _RELEASE, *told)


if __name__ == "__main__":
    compile_kernels(Path(__file__).parent, Path(sys.argv[1]).absolute())
