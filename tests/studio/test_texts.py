"""Every text is in one file: templates name texts that are there, and say nothing themselves."""

import re
from pathlib import Path

import pytest

import shoal.studio
from shoal.schema._column import ROLES
from shoal.studio._texts import load_texts
from shoal.studio.screens._promise import RECIPIENTS
from shoal.studio.screens._registry import SCREENS
from shoal.studio.work._tasks import TASKS

TEMPLATES = sorted((Path(shoal.studio.__file__).parent / "templates").glob("*.html"))


def test_templates_name_texts_that_are_there():
    used = set()
    for path in TEMPLATES:
        used |= set(re.findall(r"\bt((?:\.\w+)+)", path.read_text("utf-8")))
    assert len(used) > 200
    for name in used:
        found = load_texts()
        for part in name.strip(".").split("."):
            if part != "get":
                found = getattr(found, part)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_templates_have_no_words_of_their_own(path):
    text = path.read_text("utf-8")
    text = re.sub(r"\{% block body %\}.*", " ", text)  # attributes of the page
    text = re.sub(r"\{%.*?%\}|\{\{.*?\}\}|<[^>]*>", " ", text, flags=re.DOTALL)
    words = re.findall(r"[A-Za-z]{3,}", text)
    assert words == [], path.name


def test_what_registries_list_has_a_text():
    texts = load_texts()
    for name in SCREENS:
        assert texts.steps[name]
        assert texts[name].title
    for name in RECIPIENTS:
        assert texts.recipients[name]
        assert texts.recipient_meanings[name]
    assert all(texts.jobs.get(name) for name in TASKS)
    assert sum(bool(texts.role_meanings.get(role)) for role in ROLES) >= 5
    with pytest.raises(AttributeError):
        texts.no_such_text  # noqa: B018
