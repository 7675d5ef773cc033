"""Every command's help ends in a line to copy, made of options that there are."""

import shlex

import click
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from shoal.cli import app
from shoal.cli._examples import EXAMPLES


def _leaves():
    root = get_command(app)
    left = [(name, root.get_command(click.Context(root), name)) for name in root.commands]
    found = {}
    while left:
        name, command = left.pop()
        below = getattr(command, "commands", {})
        left += [(f"{name} {inner}", one) for inner, one in below.items()]
        if not below:
            found[name] = command
    return found


LEAVES = _leaves()


def test_every_command_has_an_example_and_every_example_a_command():
    assert len(LEAVES) > 40
    assert set(EXAMPLES) == set(LEAVES)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_the_example_has_options_that_there_are_and_all_that_are_required(name):
    words = shlex.split(EXAMPLES[name])
    path = ["shoal", *name.removesuffix(" suggest").split()]
    assert words[: len(path)] == path
    given, command = words[len(path) :], LEAVES[name]
    known = {word for param in command.params for word in param.opts}
    options = {word for word in given if word.startswith("-")}
    assert options <= known
    for param in command.params:
        if param.required and param.param_type_name == "option":
            assert options & set(param.opts), param.opts
    n_required = sum(p.required for p in command.params if p.param_type_name == "argument")
    taken = [i for i, word in enumerate(given) if word.startswith("-")]
    assert len(given) - len(taken) >= n_required


@pytest.mark.parametrize("name", ["check", "site key new", "schema suggest"])
def test_the_example_is_the_last_line_of_the_help_and_is_not_broken(name):
    shown = CliRunner().invoke(app, [*name.split(), "-h"]).output
    assert shown.rstrip().splitlines()[-1].strip() == EXAMPLES[name]


def test_schema_alone_shows_the_example_of_suggest():
    """`shoal schema -h` lists three commands, and the commonest use names none of them."""
    assert EXAMPLES["schema suggest"] in CliRunner().invoke(app, ["schema", "-h"]).output
