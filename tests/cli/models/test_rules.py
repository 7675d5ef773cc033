import json

import pytest
from typer.testing import CliRunner

from shoal import cli
from shoal.audit import item_schema
from shoal.models import KAnonymousRules
from tests.audit.adapters.test_rule_adapter import shop
from tests.audit.trials import quick_audits as quick_audits
from tests.extras import need

need("pandas")
need("mlxtend")

pytestmark = pytest.mark.usefixtures("quick_audits")

CANARY_CASES = {
    "rules": [
        (0, ["people.csv", "--basket", "age", "--item", "city", "--private", "Ulm", "-k", "5"]),
        (2, ["people.csv"]),
        (2, ["torn.csv", "--basket", "age", "--item", "city"]),
    ],
}
FORMAT_CASES = {"rules": "rules {table} --basket age --item ward -k 4"}
ITEMS = ("cherries", "candles", "viagra", "tylenol")
SCHEMA = "".join(
    f'[columns.{item}]\nrole = "{"quasi-identifier" if item[0] == "c" else "sensitive"}"\n'
    for item in ITEMS
)
RULES = [
    {"antecedents": ["cherries"], "consequents": ["viagra"]},
    {"antecedents": ["cherries", "candles"], "consequents": ["tylenol"]},
]


def run(*arguments):
    return CliRunner().invoke(cli.app, [*map(str, arguments)])


@pytest.fixture
def files(tmp_path):
    baskets = shop()
    wide = [",".join(str(int(item in basket)) for item in ITEMS) for basket in baskets]
    (tmp_path / "shop.csv").write_text("\n".join([",".join(ITEMS), *wide]))
    rows = [f"b{n},{item}" for n, basket in enumerate(baskets) for item in basket or [""]]
    (tmp_path / "bought.csv").write_text("\n".join(["basket,item", *rows]))
    (tmp_path / "schema.toml").write_text(SCHEMA)
    (tmp_path / "two.json").write_text(json.dumps(RULES))
    return tmp_path


def test_worked_example_4(files):
    """Cherries: spans of 888, 30 and 82 baskets; safe for k up to 30, and not beyond."""
    two, table = files / "two.json", files / "shop.csv"
    for k, code in ((30, 0), (31, 1)):
        done = run("audit", two, table, "--schema", files / "schema.toml", "-k", k, "--json")
        assert done.exit_code == code, done.output
        found = json.loads(done.stdout)
        assert found["safe_k"] == 30
    assert [breach["rows"] for breach in found["breaches"]] == [30]


def test_rules_are_those_of_the_class_in_both_layouts(files):
    out = files / "rules.json"
    private = ["--private", "viagra", "--private", "tylenol"]
    options = ["-k", 30, "--min-support", 0.02, "--min-confidence", 0.2]
    done = run("rules", files / "shop.csv", *private, *options, "--out", out, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    expected = KAnonymousRules(
        item_schema(ITEMS, ITEMS[2:]), 30, min_support=0.02, min_confidence=0.2
    ).fit(shop())
    assert found["rules"] == json.loads(out.read_text()) == expected.rules_
    assert found["rules"]
    sums = {"weight_before", "weight_after"}  # by which a rule that was left out is computed
    assert found["cost"] == {
        name: n for name, n in expected.cost_.to_dict().items() if name not in sums
    }
    long = run("rules", files / "bought.csv", "--basket", "basket", "--item", "item",
               *private, *options, "--json")  # fmt: skip
    same = json.loads(long.stdout)["rules"]

    def key(rule):
        return json.dumps(rule, sort_keys=True)

    assert sorted(map(key, same)) == sorted(map(key, found["rules"]))
    again = run("audit", out, files / "shop.csv", "--schema", files / "schema.toml", "-k", 30)
    assert again.exit_code == 0, again.output
    assert run("rules", files / "shop.csv", *private, "--out", out).exit_code == 2


def test_a_schema_diversity_and_coarser_items_for_people(files):
    (files / "items.csv").write_text("item,parent\ncherries,food\ncandles,food\n")
    done = run("rules", files / "shop.csv", "--schema", files / "schema.toml", "-k", 20,
               "--diversity", "distinct:2", "--min-support", 0.02,
               "--hierarchy", files / "items.csv")  # fmt: skip
    assert done.exit_code == 0, done.output
    for said in ("rules mined", "left out", "every group has at least 20 rows"):
        assert said in done.stdout


@pytest.mark.parametrize(
    ("table", "options", "said"),
    [
        ("shop.csv", ["--basket", "b"], "go together"),
        ("shop.csv", ["--basket", "b", "--item", "i"], "no column 'b'"),
        ("shop.csv", ["--private", "beer"], "in no basket"),
        ("shop.csv", ["--schema", "schema.toml", "--private", "viagra"], "not both"),
        ("shop.csv", ["--out", "rules.xml"], "cannot tell the format"),
        ("bought.csv", [], "something else than true and false"),
    ],
)
def test_refusals(files, table, options, said):
    done = run("rules", files / table, *options)
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())
