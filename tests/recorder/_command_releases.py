"""Releases from the command line: every method, condition, format and option, and what follows."""

from __future__ import annotations

from functools import partial

from tests.recorder._record import Case
from tests.recorder._run import shoal

METHODS = ("bottom-up", "top-down", "local", "full-domain", "mondrian", "constrained")
CONDITIONS: dict[str, list[str]] = {
    "k": [],
    "distinct": ["--diversity", "distinct:3"],
    "entropy": ["--diversity", "entropy:1.8"],
    "recursive": ["--diversity", "recursive:4:2"],
    "closeness": ["--diversity", "t:0.35"],
    "alpha": ["--privacy", "alpha:0.7"],
    "p-sensitive": ["--privacy", "p-sensitive:2"],
    "beta": ["--privacy", "beta:3"],
    "several": ["--diversity", "distinct:2@illness", "--diversity", "t:0.5"],
}
ON_OTHER_COLUMNS = {
    "proximity": ("numbers.toml", ["--diversity", "proximity:20:1.5@income"]),
    "closeness of numbers": ("numbers.toml", ["--diversity", "t:0.3@income"]),
    "distinct in both": ("numbers.toml", ["--diversity", "distinct:3"]),
    "confidence": ("smoker.toml", ["--diversity", "confidence:0.9"]),
}
OPTIONS: dict[str, list[str]] = {
    **{
        f"bottom-up metric {metric}": ["-m", "bottom-up", "--metric", metric]
        for metric in ("information", "ncp", "discernibility", "weighted")
    },
    **{
        f"top-down metric {metric}": ["-m", "top-down", "--metric", metric]
        for metric in ("ncp", "discernibility", "weighted")
    },
    **{
        f"full-domain metric {metric}": ["-m", "full-domain", "--metric", metric]
        for metric in ("ncp", "precision", "entropy", "discernibility", "classification")
    },
    "bottom-up anneal": ["-m", "bottom-up", "--set", "search=anneal", "--set", "iterations=300"],
    "bottom-up partial": ["-m", "bottom-up", "--set", "partial=true"],
    "bottom-up unpruned": ["-m", "bottom-up", "--set", "prune=false"],
    "full-domain heuristic": ["-m", "full-domain", "--set", "search=heuristic"],
    "local rough": ["-m", "local", "--set", "refine=false"],
    "local trees": ["-m", "local", "--set", "ranges=false"],
    "constrained refined": ["-m", "constrained", "--set", "refine=true"],
    "constrained leaves": ["-m", "constrained", "--set", "metric=leaves"],
    "constrained pieces": ["-m", "constrained", "--set", "neighbours=pieces"],
    "mondrian weights": ["-m", "mondrian", "--weight", "age=3", "--weight", "job=1"],
    "mondrian full": ["-m", "mondrian", "--set", "splits=full", "--set", "relaxed=true"],
    "mondrian scores": [
        *("-m", "mondrian", "--set", "gain=1", "--set", "loss=1"),
        *("--set", "spread=0.5", "--set", "priority=0"),
    ],
    "mondrian workload": ["-m", "mondrian", "--workload", "@queries.sql"],
    "mondrian strict workload": ["-m", "mondrian", "--workload", "@queries.sql", "--strict"],
    "auto": ["-m", "auto"],
    "auto classification": ["-m", "auto", "--purpose", "classification"],
    "auto queries": ["-m", "auto", "--purpose", "queries"],
}
REFUSED: dict[str, list[str]] = {
    "infeasible": ["-k", "5000"],
    "k of zero": ["-k", "0"],
    "nothing asked": [],
    "unknown condition": ["-k", "3", "--diversity", "nonsense:1"],
    "condition without number": ["-k", "3", "--diversity", "entropy"],
    "condition on another column": ["-k", "3", "--diversity", "distinct:2@height"],
    "condition out of reach": ["-k", "3", "--diversity", "distinct:30"],
    "unknown method": ["-k", "3", "-m", "magic"],
    "unknown parameter": ["-k", "3", "--set", "speed=9"],
    "parameter without value": ["-k", "3", "--set", "speed"],
    "suppression above one": ["-k", "3", "--suppress", "2"],
    "purpose without auto": ["-k", "3", "--purpose", "general"],
    "unknown metric": ["-k", "3", "--metric", "beauty"],
    "weight of nobody": ["-k", "3", "-m", "mondrian", "--weight", "nobody=1"],
    "weight without number": ["-k", "3", "-m", "mondrian", "--weight", "age"],
    "wrong format": ["-k", "3", "-o", "r.xls"],
    "unknown option": ["-k", "3", "--magic"],
}


def release(*more: object, table: str = "people.csv", schema: str = "people.toml") -> None:
    """`shoal anonymize` into ``r.csv`` unless told otherwise."""
    out = [] if "-o" in more else ["-o", "r.csv"]
    shoal("anonymize", f"@{table}", "-s", f"@{schema}", *out, *more)


def _release(*more: object, **files: str) -> None:
    release("-k", 5, *more, "--json", **files)


def _after(method: str) -> None:
    """A release as people see it, and everything that can be done with its files."""
    release("-k", 5, "-m", method)
    shoal("check", "r.csv", "-s", "r.schema.toml", "-k", 5)
    shoal("check", "r.csv", "-s", "@people.toml", "-k", 5, "--privacy", "distinct:3", "--json")
    shoal("metrics", "r.csv", "-s", "r.schema.toml")
    shoal("metrics", "r.csv", "-s", "r.schema.toml", "--json")
    shoal("apply", "r.private/recoding.json", "@later.csv", "-o", "new.csv")
    shoal("apply", "r.private/recoding.json", "@later.parquet", "-o", "new.parquet", "--json")
    shoal("apply", "r.csv", "@later.csv", "-o", "left.csv", "--unseen", "suppress",
          "--keep-suppressed", "--json")  # fmt: skip
    shoal(
        "apply",
        "r.private/recoding.json",
        "@later.csv",
        "-o",
        "no.csv",
        "--unseen",
        "error",
        "--json",
    )
    shoal("attack", "release", "r.csv", "-s", "@people.toml", "--people", "@people.csv")
    shoal("attack", "release", "r.csv", "-s", "@people.toml", "--people", "@people.csv",
          "--known", 1, "--known", 17, "--second", "@people.csv", "--json")  # fmt: skip
    shoal("report", "r.csv", "--json")
    shoal("report", "r.csv", "--original", "@people.csv", "-o", "with-original.html")


def _kept() -> None:
    _release("-m", "top-down", "--suppress", 0.1, "--keep-suppressed", "--ranges", "age")
    shoal("check", "r.csv", "-s", "@people.toml", "-k", 5, "--ignore-stars")
    shoal("check", "r.csv", "-s", "@people.toml", "-k", 5, "--json")


def _gaps() -> None:
    for method in METHODS:
        out = ["-o", f"{method}.csv", "-m", method]
        _release(*out, table="gaps.csv")  # a job that the tree lacks: refused
        _release(*out, "--missing-to-root", table="gaps.csv")
        shoal("check", f"{method}.csv", "-s", "@people.toml", "-k", 5, "--json")
    _release("-o", "p.parquet", "--missing-to-root", table="gaps.parquet")
    _release("-o", "l.csv", "--missing-to-root", "--encoding", "latin-1", table="latin.csv")
    _release("-o", "u.csv", "--missing-to-root", table="latin.csv")


def _there_already() -> None:
    release("-k", 5, "-q")
    release("-k", 5, "-q")
    release("-k", 5, "-q", "--force", "-m", "mondrian")


def _bad_files() -> None:
    release("-k", 5, table="absent.csv")
    release("-k", 5, table="not-a-table.csv")
    release("-k", 5, schema="absent.toml")
    release("-k", 5, schema="broken.toml")
    release("-k", 5, schema="no-zip.toml")
    release("-k", 5, schema="people.csv")
    shoal("apply", "@absent.json", "@later.csv", "-o", "r.csv")
    shoal("apply", "@people.toml", "@later.csv", "-o", "r.csv", "--json")
    shoal("report", "@people.csv")


def _demo() -> None:
    shoal("demo", "--generated", "--out", ".")
    shoal("demo", "--generated", "--out", ".", "--json")
    shoal("demo", "--generated", "--out", ".", "--json", "--force")


CASES: dict[str, Case] = {
    **{
        f"anonymize {method}, {name}": partial(_release, "-m", method, *condition)
        for method in METHODS
        for name, condition in CONDITIONS.items()
    },
    **{
        f"anonymize {method}, {name}": partial(_release, "-m", method, *condition, schema=schema)
        for method in METHODS
        for name, (schema, condition) in ON_OTHER_COLUMNS.items()
    },
    **{
        f"anonymize {method}, {name}": partial(
            _release, "-m", method, "-o", out, table=table, schema=schema
        )
        for method in METHODS
        for name, out, table, schema in (
            ("parquet", "r.parquet", "people.parquet", "people.toml"),
            ("limits", "r.csv", "people.csv", "limits.toml"),
            ("mixed", "r.parquet", "people.parquet", "mixed.toml"),
        )
    },
    **{
        f"anonymize {method}, tight": partial(
            _release, "-m", method, "--suppress", 0.1, schema="tight.toml"
        )
        for method in ("bottom-up", "top-down", "local", "full-domain")
    },
    **{
        f"anonymize {method}, tight": partial(_release, "-m", method, schema="tight.toml")
        for method in ("mondrian", "constrained")
    },
    **{f"anonymize {name}": partial(_release, *options) for name, options in OPTIONS.items()},
    "anonymize csv to arrow": partial(_release, "-m", "local", "-o", "r.arrow"),
    "anonymize parquet to csv": partial(_release, "-m", "mondrian", table="people.parquet"),
    "anonymize a folder": partial(_release, "-o", "r.parquet", table="parts"),
    "anonymize ranges": partial(_release, "-m", "mondrian", "--ranges", "age", "--ranges", "age"),
    "anonymize keep suppressed": _kept,
    "anonymize gaps": _gaps,
    "anonymize there already": _there_already,
    **{f"refused {name}": partial(release, *more, "--json") for name, more in REFUSED.items()},
    "refused bad files": _bad_files,
    **{f"after {method}": partial(_after, method) for method in METHODS},
    "demo": _demo,
}
"""Names and cases of this module."""
