"""The public API: few names, each from one place, each explained and shown at work."""

import ast
import importlib
import inspect
import re
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import shoal
from tests.extras import ROOT

HOME = Path(shoal.__file__).parent
PACKAGES = sorted(
    path.parent.name
    for path in HOME.glob("[a-z]*/__init__.py")
    if path.parent.name != "cli"  # what it offers are commands
)
MOST_NAMES = 152
"""What there are now; the aim is 150.  Lower it when names go: whoever adds one has to keep it."""
OWN = ["__version__", "release"]
"""Names at the top that are nowhere else; the others there are shortcuts."""
PAGES = [
    page
    for part in ("guide", "tutorials", "theory")
    for page in sorted((ROOT / "docs" / part).glob("*.md"))
]


def names_of(package):
    return list(getattr(importlib.import_module(f"shoal.{package}"), "__all__", ()))


NAMES = [(package, name) for package in PACKAGES for name in names_of(package)]


def value_of(package, name):
    return getattr(importlib.import_module(f"shoal.{package}"), name)


def code_on_pages():
    """Everything on the pages that is written as code."""
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    blocks = re.findall(r"^```.*?\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return set(re.findall(r"\w+", "\n".join([*blocks, *re.findall(r"`([^`\n]+)`", text)])))


SHOWN = code_on_pages()


def has_doctest(value, name):
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return name in doctests_of_constants()
    own = [value, *vars(value).values()] if inspect.isclass(value) else [value]
    return any(">>> " in (inspect.getdoc(one) or "") for one in own)


def doctests_of_constants():
    """Words in the doctests of modules: what a constant is, its module shows."""
    docs = (ast.get_docstring(ast.parse(p.read_text("utf-8"))) or "" for p in HOME.rglob("*.py"))
    return set(re.findall(r"\w+", "\n".join(re.findall(r">>> .*", "\n".join(docs)))))


def test_the_public_names_are_few(capsys):
    n_names = len(NAMES) + len(OWN)
    with capsys.disabled():
        sys.stdout.write(f" {n_names} public names ")
    assert 100 < n_names <= MOST_NAMES  # fewer were not found at all


def test_every_package_says_what_is_public():
    silent = [package for package in PACKAGES if not names_of(package)]
    assert silent == ["frames", "judge"]  # the packages above it are its only users


@pytest.mark.parametrize("package", PACKAGES)
def test_names_are_there_and_no_other_file_of_the_package_is_public(package):
    names = names_of(package)
    assert len(set(names)) == len(names)
    for name in names:
        assert value_of(package, name) is not None
    folder = HOME / package
    public = [path.name for path in folder.rglob("*.py") if not path.name.startswith("_")]
    assert public == []


def test_every_name_has_one_path():
    homes = defaultdict(list)
    for package, name in NAMES:
        homes[name].append(package)
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def test_the_shortcuts_are_the_same_objects():
    """What is at the top is for the first ten minutes; it lives in a package."""
    homes = {name: package for package, name in NAMES}
    own = [name for name in shoal.__all__ if name not in homes]
    assert own == OWN
    for name in set(shoal.__all__) - set(own):
        assert getattr(shoal, name) is value_of(homes[name], name)


def test_every_name_says_what_it_is():
    silent = []
    for package, name in NAMES:
        value = value_of(package, name)
        if inspect.isclass(value) or inspect.isroutine(value):
            text = inspect.getdoc(value) or ""
            if not text or text.startswith(f"{name}("):  # what a dataclass says by itself
                silent.append(f"{package}.{name}")
    assert silent == []


def test_every_name_is_shown_at_work():
    """By a doctest of its own, or as code in a guide, a tutorial or a page of theory."""
    assert len(SHOWN) > 500
    lost = [
        f"{package}.{name}"
        for package, name in NAMES
        if not has_doctest(value_of(package, name), name) and name not in SHOWN
    ]
    assert lost == []


def test_most_names_have_a_doctest(capsys):
    tested = sum(has_doctest(value_of(package, name), name) for package, name in NAMES)
    with capsys.disabled():
        sys.stdout.write(f" {tested} of {len(NAMES)} with a doctest ")
    assert tested >= 0.8 * len(NAMES)
