import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from shoal import cli, errors
from shoal.cli import _commands, _group
from tests.extras import ROOT, hear_interrupts

HEAVY = {"numba", "sklearn", "pandas", "polars", "pyarrow", "scipy", "duckdb"}


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


def test_help_loads_nothing_heavy():
    done = run_python(
        "import sys; sys.argv = ['shoal', '--help']\n"
        "from shoal.cli import main\n"
        "try: main()\n"
        "except SystemExit as error: assert not error.code\n"
        "print('LOADED', *sorted({name.split('.')[0] for name in sys.modules}))"
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split("LOADED")[1].split())
    assert not loaded & (HEAVY | {"numpy"})
    for name in _commands.COMMANDS:
        assert name in done.stdout


@pytest.mark.parametrize("name", sorted(_commands.COMMANDS))
def test_every_command_explains_itself_and_takes_json_and_quiet(name):
    result = CliRunner().invoke(cli.app, [name, "--help"])
    if "MissingExtraError" in result.stderr:
        pytest.skip(result.stderr.strip())
    assert result.exit_code == 0, result.output
    shown = result.output
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
        assert f"{type(error).__name__}: {error}" in result.stderr
    assert "/secret/place" not in result.output


def test_a_defect_says_so_without_showing_data(failing):
    failing(KeyError("Alice Canary"))
    result = CliRunner().invoke(cli.app, ["boom"])
    assert result.exit_code == 70
    assert "Canary" not in result.output
    assert "SHOAL_DEBUG=1" in result.stderr


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
    named = (_group.OK, _group.CHECK_FAILED, _group.BAD_INPUT, _group.INFEASIBLE, _group.PEER)
    assert named == (0, 1, 2, 3, 4)
    assert _group.INTERRUPTED == 130
