import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

from shoal import cli, errors
from shoal.cli import _commands, _failures, _group, _options
from shoal.privacy._words import word_examples
from tests.extras import ROOT, hear_interrupts

HEAVY = {"numba", "numpy", "sklearn", "pandas", "polars", "pyarrow", "scipy", "duckdb",
         "matplotlib", "jinja2", "narwhals", "cryptography", "rich"}  # fmt: skip


def run_python(code: str, **extra: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **extra}
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        preexec_fn=hear_interrupts,
    )


@pytest.fixture
def failing(monkeypatch):
    """A command that raises what it is given."""

    def install(error: BaseException) -> None:
        module = type(sys)("shoal.cli._boom")
        module.app = typer.Typer()

        @module.app.command()
        def boom() -> None:
            raise error

        monkeypatch.setitem(sys.modules, "shoal.cli._boom", module)
        monkeypatch.setitem(_commands.COMMANDS, "boom", ("_boom", "Fail."))

    return install


HELP = """
import contextlib, io, os, sys
from shoal.cli import main

def show(path):
    sys.argv = ['shoal', *path, '--help']
    try: main()
    except SystemExit as error: assert not error.code
    print('LOADED', *sorted({name.split('.')[0] for name in sys.modules}), 'END', flush=True)

def ask(path):
    child = os.fork()
    if not child:
        try: show(path)
        except BaseException as error: print(type(error).__name__, file=sys.stderr, flush=True)
        os._exit(0)
    os.waitpid(child, 0)

first, *others = PATHS
ask(first)
# what the first question loads, which was just looked at, is not loaded anew for each of the others
with contextlib.redirect_stdout(io.StringIO()): show(first)
for path in others: ask(path)
"""


def test_help_loads_nothing_heavy():
    """Asked of every command and of those below it, each in a process of its own."""
    paths = [(), *command_paths()]
    done = run_python(HELP.replace("PATHS", repr(paths)))
    assert (done.returncode, done.stderr) == (0, "")
    told = done.stdout.split("END\n")
    assert told.pop() == ""
    for path, text in zip(paths, told, strict=True):
        shown, _, loaded = text.partition("LOADED")
        assert loaded.split(), path
        assert not set(loaded.split()) & HEAVY, path
        assert "Usage: shoal" in shown
        if not path:
            assert all(name in shown for name in _commands.COMMANDS)


def command_paths() -> list[tuple[str, ...]]:
    """Every command that does something, as it is typed."""
    root = get_command(cli.app)

    def below(path, command):
        if not hasattr(command, "commands"):
            return [path]
        names = command.commands
        return [one for name in names for one in below((*path, name), names[name])]

    paths = [one for name in root.commands for one in below((name,), root.get_command(None, name))]
    assert len(paths) > 30  # else it looks at nothing
    return paths


def command_options(path: tuple[str, ...]) -> list[Any]:
    """The options that `--help` shows."""
    command = get_command(cli.app).get_command(None, path[0])
    for name in path[1:]:
        command = command.commands[name]
    options = [param for param in command.params if param.param_type_name == "option"]
    return [option for option in options if not option.hidden]


def test_an_option_is_the_same_in_every_command():
    """Declared once: other words would mean that somebody declared it again."""
    seen: dict[str, set[tuple[Any, ...]]] = {}
    for path in command_paths():
        for option in command_options(path):
            for name in option.opts:
                said = (tuple(option.opts), option.multiple, option.help)
                seen.setdefault(name, set()).add(said)
    shared = ["--diversity", "--privacy", "--suppress", "--plot", "--encoding", "--force", "--seed",
              "--target", "--missing-to-root", "--keep-suppressed", "--delta", "--delimiter",
              "--decimal", "--thousands", "--dates", "--header", "--missing", "--skip-bad-rows",
              "--sheet", "--table"]  # fmt: skip
    assert [name for name in shared if len(seen[name]) != 1] == []
    for name in ("--schema", "--out", "-k"):  # `apply`, `frontier`: the same, and more is said
        assert len({said[0][0] for said in seen[name]}) == 1
        assert {said[1] for said in seen[name]} == {False}
    assert not {"--figure", "--output", "--folder", "--confidence"} & set(seen)


def test_help_names_conditions_that_there_are():
    """Written down for the sake of a quick `--help`, so compared here."""
    assert set(_options.CONDITION_EXAMPLES.split(", ")) <= set(word_examples().split(", "))


@pytest.mark.parametrize(
    ("given", "becomes"),
    [
        (["--figure", "a.svg"], ["--plot", "a.svg"]),
        (["--figure=a.svg", "-k", "5"], ["--plot=a.svg", "-k", "5"]),
        (["--table", "a.csv"], ["a.csv"]),
        (["--table=a.csv"], ["a.csv"]),
        (["--plot", "--other"], ["--plot", "--other"]),
    ],
)
def test_old_names_of_options_still_work(given, becomes):
    renamed = {"--figure": "--plot", "--table": ""}
    assert _group._parse_renamed(lambda ctx, args: args, renamed, None, given) == becomes


def test_every_renamed_option_leads_to_one_that_is_there():
    for path, renamed in _commands.RENAMED.items():
        names = {name for option in command_options(tuple(path.split())) for name in option.opts}
        assert set(renamed.values()) - {""} <= names
        assert not set(renamed) & names


@pytest.mark.parametrize("name", sorted(_commands.COMMANDS))
def test_every_command_explains_itself_and_takes_json_and_quiet(name):
    result = CliRunner().invoke(cli.app, [name, "--help"])
    if "MissingExtraError" in result.stderr:
        pytest.skip(result.stderr.strip())
    assert result.exit_code == 0, result.output
    shown = result.output
    assert not re.search(r"<(list|str|int|float)", shown)  # words of programs
    if "COMMAND [ARGS]" not in shown or "--json" in shown:
        assert "--json" in shown
        assert "--quiet" in shown


def test_every_file_of_a_command_is_listed():
    folder = Path(cli.__file__).parent
    files = {
        ".".join(path.relative_to(folder).with_suffix("").parts)
        for path in folder.rglob("_*.py")
        if "\napp = " in path.read_text() and path.stem != "__init__"
    }
    assert files == {module for module, _ in _commands.COMMANDS.values()}


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.SchemaError("columns without a role: 'ward'."), 2),
        (errors.ParameterError("k must be at least 1."), 2),
        (errors.InfeasibleError("k=5", required=5, achieved=2, hint="Lower k."), 3),
        (errors.ProtocolError("expected 2 messages."), 4),
        (errors.TimeLimitError("no answer in 5 s."), 4),
        (PermissionError(13, "Permission denied", "/secret/place/out.csv"), 2),
        (KeyboardInterrupt(), 130),
    ],
)
def test_failures_have_stable_codes_and_no_traceback(failing, error, code):
    failing(error)
    result = CliRunner().invoke(cli.app, ["boom"])
    assert result.exit_code == code
    assert "Traceback" not in result.output
    if isinstance(error, errors.ShoalError):
        assert result.stderr == f"Error: {error}\n"  # a sentence, without the name of a class
    assert "/secret/place" not in result.output


def test_a_defect_says_so_without_showing_data(failing):
    failing(KeyError("Alice Canary"))
    result = CliRunner().invoke(cli.app, ["boom"])
    assert result.exit_code == 70
    assert "Canary" not in result.output
    assert "(KeyError)" in result.stderr
    assert "SHOAL_DEBUG=1" in result.stderr


SAYINGS = ("print('It holds.', flush=True)", "output().print('It holds.')")


@pytest.mark.parametrize("saying", SAYINGS)
def test_a_reader_that_closes_the_output_is_no_failed_check(saying):
    code = (
        "import sys, types, typer\n"
        "from shoal.cli import _commands, main\n"
        "m = types.ModuleType('shoal.cli._boom'); m.app = typer.Typer()\n"
        "@m.app.command()\n"
        "def boom():\n"
        "    from shoal.cli._output import output\n"
        f"    sys.stdin.read(); {saying}\n"
        "sys.modules['shoal.cli._boom'] = m; _commands.COMMANDS['boom'] = ('_boom', 'x')\n"
        "sys.argv = ['shoal', 'boom']; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.close()
    process.stdin.close()
    assert (process.wait(60), process.stderr.read()) == (_failures.CLOSED, "")
    process.stderr.close()


@pytest.mark.parametrize("given", [["--out=~/s.toml"], ["-o", "~/s.toml"]])
def test_the_home_folder_is_found_where_a_shell_leaves_its_sign(tmp_path, given):
    (tmp_path / "people.csv").write_text("age,ward\n" + "31,A\n42,B\n" * 9)
    code = "import sys; from shoal.cli import main; sys.argv[1:] = sys.argv[2:]; main()"
    words = ["schema", "suggest", "~/people.csv", *given]
    done = subprocess.run(
        [sys.executable, "-c", code, "-c", *words],
        env={**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "src")},
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0
    assert (tmp_path / "s.toml").is_file()
    assert not (tmp_path / "~").exists()


def test_k_may_be_written_with_two_signs():
    for name in ("anonymize", "check", "frontier", "tree"):
        called = CliRunner().invoke(cli.app, [name, "--k", "5"])
        assert "No such option" not in called.stderr
        assert not re.search(r"--k\b", CliRunner().invoke(cli.app, [name, "-h"]).stdout)


def test_debugging_shows_the_traceback(failing, monkeypatch):
    monkeypatch.setenv("SHOAL_DEBUG", "1")
    failing(errors.SchemaError("wrong."))
    result = CliRunner().invoke(cli.app, ["boom"])
    assert result.exit_code == 2
    assert "Traceback" in result.stderr


def test_errors_are_json_too(failing):
    failing(errors.InfeasibleError("k=5", required=5, achieved=2, hint="Lower k."))
    result = CliRunner().invoke(cli.app, ["boom", "--json"])
    shown = json.loads(result.stdout)
    assert shown["error"]["type"] == "InfeasibleError"
    assert shown["error"]["exit_code"] == result.exit_code == 3


def test_flags_work_before_and_after_the_command():
    runner = CliRunner()
    before = runner.invoke(cli.app, ["--json", "version"])
    after = runner.invoke(cli.app, ["version", "--json"])
    assert json.loads(before.stdout) == json.loads(after.stdout)
    assert runner.invoke(cli.app, ["version", "-q"]).output == ""
    assert "numpy" in runner.invoke(cli.app, ["version"]).stdout  # flags do not linger


def test_unknown_command_and_option_are_usage_errors():
    runner = CliRunner()
    wrong = runner.invoke(cli.app, ["vers"])
    assert wrong.exit_code == 2
    assert "version" in wrong.stderr
    assert runner.invoke(cli.app, ["version", "--wrong"]).exit_code == 2


def test_the_command_can_be_called_with_its_words_by_position(capsys):
    cli.app(["version", "--json"], prog_name="shoal", standalone_mode=False)
    assert json.loads(capsys.readouterr().out)["shoal"]


def test_version_option():
    result = CliRunner().invoke(cli.app, ["--version"])
    assert result.exit_code == 0
    assert result.stdout.startswith("shoal ")


def test_interrupt_ends_with_130():
    code = (
        "import sys, types, typer, os, signal\n"
        "from shoal.cli import _commands, main\n"
        "m = types.ModuleType('shoal.cli._boom'); m.app = typer.Typer()\n"
        "@m.app.command()\n"
        "def boom():\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    import time; time.sleep(5)\n"
        "sys.modules['shoal.cli._boom'] = m; _commands.COMMANDS['boom'] = ('_boom', 'x')\n"
        "sys.argv = ['shoal', 'boom']; main()"
    )
    done = run_python(code)
    assert done.returncode == 128 + signal.SIGINT
    assert "Traceback" not in done.stderr


def test_exit_codes_are_what_the_documentation_says():
    named = (
        _failures.OK,
        _failures.CHECK_FAILED,
        _failures.BAD_INPUT,
        _failures.INFEASIBLE,
        _failures.PEER,
    )
    assert named == (0, 1, 2, 3, 4)
    assert _failures.INTERRUPTED == 130


@pytest.mark.parametrize("show", [False, True])
def test_values_that_a_hierarchy_lacks_stay_in_a_file_unless_asked_for(
    failing, tmp_path, monkeypatch, show
):
    monkeypatch.chdir(tmp_path)
    failing(errors.UncoveredValuesError("zip/code", ("CANARY1", "CANARY2"), "lacks 2 values."))
    result = CliRunner().invoke(cli.app, ["boom", *(["--show-values"] if show else [])])
    assert result.exit_code == 2
    assert ("CANARY1" in result.output) == show
    files = [path.name for path in tmp_path.iterdir()]
    assert files == ([] if show else ["missing-values-zip-code.txt"])
    if not show:
        path = tmp_path / files[0]
        assert path.read_text() == "CANARY1\nCANARY2\n"
        assert path.stat().st_mode & 0o077 == 0


def test_what_a_new_user_forgets_is_said_with_what_to_do(tmp_path):
    table = tmp_path / "people.csv"
    table.write_text("age\n5\n")
    forgotten = CliRunner().invoke(cli.app, ["anonymize", str(table), "-o", "out.csv"])
    assert "`shoal schema TABLE -o schema.toml` suggests one" in forgotten.stderr
    alone = CliRunner().invoke(cli.app, [str(table)])
    assert alone.exit_code == 2
    assert "Say what to do with" in alone.stderr


def test_help_shows_the_way_and_whole_sentences():
    shown = CliRunner().invoke(cli.app, ["--help"]).output
    assert shown.index("shoal schema T.csv") < shown.index("shoal report R.csv")
    assert "..." not in shown.split("Commands:")[1]


def test_messages_name_options_and_leave_columns_and_files_alone():
    said = _failures._in_options(
        "method m has no parameter 'max_suppression'. It has cuts, time_limit. "
        "column 'time_limit', file 'time_limit.csv'"
    )
    assert said == (
        "method m has no option --suppress. It has cuts, --time-limit. "
        "column 'time_limit', file 'time_limit.csv'"
    )


def test_an_old_name_may_lead_to_a_short_option():
    asked = ["--k=2,5", "--k", "3"]
    assert _group._parse_renamed(lambda ctx, args: args, {"--k": "-k"}, None, asked) == [
        "-k2,5", "-k", "3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["nope", "--json"], "UsageError"),
        (["--json", "check"], "MissingParameter"),
        (["check", "--nope", "--json"], "NoSuchOption"),
        (["anonymize", "t.csv", "-k", "x", "--json"], "BadParameter"),
    ],
)
def test_what_was_typed_wrongly_is_json_too(words, kind):
    result = CliRunner().invoke(cli.app, words)
    told = json.loads(result.stdout)["error"]
    assert (told["type"], told["exit_code"], result.exit_code) == (kind, 2, 2)
    assert told["message"] in result.stderr
    without = CliRunner().invoke(cli.app, [word for word in words if word != "--json"])
    assert without.stdout == ""


@pytest.mark.parametrize("command", ["anonymize", "compare", "frontier"])
def test_a_shell_completes_the_names_of_methods(command):
    typed = {"COMP_WORDS": f"shoal {command} t.csv --method m", "COMP_CWORD": "4"}
    result = CliRunner().invoke(
        cli.app, [], prog_name="shoal", env={"_SHOAL_COMPLETE": "complete_bash", **typed}
    )
    assert result.stdout.split() == ["mondrian", "microaggregation"]
