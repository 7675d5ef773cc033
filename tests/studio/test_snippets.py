"""The lines that screens show run as they stand, in a terminal and in Python."""

import contextlib
import io
import re
import shlex
import shutil
import subprocess
from html import unescape

import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.errors import ParameterError
from shoal.studio import _snippets
from shoal.studio._page import page_of
from shoal.studio.screens._registry import SCREENS
from tests.audit.trials import quick_audits as quick_audits
from tests.extras import need
from tests.studio.desks import Bureau, write_people

need("matplotlib")

pytestmark = pytest.mark.usefixtures("quick_audits")
NUMBERS = ("k", "suppress", "max_depth", "order_seed")
WITH_LINES = [name for name in SCREENS if name not in ("log",)]


@pytest.fixture(scope="module")
def bureau(tmp_path_factory):
    """A project with a quote in its path, a promise, a release and a model."""
    folder = tmp_path_factory.mktemp("it's here")
    made = Bureau(folder, write_people(folder / "pe'ople $x.csv")).with_roles()
    made.act("columns", "set", columns=["name"], role="identifier")
    made.act("columns", "set", columns=["illness"], role="sensitive", target="yes")
    for name in ("age", "city"):
        made.act("columns", "set", columns=[name], role="quasi-identifier")
    made.desk.project.set(method="top-down", k=4, conditions=("distinct:2@illness",))
    made.act("sign", "write", name="first.csv", order_seed="3")
    made.settle()
    assert made.desk.results["sign"]["state"] == "done", made.desk.results["sign"]
    project = made.desk.project
    words = ["tree", str(project.table), "--schema", str(project.schema_path), "-k", "4"]
    words += ["--out", str(project.folder / "tree.json"), "--test-share", "0"]
    assert CliRunner().invoke(app, words).exit_code == 0
    made.act("model", "audit", model="tree.json", k="4")
    made.settle()
    return made


def _remove_all_but(folder, stem):
    """Make room for what the lines write: they refuse to replace."""
    for path in folder.iterdir():
        if not path.name.startswith(stem):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def lines_of(bureau, screen):
    shown = bureau.show(screen)
    page = page_of(bureau.room, SCREENS[screen], shown, {}, "")
    found = re.findall(r'<pre tabindex="0" id="lines-(\w+)"><code>(.*?)</code>', page, re.DOTALL)
    return {kind: unescape(text) for kind, text in found}


@pytest.mark.parametrize("screen", [name for name in WITH_LINES if name != "together"])
def test_the_command_of_a_screen_runs(bureau, screen, monkeypatch):
    _remove_all_but(bureau.desk.project.folder / "releases", "first")
    for line in lines_of(bureau, screen)["command"].splitlines():
        words = shlex.split(line, comments=True)
        if words[0] == "cd":
            monkeypatch.chdir(words[1])
        elif words[0] == "mkdir":
            assert words[1:] == ["-p", "releases"]
        else:
            assert words[0] == "shoal"
            done = CliRunner().invoke(app, words[1:])
            # a raw table, an unsafe model and a risk above 0.09 are told by exit code 1
            answers = screen in ("promise", "model") or words[1] == "dossier"
            assert done.exit_code in ((0, 1) if answers else (0,)), done.output


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A project whose file leaves much open, and whose people get tokens."""
    need("cryptography")
    folder = tmp_path_factory.mktemp("house")
    rows = "".join(f"P{n // 2};{20 + n // 2 % 5},5;{('Köln', 'k.A.')[n % 2]}\n" for n in range(120))
    (folder / "klinik.csv").write_bytes(f"pid;alter;ort\n{rows}".encode("cp1252"))
    made = Bureau(folder, folder / "klinik.csv")
    made.act("table", "reading", encoding="cp1252", delimiter=";", missing="k.A.", decimal=",")
    made.with_roles()
    for name, role in (("pid", "pseudonym"), ("alter", "quasi-identifier"), ("ort", "sensitive")):
        made.act("columns", "set", columns=[name], role=role)
    made.desk.project.set(method="top-down", k=3)
    made.act("sign", "key", passphrase="pass", again="pass")
    made.settle()
    made.act("sign", "write", name="ours.csv", key="keys/pseudonyms.key", passphrase="pass",
             order_seed="0")  # fmt: skip
    made.settle()
    assert made.desk.results["sign"]["state"] == "done", made.desk.results["sign"]
    return made


def with_order(code):
    """The same lines with an order that can be made again."""
    return code.replace("shuffle=None", "shuffle=0").replace(" --out ", " --order-seed 0 --out ")


@pytest.mark.filterwarnings("ignore::shoal.errors.TableWarning")
@pytest.mark.parametrize("kind", ["command", "python"])
def test_lines_read_and_sign_as_the_project_says(house, kind, monkeypatch):
    folder = house.desk.project.folder
    monkeypatch.setenv("SHOAL_PASSPHRASE", "pass")
    monkeypatch.chdir(folder)
    _remove_all_but(folder / "releases", "ours")
    lines = with_order(lines_of(house, "sign")[kind])
    if kind == "python":
        exec(compile(lines, "sign", "exec"), {"__name__": "lines"})
    else:
        for line in lines.splitlines()[2:]:
            done = CliRunner().invoke(app, shlex.split(line)[1:])
            assert done.exit_code in ((0, 1) if " dossier " in line else (0,)), done.output
    name = house.show("sign")["releases"][0]["name"]
    made, ours = folder / "releases" / name, folder / "releases" / "ours.csv"
    assert name != "ours.csv"
    assert made.read_bytes() == ours.read_bytes()
    assert "Köln".encode("cp1252") in ours.read_bytes()
    for ending in ("report.html", "dossier.html"):
        assert made.with_name(f"{made.stem}.{ending}").exists()
    for screen in ("table", "columns", "promise", "compare") if kind == "python" else ():
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(lines_of(house, screen)["python"], screen, "exec"), {"__name__": "lines"})


@pytest.mark.parametrize("screen", [name for name in WITH_LINES if name != "together"])
def test_the_python_lines_of_a_screen_run(bureau, screen, monkeypatch):
    monkeypatch.chdir(bureau.folder)  # and back afterwards
    code = lines_of(bureau, screen)["python"]
    _remove_all_but(bureau.desk.project.folder / "releases", "first")
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(compile(code, screen, "exec"), {"__name__": "lines"})
    assert said.getvalue()


def test_a_shell_takes_the_lines_as_they_are(bureau):
    command = lines_of(bureau, "columns")["command"].splitlines()
    script = "\n".join([command[0], "pwd"])
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(bureau.desk.project.folder)


def test_nothing_enters_a_line_that_was_not_quoted():
    environment = _snippets._environment()
    with pytest.raises(ParameterError, match="not quoted"):
        environment.from_string("rm {{ name }}").render(name="; rm -rf ~")
    assert environment.from_string("rm {{ name|shell }}").render(name="; x") == "rm '; x'"
    with pytest.raises(ParameterError, match="no name"):
        environment.from_string("import {{ name|name }}").render(name="os; x")
    for path in _snippets._FOLDER.glob("*.jinja"):
        for expression in re.findall(r"\{\{(.*?)\}\}", path.read_text()):
            quoted = re.search(r"\|(shell|python|name) *$", expression.strip())
            assert quoted or expression.strip() in NUMBERS, (path.name, expression)


def test_no_line_reads_a_schema_that_is_not_written_yet(tmp_path, monkeypatch):
    made = Bureau(tmp_path, write_people(tmp_path / "people.csv"))
    page = page_of(made.room, SCREENS["columns"], SCREENS["columns"].show(made.room, {}), {}, "")
    assert not made.desk.project.schema_path.exists()
    found = re.search(r'id="lines-command"><code>(.*?)</code>', page, re.DOTALL)
    monkeypatch.chdir(made.desk.project.folder)
    for line in unescape(found[1]).splitlines()[1:]:
        done = CliRunner().invoke(app, shlex.split(line)[1:])
        assert done.exit_code == 0, done.output
