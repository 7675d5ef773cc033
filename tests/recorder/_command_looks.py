"""Commands that look at tables: help, schemas, checks, metrics, quasi-identifiers, comparisons."""

from __future__ import annotations

from functools import partial

from tests.recorder._record import Case
from tests.recorder._run import shoal

COMMANDS = (
    "anonymize", "apply", "attack", "attack release", "attack table", "attack kernel", "audit",
    "check", "compare", "demo", "frontier", "mask", "metrics", "quasi", "report", "reproduce",
    "schema", "schema suggest", "schema show", "site", "site key", "site key new", "site key show",
    "site key extend", "site kernel", "site kernel new", "site kernel show", "site encode",
    "site combine", "site decode", "site share", "tree", "twoparty", "twoparty keys",
    "twoparty id3", "twoparty bayes-net", "version",
)  # fmt: skip
TABLES = ("people.csv", "people.parquet", "gaps.csv", "gent.csv", "parts")
SCHEMAS = ("people", "numbers", "limits", "mixed", "toys", "broken", "absent")


def _help() -> None:
    shoal("--help")
    shoal()
    shoal("nonsense")
    for command in COMMANDS:
        shoal(*command.split(), "--help")


def _suggest(table: str) -> None:
    shoal("schema", f"@{table}")
    shoal("schema", "suggest", f"@{table}", "--out", "schema.toml", "--json")
    shoal("schema", f"@{table}", "--out", "schema.toml")
    shoal("schema", "show", "schema.toml")


def _show() -> None:
    for name in SCHEMAS:
        shoal("schema", "show", f"@{name}.toml")
        shoal("schema", "show", f"@{name}.toml", "--json")


def _check() -> None:
    for table in ("people.csv", "people.parquet"):
        raw = ("check", f"@{table}", "-s", "@people.toml")
        shoal(*raw, "-k", 1)
        shoal(*raw, "-k", 3)
        shoal(*raw, "-k", 3, "--privacy", "distinct:2", "--privacy", "t:0.3", "--json")
        shoal(*raw)
    shoal("check", "@people.csv", "-s", "@numbers.toml", "--privacy", "proximity:10:2@income")
    shoal("check", "@people.csv", "-s", "@no-zip.toml", "-k", 3)
    shoal("check", "@gaps.csv", "-s", "@people.toml", "-k", 3)


def _metrics() -> None:
    for table, schema in (
        ("people.csv", "people"),
        ("gaps.parquet", "numbers"),
        ("parts", "mixed"),
    ):
        shoal("metrics", f"@{table}", "-s", f"@{schema}.toml")
        shoal("metrics", f"@{table}", "-s", f"@{schema}.toml", "--json")


def _quasi() -> None:
    shoal("quasi", "@people.csv", "--json", "--plot", "quasi.svg")
    shoal("quasi", "@people.csv", "-c", "age", "-c", "zip", "-c", "job", "-c", "sex")
    shoal("quasi", "@gaps.parquet", "--bins", "age=5", "--bins", "income=50", "--max-size", 2,
          "-c", "age", "-c", "income", "-c", "school", "--json")  # fmt: skip
    shoal("quasi", "@people.csv", "--weight", "income=9", "--weight", "born=9", "--weight",
          "name=99", "--json")  # fmt: skip
    shoal("quasi", "@people.csv", "--examine", "sample", "--seed", 1, "--eps", 0.05, "--json")
    shoal("quasi", "@people.csv", "--bins", "age", "--json")
    shoal("quasi", "@people.csv", "-c", "height")


def _mask() -> None:
    shoal("mask", "@people.csv", "--beta", 0.2, "--out", "masked.csv")
    shoal("mask", "@people.parquet", "--beta", 0.3, "--out", "masked.parquet", "--json")
    shoal("mask", "@people.csv", "--beta", 0.95, "--kind", "separation", "--json")
    shoal("mask", "@people.csv", "--beta", 0.2, "--weight", "job=5", "--weight", "zip=2", "--json")
    shoal("mask", "@people.csv", "--beta", 0.2, "--sample", 300, "--seed", 2, "--json")
    shoal("mask", "@people.csv", "--beta", 7)


def _compare() -> None:
    shoal("compare", "@people.csv", "-s", "@people.toml", "-k", 5, "--json")
    shoal("compare", "@people.parquet", "-s", "@people.toml", "-k", 5, "--diversity", "distinct:2",
          "-m", "local", "-m", "top-down", "--suppress", 0.05, "--test", "@later.csv",
          "--json")  # fmt: skip
    shoal("compare", "@people.csv", "-s", "@people.toml", "-k", 5, "-m", "magic", "--json",
          "--plot", "compare.svg")  # fmt: skip


def _frontier() -> None:
    common = ("frontier", "@people.csv", "-s", "@people.toml", "--jobs", 1)
    shoal(*common, "-o", "f.svg", "-k", "2,10,5000", "--json")
    shoal(*common, "-o", "g.svg", "-k", "5,20", "-m", "local", "-m", "mondrian", "--diversity",
          "distinct:2", "--lattice", "lattice.svg", "--json")  # fmt: skip
    shoal(*common, "-o", "h.svg", "-k", "two")


def _reproduce() -> None:
    shoal("reproduce", "--list")
    shoal("reproduce", "--list", "--json")
    shoal("reproduce", "nonsense")
    shoal("reproduce", "quasi-masking", "--quick", "--json")
    shoal("reproduce", "quasi-keys", "--quick", "--json")
    shoal("reproduce", "random-kernel", "--quick", "--json")
    shoal("reproduce", "secure-logarithm", "--quick", "--json")


CASES: dict[str, Case] = {
    "help": _help,
    **{f"schema of {table}": partial(_suggest, table) for table in TABLES},
    "schema show": _show,
    "check": _check,
    "metrics": _metrics,
    "quasi": _quasi,
    "mask": _mask,
    "compare": _compare,
    "frontier": _frontier,
    "reproduce": _reproduce,
}
"""Names and cases of this module."""
