"""Trees and audits from the command line."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from tests.recorder._estimators import boosted_json, fit_estimators
from tests.recorder._record import Case
from tests.recorder._run import shoal

TREES: dict[str, list[object]] = {
    "gain": [],
    "gain ratio": ["--criterion", "gain_ratio"],
    "gini": ["--criterion", "gini", "--prune"],
    "unpruned": ["--criterion", "gain_ratio", "--no-prune"],
    "shallow": ["--max-depth", 2, "--seed", 3],
    "confidence": ["--confidence", 0.9, "--target", "smoker"],
    "diversity": ["--diversity", 1.5],
    "of job": ["--target", "job", "-k", 20],
    "of few": ["-k", 2, "--test-share", 0.5],
}
PUBLIC = {"antecedents": ["income"], "consequents": ["age"]}


def _tree(*options: object) -> None:
    schema = "@smoker.toml" if "--confidence" in options else "@numbers.toml"
    common = ("tree", "@people.csv", "-s", schema, *options)
    shoal(*common, "--out", "tree.json", "--json")
    shoal(*common)
    for suffix in ("pmml", "dot", "txt"):
        shoal(*common, "--out", f"tree.{suffix}", "-q")
    shoal(*common, "--out", "whole.json", "--test-share", 0, "-q")
    if "--target" in options:  # the schema names another one
        return
    audit = ("audit", "whole.json", "@people.csv", "-s", schema)
    shoal(*audit, "-k", 5)
    shoal(*audit, "-k", 50, "--json", "--figure", "spans.svg")
    shoal("audit", "tree.json", "@people.csv", "-s", schema)


def _other_trees() -> None:
    shoal("tree", "@gaps.parquet", "-s", "@any-job.toml", "--out", "gaps.json", "--json")
    shoal("tree", "@people.parquet", "-s", "@mixed.toml", "--out", "mixed.json", "--json")
    shoal("tree", "@people.csv", "-s", "@people.toml", "-k", 5000, "--json")
    shoal("tree", "@people.csv", "-s", "@people.toml", "--criterion", "luck")
    shoal("tree", "@people.csv", "-s", "@people.toml", "--target", "height")
    shoal("tree", "@people.csv", "-s", "@people.toml", "--out", "tree.xyz")
    shoal("tree", "@people.csv", "-s", "@toys.toml")


def _models() -> None:
    from skops import io

    for name, model in fit_estimators().items():
        path = f"{name}.skops"
        io.dump(model, path)
        more = ["--threshold", 0.5] if name == "linear" else []
        for schema in ("people", "numbers"):
            audit = ("audit", path, "@people.csv", "-s", f"@{schema}.toml", "--other-table", *more)
            shoal(*audit, "-k", 10, "--json")
        shoal(*audit, "-k", 3, "--release", "majority")
        shoal(*audit, "-k", 3, "--release", "frequencies", "--json")
        Path(path).unlink()  # a zip file, with the time in it


def _boosted() -> None:
    for name, text in boosted_json().items():
        Path(f"{name}.json").write_text(text)
        for schema in ("people", "numbers"):
            audit = ("audit", f"{name}.json", "@people.csv", "-s", f"@{schema}.toml")
            shoal(*audit, "--other-table", "-k", 10, "--json")
        shoal(*audit, "-k", 10)
        Path(f"{name}.json").unlink()


def _bad_models() -> None:
    Path("model.json").write_text("{")
    Path("model.txt").write_text("x")
    Path("model.pkl").write_bytes(b"x")
    Path("rules.json").write_text(json.dumps([PUBLIC]))
    for name in ("model.json", "model.txt", "model.pkl", "rules.json", "absent.skops"):
        shoal("audit", name, "@people.csv", "-s", "@numbers.toml")


CASES: dict[str, Case] = {
    **{f"tree {name}": partial(_tree, *options) for name, options in TREES.items()},
    "tree of others": _other_trees,
    "audit models": _models,
    "audit boosted trees": _boosted,
    "audit bad models": _bad_models,
}
"""Names and cases of this module."""
