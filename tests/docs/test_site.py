"""The documentation builds without a warning, shows every public name, and loads nothing."""

import ast
import importlib
import inspect
import itertools
import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup
from typer.main import get_command

from shoal.cli import app
from tests.docs.pages import ROOT
from tests.extras import need

PACKAGES = sorted(path.parent.name for path in (ROOT / "src" / "shoal").glob("[a-z]*/__init__.py"))
DOCUMENTED = [name for name in PACKAGES if name not in ("cli", "frames", "judge")] + ["errors"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site; a page in another order or a link to nowhere fails here."""
    need("mkdocs"), need("material"), need("mkdocstrings_handlers.python")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def text_of_html(page):
    return unescape(re.sub(r"<[^>]+>", "", page))


def text_of(page):
    return text_of_html(page.read_text("utf-8"))


def public_names(package):
    module = importlib.import_module(f"shoal.{package}")
    if package == "errors":
        return [name for name, value in vars(module).items() if inspect.isclass(value)]
    return list(module.__all__)


def test_every_page_is_in_the_navigation(site):
    # pages that nobody can reach by clicking are lost; decisions are linked from their index
    reached = set(re.findall(r'href="([^"]+)"', (site / "index.html").read_text("utf-8")))
    wanted = {
        str(page.relative_to(ROOT / "docs")).removesuffix(".md")
        for page in (ROOT / "docs").rglob("*.md")
        if not {"decisions", "blocks"} & {*page.parts}
    }
    lost = {page for page in wanted if f"{page.removesuffix('index')}".rstrip("/") + "/" not in
            {link.rstrip("/") + "/" for link in reached}}  # fmt: skip
    assert lost <= {"index"}


@pytest.mark.parametrize("package", DOCUMENTED)
def test_the_reference_shows_every_public_name(site, package):
    page = (site / "reference" / package / "index.html").read_text("utf-8")
    missing = [name for name in public_names(package) if f'id="shoal.{package}.{name}"' not in page]
    assert not missing


@pytest.mark.parametrize("package", DOCUMENTED)
def test_every_public_name_says_what_it_is(package):
    module = importlib.import_module(f"shoal.{package}")
    names = public_names(package)
    assert names
    silent = [name for name in names if not _says(module, name)]
    assert not silent


def _says(module, name):
    value = getattr(module, name)
    if inspect.isclass(value) or inspect.isroutine(value) or hasattr(value, "__wrapped__"):
        text = inspect.getdoc(value) or ""
        return bool(text) and not text.startswith(f"{name}(")  # what a dataclass says by itself
    return name in _described(module)


def _described(module):
    """Constants with a string right below them, in the package's files."""
    found = set()
    for path in Path(module.__file__).parent.rglob("*.py"):
        body = ast.parse(path.read_text("utf-8")).body
        for one, other in itertools.pairwise(body):
            targets = one.targets if isinstance(one, ast.Assign) else [getattr(one, "target", None)]
            text = isinstance(other, ast.Expr) and isinstance(other.value, ast.Constant)
            if text and isinstance(other.value.value, str):
                found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def commands():
    root = get_command(app)
    context = typer.Context(root)
    waiting = [(("shoal", name), root.get_command(context, name)) for name in root.commands]
    while waiting:
        path, command = waiting.pop()
        if isinstance(command, TyperGroup):
            waiting += [((*path, name), inner) for name, inner in command.commands.items()]
        else:
            yield " ".join(path), command


def test_every_command_and_option_is_in_the_reference(site):
    shown = text_of(site / "reference" / "cli" / "index.html")
    missing = []
    for name, command in commands():
        options = [option for p in command.params for option in p.opts if option.startswith("-")]
        missing += [word for word in (f"\n{name}", *options) if word not in shown]
    assert not missing


def test_every_command_has_an_example_in_the_guide():
    guide = (ROOT / "docs" / "guide" / "cli.md").read_text("utf-8")
    assert [name for name, _ in commands() if name not in guide] == []


def test_pages_load_nothing_from_elsewhere(site):
    for page in site.rglob("*.html"):
        loaded = re.findall(r'<(?:script|img|link)\b[^>]*?(?:src|href)="(https?://[^"]+)"',
                            page.read_text("utf-8"))  # fmt: skip
        assert [url for url in loaded if "shoal" not in url] == [], page.name


def test_docstrings_become_markdown(site):
    pages = [page.read_text("utf-8") for page in (site / "reference").rglob("index.html")]
    assert any("<code>GuaranteeError</code>" in page for page in pages)
    for page in pages:
        assert re.search(r":(class|func|meth|mod|attr):|\]_", text_of_html(page)) is None
