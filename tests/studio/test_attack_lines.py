"""Lines of the screen Attack find what the screen shows, for every attack that it offers."""

import contextlib
import io
import re
import shlex

import pytest
from typer.testing import CliRunner

import shoal.attacks
from shoal.cli import app
from shoal.studio.work._attacking import offered
from tests.studio.desks import Bureau, write_people
from tests.studio.test_snippets import lines_of

OFFERED = [attack.name for attack in offered()]
MORE = {
    "refine": {"register": True},
    "closest": {"control": True},
    "inference": {"known": ["age"], "sensitive": "illness"},
    "linking": {"sensitive": "illness"},
}


@pytest.fixture(scope="module")
def bureau(tmp_path_factory):
    folder = tmp_path_factory.mktemp("it's attacked")
    made = Bureau(folder, write_people(folder / "people.csv", 120)).with_roles()
    made.act("columns", "set", columns=["name"], role="identifier")
    made.act("columns", "set", columns=["illness"], role="sensitive", target="yes")
    made.act("columns", "set", columns=["age", "city"], role="quasi-identifier")
    made.desk.project.set(method="top-down", k=4)
    made.act("sign", "write", name="first.csv", order_seed="3")
    made.settle()
    write_people(folder / "others.csv", 60)
    return made


def carry_out(bureau, attack):
    fields = {"release": "first.csv", **MORE.get(attack, {})}
    for name in ("register", "control"):
        if fields.get(name) is True:
            fields[name] = str(bureau.folder / "others.csv")
    bureau.act("attack", "run", attack=attack, **fields)
    bureau.settle()
    result = bureau.desk.results["attack"]
    assert result["state"] == "done", result
    return result["value"]


@pytest.mark.parametrize("attack", [name for name in OFFERED if name != "shadow"])
def test_the_lines_achieve_what_the_screen_shows(bureau, attack, monkeypatch):
    found = carry_out(bureau, attack)
    lines = lines_of(bureau, "attack")
    monkeypatch.chdir(bureau.folder)  # and back afterwards
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(compile(lines["python"], attack, "exec"), {"__name__": "lines"})
    numbers = {float(number) for number in re.findall(r"\d+\.\d+|\d+", said.getvalue())}
    wanted = 100 * found["risk"] if "%" in said.getvalue() else found["risk"]
    assert any(abs(number - wanted) < 0.06 for number in numbers), (said.getvalue(), found)
    if attack == "inference":  # the command has no way to say what is known
        assert "command" not in lines
        return
    done = run_command(lines["command"], monkeypatch)
    assert done.exit_code == 0, done.output


def run_command(lines, monkeypatch):
    go, line = lines.splitlines()
    monkeypatch.chdir(shlex.split(go)[1])
    return CliRunner().invoke(app, shlex.split(line)[1:])


def test_the_line_of_the_attack_by_shadows_runs(bureau, monkeypatch):
    bureau.act("attack", "run", attack="shadow", release="first.csv")
    bureau.desk.cancel(bureau.desk.running("attack").number)
    lines = lines_of(bureau, "attack")
    assert set(lines) == {"command"}
    done = run_command(lines["command"], monkeypatch)
    assert done.exit_code == 0, done.output


def test_every_attack_that_is_offered_has_lines(bureau):
    bureau.show("attack")
    bureau.settle()
    attacks = bureau.show("attack")["attacks"]
    assert set(OFFERED) == {attack["name"] for attack in attacks}
    assert {attack["function"] for attack in attacks} <= set(shoal.attacks.__all__)
