import io
from functools import partial

import rich.progress
from rich.console import Console

from shoal import _jit, _jit_cache
from shoal._jit import kernel, on_compile
from shoal.cli import _output
from shoal.cli._output import Output


def watch(monkeypatch, patience):
    monkeypatch.setattr(_output, "PATIENCE", patience)
    stream = io.StringIO()
    with Output().progress(Console(file=stream, force_terminal=True, width=80)) as progress:
        for done in range(5):
            progress(done, 4, "solving")
        progress(3, 0, "reading")
    return stream.getvalue()


def test_long_work_shows_what_and_how_much(monkeypatch):
    shown = watch(monkeypatch, -1.0)
    assert "solving" in shown
    assert "/4" in shown
    assert "reading" in shown


def test_work_that_tells_how_far_it_is_keeps_its_time_left(monkeypatch):
    monkeypatch.setattr(_output, "PATIENCE", -1.0)
    added, stream = [], io.StringIO()
    add = rich.progress.Progress.add_task
    monkeypatch.setattr(
        rich.progress.Progress, "add_task", lambda *a, **k: added.append(a[1]) or add(*a, **k)
    )
    with Output().progress(Console(file=stream, force_terminal=True, width=100)) as progress:
        progress(1, 2, "reading")
        progress(1, 4, "improving groups, 9.1% lost so far")
        progress(2, 4, "improving groups, 8.7% lost so far")
    assert added == ["reading", "improving groups, 9.1% lost so far"]
    assert "8.7% lost so far" in stream.getvalue()


def test_quick_work_shows_nothing(monkeypatch):
    assert watch(monkeypatch, 60.0) == ""


def test_quiet_and_json_are_silent(monkeypatch, capsys):
    monkeypatch.setattr(_output, "PATIENCE", -1.0)
    for out in (Output(json=True), Output(quiet=True)):
        with out.progress() as progress:
            progress(1, 2, "solving")
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_the_first_run_on_a_machine_says_that_it_compiles(monkeypatch):
    monkeypatch.setenv("SHOAL_JIT_CACHE", "0")
    stream = io.StringIO()
    with Output().progress(Console(file=stream, width=100)):
        fresh = kernel(lambda number: number + 1)
        assert (fresh(1), fresh(2.5)) == (2, 3.5)  # compiled twice, told once
    assert stream.getvalue() == _jit.COMPILING + "\n"
    assert kernel(lambda number: number + 2)(1) == 3  # nobody listens any more
    assert stream.getvalue() == _jit.COMPILING + "\n"


def test_that_it_compiles_is_said_in_one_line_of_a_usual_terminal_and_of_a_file():
    for width, terminal in ((80, True), (40, False)):
        stream = io.StringIO()
        Output().say_compiling(Console(file=stream, width=width, force_terminal=terminal))
        assert stream.getvalue().splitlines() == [_jit.COMPILING]


def test_that_a_command_compiles_is_said_once_with_or_without_a_bar(monkeypatch, capsys):
    monkeypatch.setenv("SHOAL_JIT_CACHE", "0")
    out = Output()
    with on_compile(out.say_compiling), out.progress():
        assert kernel(lambda number: number + 3)(1) == 4
    assert capsys.readouterr().err.count("compiling") == 1
    out = Output()
    with on_compile(out.say_compiling):
        assert kernel(lambda number: number + 4)(1) == 5
    assert capsys.readouterr().err.count("compiling") == 1


def test_that_another_process_compiles_is_said_once(capsys):
    out = Output()
    for _ in range(2):
        waits = partial(out.say_compiling, text=_jit.WAITS)
        with on_compile(out.say_compiling, waits), out.progress():
            while _jit_cache.WAITING:
                _jit_cache.WAITING.pop()()
    assert capsys.readouterr().err.splitlines() == [_jit.WAITS]
    assert len(_jit.WAITS) < 80
