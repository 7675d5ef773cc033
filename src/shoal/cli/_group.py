"""Commands that load when they are called, and errors that read like sentences."""

from __future__ import annotations

import errno
import importlib
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from shoal._atomic import write_text
from shoal.cli._commands import COMMANDS, RENAMED
from shoal.cli._ending import ending
from shoal.cli._output import CURRENT, Output, output, to_json
from shoal.errors import (
    InfeasibleError,
    ProtocolError,
    ShoalError,
    TableWarning,
    UncoveredValuesError,
)

FIRST_STEPS = (
    ("shoal demo", "see all of it once, on a table that is there"),
    ("shoal schema T.csv -o s.toml", "what the columns are: read it, mend it"),
    ("shoal anonymize T.csv -s s.toml -k 10 -o R.csv", "the release, judged"),
    ("shoal check R.csv", "whether it holds, from the file alone"),
    ("shoal report R.csv", "a page for whoever signs it"),
)
"""The way from a table to a release."""

_MISSING = {
    "schema": "`shoal schema TABLE -o schema.toml` suggests one: read it, then name it here.",
    "out": "Name the file to write.",
}
"""What to do about an option that has to be there."""

OK, CHECK_FAILED, BAD_INPUT, INFEASIBLE, PEER, CANNOT_TELL = 0, 1, 2, 3, 4, 5
BUG, INTERRUPTED = 70, 130
"""Exit codes; scripts rely on them, so they never change."""


class LazyGroup(TyperGroup):
    """Finds each command's module on first use; adds `--json` and `--quiet` to every one."""

    _listing = False

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {
            name: TyperCommand(name, help=line, short_help=line)
            for name, (_, line) in sorted(COMMANDS.items())
        }

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load one command; a listing makes do with its name and its line."""
        if self._listing or cmd_name not in self.commands:
            if not self._listing and Path(cmd_name).is_file():
                ctx.fail(f"Say what to do with {cmd_name!r}, e.g. `shoal schema {cmd_name}`.")
            return self.commands.get(cmd_name)
        module = importlib.import_module(f"shoal.cli.{COMMANDS[cmd_name][0]}")
        command = get_command(module.app)
        command.name = cmd_name
        _dress(command, cmd_name, [param for param in self.params if param.name in _SHARED])
        return command

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the list without loading what it lists, and where to begin."""
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False
        with formatter.section("To begin, with a table of your own"):
            formatter.write_dl([*FIRST_STEPS])
        formatter.write("\n`shoal COMMAND -h` shows the options of one command.\n")

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run; turn every failure into a message and an exit code."""
        CURRENT.set(Output())
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", TableWarning)
                warnings.showwarning = partial(_note_once, set(), warnings.showwarning)
                return super().main(*arguments, **options)
        except Exception as error:
            if type(error).__name__ == "InterruptException":  # DuckDB's word for Ctrl-C
                sys.exit(INTERRUPTED)
            if (code := ending()) is not None:
                sys.exit(code)
            if os.environ.get("SHOAL_DEBUG") == "1":
                traceback.print_exc()
            sys.exit(_report(error))
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)


def _note_once(
    said: set[str], show: Callable[..., None], message: Warning, category: type[Warning], *rest: Any
) -> None:
    """Say what is to be known about a table beside the result, each thing once."""
    if not issubclass(category, TableWarning):
        show(message, category, *rest)
    elif str(message) not in said:
        said.add(str(message))
        output().note(f"Note: {message}")


def exit_code(error: Exception) -> int:
    """Exit code that stands for an error."""
    match error:
        case InfeasibleError():
            return INFEASIBLE
        case ProtocolError():
            return PEER
        case ShoalError() | OSError() | MemoryError():
            return BAD_INPUT
        case _:
            return BUG


def _report(error: Exception) -> int:
    code = exit_code(error)
    name = type(error).__name__
    match error:
        case UncoveredValuesError():
            message = f"{error}{_hand_over(error)}"
        case ShoalError():
            message = _in_options(str(error))
        case OSError():
            message = _explain_system(error)
        case MemoryError():
            message = (
                "there is not enough memory for this; nothing was written. Use a machine with "
                "more, or fewer rows or quasi-identifiers."
            )
        case _:  # its text may hold somebody's data
            message = (
                "something went wrong inside Shoal. Run again with SHOAL_DEBUG=1 for the details, "
                "and please report it."
            )
    sys.stderr.write(f"{name}: {message}\n")
    if output().json:
        shown = {"error": {"type": name, "message": message, "exit_code": code}}
        sys.stdout.write(to_json(shown) + "\n")
    return code


_OPTIONS = {"max_suppression": "--suppress", "time_limit": "--time-limit"}
"""What parameters of Python are called on the command line, where another name is usual."""


def _in_options(message: str) -> str:
    """The message as somebody reads it who types options; columns and files stand in quotes."""
    for parameter, option in _OPTIONS.items():
        message = message.replace(f"parameter {parameter!r}", f"option {option}")
        message = message.replace(f"{parameter!r} is known to", f"{option} is known to")
        message = re.sub(rf"(?<![\w.'/-]){parameter}(?![\w'/-]|\.\w)", option, message)
    return message


_ADVICE = {
    errno.ENOENT: "there is no file or folder {0}. Check the path.",
    errno.EISDIR: "{0} is a folder, and a file is needed. Name a file in it.",
    errno.ENOTDIR: "{0} lies below a file that is taken for a folder. Check the path.",
    errno.EACCES: "this user may not read or write {0}. Check its permissions.",
    errno.EPERM: "this user may not read or write {0}. Check its permissions.",
    errno.EEXIST: "{0} is there already. Choose another name or use --force.",
    errno.ENOSPC: "the disk is full. Free space or choose another folder.",
    errno.EROFS: "{0} lies on a disk that cannot be written. Choose another folder.",
    errno.ENAMETOOLONG: "the name {0} is too long for this disk. Choose a shorter one.",
    errno.EADDRINUSE: "the port is in use. Choose another one.",
    errno.ECONNREFUSED: "nobody listens there. Check host and port, and that the other side runs.",
}
"""What the system's refusals mean, and what to do about them."""


def _explain_system(error: OSError) -> str:
    name = repr(os.path.basename(str(error.filename))) if error.filename else "it"
    known = _ADVICE.get(error.errno or 0)
    if known is not None:
        return known.format(name)
    return f"{name}: the system refused ({error.strerror or type(error).__name__}). Try again."


def _hand_over(error: UncoveredValuesError) -> str:
    """Say where the values are: a file of the user's, or here when that was asked for."""
    if not error.values:
        return ""
    if output().show_values:
        return f" They are: {', '.join(map(repr, error.values))}."
    path = Path(f"missing-values-{re.sub(r'[^A-Za-z0-9_-]+', '-', error.column)}.txt")
    try:
        write_text(path, "".join(f"{value}\n" for value in error.values))
    except ShoalError:  # a folder that is not ours: the count has to do
        return " Run again with --show-values to see them."
    path.chmod(0o600)
    return f" They are in {path.name}, which holds data of people (--show-values shows them here)."


def _remember(param: typer.CallbackParam, value: bool) -> None:
    """Set the switch of the output that is called like the option."""
    if value:
        setattr(output(), str(param.name), True)


JSON_OPTION: Any = typer.Option(
    False, "--json", help="One JSON object on stdout.", callback=_remember, expose_value=False
)
QUIET_OPTION: Any = typer.Option(
    False, "--quiet", "-q", help="Only errors.", callback=_remember, expose_value=False
)
VALUES_OPTION: Any = typer.Option(
    False,
    "--show-values",
    help="Show values that a hierarchy lacks here, not in a file.",
    callback=_remember,
    expose_value=False,
)


_SHARED = ("json", "quiet", "show_values")
"""Options that stand before a command or behind it."""


def _dress(command: Any, name: str, shared: list[Any]) -> None:
    """Give a command, and those below it, the options and the looks that all of them share."""
    command.rich_markup_mode = None  # plain help: a third of the time, and it pipes well
    command.params = [p for p in command.params if not str(p.name).endswith("_completion")]
    for param in command.params:
        if param.required and param.name in _MISSING:
            param.get_missing_message = partial(_say_missing, _MISSING[param.name])
    if isinstance(command, TyperGroup):
        for own_name, inner in command.commands.items():
            _dress(inner, f"{name} {own_name}", shared)
    if not isinstance(command, TyperGroup) or command.invoke_without_command:
        command.params += shared
    if name in RENAMED:
        command.parse_args = partial(_parse_renamed, command.parse_args, RENAMED[name])


def _say_missing(advice: str, *, ctx: Any) -> str:
    return advice


def _parse_renamed(parse: Any, renamed: dict[str, str], ctx: Any, args: list[str]) -> Any:
    """Parse after old names of options have given way to new ones."""
    current: list[str] = []
    for arg in args:
        option, equals, value = arg.partition("=")
        if option not in renamed:
            current.append(arg)
        elif renamed[option]:
            short = not renamed[option].startswith("--")  # whose value has no sign before it
            current.append(renamed[option] + ("" if short else equals) + value)
        elif equals:  # an argument now: what was behind the sign
            current.append(value)
    return parse(ctx, current)
