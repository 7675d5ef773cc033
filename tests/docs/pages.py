"""Pages that run: Python and shell blocks in order, in one folder, beside the output they show.

- A block ```` ```python ```` is executed; names last until the end of the page.
- A block ```` ```sh ```` is run line by line: `shoal` in this process, a line that ends in `&` as
  a process of its own until `wait`, `export` for the rest of the page, `pip` not at all, anything
  else by the shell.  A line that should fail says so: `# exit code 1`.
- A block with `title="NAME"` is written to that file.
- A block ```` ```output ```` is what the block just above it prints; `...` stands for anything,
  and blank space and lines do not matter.
"""

import contextlib
import glob
import io
import os
import re
import shlex
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from shoal.cli import app

ROOT = Path(__file__).parents[2]
PORT = "4711"
"""Written on pages; a free port takes its place."""
_FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TITLE = re.compile(r'title="([^"]+)"')
_FAILS = re.compile(r"#\s*exit code (\d+)")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    line: int
    code: str
    title: str | None = None
    output: str | None = None

    @property
    def runs(self) -> bool:
        return self.language in ("python", "sh") and self.title is None


def read_blocks(text):
    """Blocks in order, each with the output shown right below it."""
    blocks, end = [], None
    for found in _FENCE.finditer(text):
        language, info, code = found.groups()
        if language == "output":
            between = text[end : found.start()] if end is not None else "nothing"
            assert not between.strip(), f"this output follows no block that runs: {code[:60]!r}"
            last = blocks.pop()
            blocks.append(Block(last.language, last.line, last.code, last.title, code))
            end = None
            continue
        title = _TITLE.search(info)
        line = text.count("\n", 0, found.start()) + 1
        blocks.append(Block(language, line, code, title and title.group(1)))
        end = found.end() if blocks[-1].runs else None
    return blocks


def shows(expected, printed):
    """Whether what was printed is what the page says, `...` standing for anything."""
    parts = [re.escape(" ".join(part.split())) for part in expected.split("...")]
    pattern = r"\s*.*\s*".join(parts)
    return re.fullmatch(pattern, " ".join(printed.split()), re.DOTALL) is not None


class Walk:
    """Somebody who does what a page says."""

    def __init__(self, name, monkeypatch):
        self.name, self._environment = name, monkeypatch
        self._names = {"__name__": "__page__"}
        self._running = []
        self._port = _free_port()

    def run(self, block):
        """Do one block and compare what it prints."""
        if block.title is not None:
            Path(block.title).write_text(block.code, "utf-8")
        elif block.language == "python":
            self._compare(block, self._python(block))
        elif block.language == "sh":
            self._compare(block, self._shell(block))

    def finish(self):
        """Nothing that was started in the background may stay there."""
        left = [process for process, _ in self._running]
        for process in left:
            process.kill()
            process.communicate()
        assert not left, f"{self.name} starts a command with & and does not wait"

    def _compare(self, block, printed):
        if block.output is not None:
            where = f"{self.name}, line {block.line}"
            assert shows(block.output, printed), f"{where} prints otherwise:\n{printed}"

    def _python(self, block):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * block.line + block.code, self.name, "exec"), self._names)
        return printed.getvalue()

    def _shell(self, block):
        code = block.code.replace("\\\n", " ").replace(f":{PORT}", f":{self._port}")
        printed = []
        for line in filter(None, map(str.strip, code.splitlines())):
            fails = _FAILS.search(line)
            words = shlex.split(line, comments=True)
            if words:
                wanted = int(fails.group(1)) if fails else 0
                got, said, reason = self._command(words, line)
                where = f"{self.name}, line {block.line}: {line}"
                assert got == wanted, f"{where}\nexit code {got}\n{said}\n{reason}"
                printed.append(said)
        return "\n".join(printed)

    def _command(self, words, line):
        if words[-1] == "&":
            return self._start(words[:-1])
        if words == ["wait"]:
            return self._wait()
        match words[0]:
            case "shoal":
                done = CliRunner().invoke(app, _expand(words[1:]), prog_name="shoal")
                if done.exception and not isinstance(done.exception, SystemExit):
                    raise done.exception
                return done.exit_code, done.stdout, done.stderr
            case "pip":
                return 0, "", ""
            case "export":
                name, _, value = words[1].partition("=")
                self._environment.setenv(name, value)
                return 0, "", ""
        done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def _start(self, words):
        assert words[0] == "shoal", "only shoal runs in the background"
        process = subprocess.Popen(
            [sys.executable, "-m", "shoal", *words[1:]],
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._running.append((process, words))
        return 0, "", ""

    def _wait(self):
        printed, reasons, code = [], [], 0
        while self._running:
            process, _ = self._running.pop(0)
            said, reason = process.communicate(timeout=120)
            printed.append(said)
            reasons.append(reason)
            code = code or process.returncode
        return code, "\n".join(printed), "\n".join(reasons)


def _expand(words):
    return [path for word in words for path in (sorted(glob.glob(word)) or [word])]


def _free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]
