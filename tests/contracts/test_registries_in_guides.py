"""The guides list every privacy model and every method, in the words that these carry.

To write the tables anew: ``python -m tests.contracts.test_registries_in_guides``.
"""

import re

import pytest

from shoal.anonymize._registry import known_methods
from shoal.privacy import KAnonymity
from shoal.privacy._registry import MODELS
from tests.extras import ROOT

GUIDES = ROOT / "docs" / "guide"


def model_table():
    rows = ["| model | on the command line | what it asks | leaves open |", "|---|---|---|---|"]
    for model in MODELS:
        word = f"`{model.word.text}:{model.word.example}`" if model.word else ""
        word = "`-k 10`" if model is KAnonymity else word
        asks = re.sub(r" \[\w+\]_", "", model.__doc__.split("\n")[0])
        rows.append(f"| `{model.__name__}` | {word} | {asks} | {model.leaves_open} |")
    return "\n".join(rows)


def method_table():
    rows = ["| name on the command line | class | what sets it apart |", "|---|---|---|"]
    for name, method in known_methods().items():
        rows.append(f"| `{name}` | `{method.__name__}` | {method.summary} |")
    return "\n".join(rows)


TABLES = {
    "privacy-models": ("privacy.md", model_table),
    "methods": ("anonymize.md", method_table),
}


def block(name):
    return re.compile(rf"(?<=<!-- registry: {name} -->\n).*?(?=<!-- end -->)", re.DOTALL)


@pytest.mark.parametrize("name", TABLES)
def test_the_guide_lists_what_is_registered(name):
    page, table = TABLES[name]
    (written,) = block(name).findall((GUIDES / page).read_text("utf-8"))
    assert written == table() + "\n"


def test_the_choice_of_methods_and_models_knows_all_of_them():
    text = (GUIDES / "which-method.md").read_text("utf-8")
    for name, method in known_methods().items():
        assert f"`{method.__name__}`" in text
        assert f"--method {name}" in text
    rare = {"RecursiveDiversity", "PSensitive"}  # weaker cousins of what is recommended
    assert {model.__name__ for model in MODELS if f"`{model.__name__}`" not in text} == rare


if __name__ == "__main__":
    for name, (page, table) in TABLES.items():
        path = GUIDES / page
        text = block(name).sub(lambda _, table=table: table() + "\n", path.read_text("utf-8"))
        path.write_text(text, "utf-8")
