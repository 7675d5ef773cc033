"""What mkdocs fills in while it builds: pages of evidence, and the reference of the commands."""

import re
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup, TyperOption
from typer.main import get_command

from shoal.cli import app

COMMANDS = "<!-- commands -->"
_SOURCE_LINK = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:src|tests|pyproject\.toml)[^)]*\)")


def on_config(config: Any) -> Any:
    """Add the pages of evidence, which are written by a program, to the navigation."""
    found = sorted(Path(config["docs_dir"], "evidence").glob("*.md"))
    if found:
        found.sort(key=lambda path: path.stem != "index")
        config["nav"].append({"Evidence": [f"evidence/{path.name}" for path in found]})
    return config


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Write out the commands where a page asks for them; sources are named, not linked."""
    markdown = _SOURCE_LINK.sub(r"\1", markdown)
    return markdown.replace(COMMANDS, describe_commands()) if COMMANDS in markdown else markdown


def describe_commands() -> str:
    """Usage, arguments and options of every command, as Markdown."""
    root: Any = get_command(app)
    context = typer.Context(root, info_name="shoal")
    parts = []
    for name in sorted(root.list_commands(context)):
        parts += _describe(root.get_command(context, name), ("shoal", name))
    return "\n\n".join(parts)


def _describe(command: Any, path: tuple[str, ...]) -> list[str]:
    title = " ".join(path)
    text = " ".join((command.help or command.short_help or "").split())
    parts = [f"{'#' * min(len(path), 4)} {title}", text]
    if isinstance(command, TyperGroup):
        for name in sorted(command.commands):
            parts += _describe(command.commands[name], (*path, name))
        return parts
    own = [p for p in command.params if p.name not in ("json", "quiet", "show_values", "help")]
    needed = [p for p in own if not _option(p)] + [p for p in own if _option(p) and p.required]
    usage = " ".join([title, *map(_needed, needed)])
    parts.append(f"```text\n{usage}\n```")
    if own:
        rows = ["| | | default |", "|---|---|---|", *map(_row, own)]
        parts.append("\n".join(rows))
    return parts


def _option(parameter: Any) -> bool:
    return isinstance(parameter, TyperOption)


def _needed(parameter: Any) -> str:
    value = str(parameter.name).upper()
    return f"{parameter.opts[0]} {value}" if _option(parameter) else value


def _row(parameter: Any) -> str:
    names = [*parameter.opts, *parameter.secondary_opts]
    shown = ", ".join(f"`{n}`" for n in names) if _option(parameter) else f"`{names[0].upper()}`"
    text = " ".join((getattr(parameter, "help", None) or "").split()).replace("|", "\\|")
    default = "required" if parameter.required else _default(parameter.default)
    return f"| {shown} | {text} | {default} |"


def _default(value: Any) -> str:
    if callable(value) or value is None or value is False or value in ("", [], ()):
        return ""
    return "yes" if value is True else f"`{value}`"
