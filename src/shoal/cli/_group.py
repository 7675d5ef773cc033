"""The root of all commands, which load when they are called."""

from __future__ import annotations

import importlib
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

import shoal
from shoal._jit import WAITS, on_compile
from shoal.cli._commands import COMMANDS, RENAMED
from shoal.cli._ending import ending
from shoal.cli._examples import EXAMPLES
from shoal.cli._failures import CLOSED, INTERRUPTED, report_failure, report_misuse
from shoal.cli._output import CURRENT, Output, output
from shoal.errors import TableWarning

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


_FROM_HOME = re.compile(r"^(--[\w-]+=|)~/")
"""The sign of the home folder, where a shell leaves it: in quotes, and in `--out=~/r.csv`."""

_loaded_commands: dict[tuple[str, typer.Typer], Any] = {}
"""Commands that were called in this process: reading a signature takes longer than some of them."""


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
        if (cmd_name, module.app) not in _loaded_commands:
            _loaded_commands[cmd_name, module.app] = self._make(cmd_name, module.app)
        return _loaded_commands[cmd_name, module.app]

    def _make(self, cmd_name: str, app: typer.Typer) -> Any:
        loaded: Any = get_command(app)
        loaded.name = cmd_name
        shared = [param for param in self.params if param.name in _SHARED]
        left = [(cmd_name, loaded)]
        while left:  # the command and those below it get the options and the looks of all
            name, command = left.pop()
            command.rich_markup_mode = None  # plain help: a third of the time, and it pipes well
            command.params = [p for p in command.params if not str(p.name).endswith("_completion")]
            for param in command.params:
                if hasattr(param, "display_type"):
                    param.display_type = partial(_say_type, param.display_type)
                if param.required and param.name in _MISSING:
                    param.get_missing_message = partial(_say_missing, _MISSING[param.name])
            if example := EXAMPLES.get(name) or EXAMPLES.get(f"{name} suggest"):
                command.epilog = f"For example:\n\n\b\n  {example}"
            is_group = isinstance(command, TyperGroup)
            if is_group:
                left += [(f"{name} {inner}", below) for inner, below in command.commands.items()]
            if not is_group or command.invoke_without_command:
                command.params += shared
            short = {"--k": "-k"} if any("-k" in param.opts for param in command.params) else {}
            renamed = RENAMED.get(name, {}) | short
            if renamed:
                command.parse_args = partial(_parse_renamed, command.parse_args, renamed)
        return loaded

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

    def main(self, args: Sequence[str] | None = None, *arguments: Any, **options: Any) -> Any:
        """Run; turn every failure into a message and an exit code."""
        current = Output()
        CURRENT.set(current)
        if args is None and os.name != "nt":  # there, click does so, and patterns
            home = f"\\g<1>{os.path.expanduser('~')}/"
            args = [_FROM_HOME.sub(home, arg) for arg in sys.argv[1:]]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", TableWarning)
                show = warnings.showwarning
                warnings.showwarning = partial(_note_once, current, set(), show)
                with on_compile(current.say_compiling, partial(current.say_compiling, text=WAITS)):
                    return super().main(args, *arguments, **options)
        except Exception as error:
            if type(error).__name__ == "InterruptException":  # DuckDB's word for Ctrl-C
                sys.exit(INTERRUPTED)
            if (code := ending()) is not None:
                sys.exit(code)
            if os.environ.get("SHOAL_DEBUG") == "1":
                traceback.print_exc()
            sys.exit(report_failure(error))
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)
        except SystemExit as ended:
            typed = args or sys.argv[1:]
            if "--json" in typed and hasattr(ended.__context__, "format_message"):
                report_misuse(ended.__context__)  # which click said on stderr
            # who read the output closed it (`| head`): click exits with 1 then, as a failed check
            if type(sys.stdout).__name__ == "PacifyFlushWrapper":
                sys.exit(CLOSED)
            raise


def _note_once(
    current: Output,
    said: set[str],
    show: Callable[..., None],
    message: Warning,
    category: type[Warning],
    *rest: Any,
) -> None:
    """Say what is to be known about a table beside the result, each thing once.

    The output is handed over: tables are also read in threads, which do not know the current one.
    """
    if not issubclass(category, TableWarning):
        show(message, category, *rest)
    elif str(message) not in said:
        said.add(str(message))
        current.note(f"Note: {message}")


def _switch(param: typer.CallbackParam, value: bool) -> None:
    """Say the version, or set the switch of the output that is called like the option."""
    if value and param.name == "version":
        typer.echo(f"shoal {shoal.__version__}")
        raise typer.Exit
    if value:
        setattr(output(), str(param.name), True)


VERSION_OPTION: Any = typer.Option(
    False, "--version", help="Say the version.", callback=_switch, is_eager=True, expose_value=False
)
JSON_OPTION: Any = typer.Option(
    False, "--json", help="One JSON object on stdout.", callback=_switch, expose_value=False
)
QUIET_OPTION: Any = typer.Option(
    False, "--quiet", "-q", help="Only errors.", callback=_switch, expose_value=False
)
VALUES_OPTION: Any = typer.Option(
    False,
    "--show-values",
    help="Show values that a hierarchy lacks here, not in a file.",
    callback=_switch,
    expose_value=False,
)


_SHARED = ("json", "quiet", "show_values")
"""Options that stand before a command or behind it."""


_TYPES = {"str": "text", "int": "number", "float": "number"}
"""What help calls the types of Python, of which `list` says only that an option may be repeated."""


def _say_type(named: Callable[..., str], *given: Any, **more: Any) -> str:
    label = named(*given, **more).strip("<>")
    label = label.removeprefix("list[").removesuffix("]").removesuffix(" range")
    return f"<{_TYPES.get(label, label)}>"


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


root = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: a third of the time, and it pipes well
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@root.callback()
def _root(
    version: bool = VERSION_OPTION,
    json: bool = JSON_OPTION,
    quiet: bool = QUIET_OPTION,
    show_values: bool = VALUES_OPTION,
) -> None:
    """Publish tables and models about people, and learn from data that cannot be pooled."""
