"""Clusters, rules and trees as estimators; trees and nets of two parties in one process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.recorder._api import save
from tests.recorder._estimators import read_people
from tests.recorder._run import INPUTS


def conditions() -> dict[str, Any]:
    """Privacy models that a published model may have to meet."""
    from shoal import privacy as p

    return {
        "k": p.KAnonymity(8),
        "distinct": p.KAnonymity(4) & p.DistinctDiversity(2),
        "entropy": p.EntropyDiversity(1.5),
        "closeness": p.TCloseness(0.4),
        "alpha": p.AlphaKAnonymity(0.8, 5),
    }


def _schema(name: str = "numbers", keep: Any = None) -> Any:
    from shoal.schema import Schema

    found = Schema.from_toml(f"{INPUTS}/{name}.toml")
    return Schema({n: column for n, column in found.items() if keep is None or n in keep})


def _clusters() -> None:
    from shoal.models import KAnonymousClustering

    columns = ["age", "school", "income", "illness"]
    table = read_people()[columns].head(300)
    schema = _schema(keep=columns)
    for name, privacy in conditions().items():
        model = KAnonymousClustering(schema, privacy, min_rows=8).fit(table)
        save(name, {"centers": model.cluster_centers_, "labels": model.labels_,
                    "rows": model.center_rows_, "tried": [model.n_tried_, model.n_refused_],
                    "later": model.predict(read_people()[columns].tail(50))})  # fmt: skip
        Path(f"{name}.clusters.json").write_text(model.to_json())
    plain = KAnonymousClustering(n_clusters=4, scale=False).fit(table[["age", "income"]])
    save("plain", {"centers": plain.cluster_centers_, "labels": plain.labels_})
    wide = KAnonymousClustering(schema, 8, max_tries=40, domain={"income": (0, 5000)}).fit(table)
    save("wide", {"centers": wide.cluster_centers_, "labels": wide.labels_})


def baskets(seed: int = 5) -> tuple[list[list[str]], list[str], dict[str, str]]:
    """Baskets, private items, and the parent of each item."""
    rng = np.random.default_rng(seed)
    items = list("abcdefgh")
    drawn = [[i for i in items if rng.random() < 0.45] for _ in range(300)]
    return drawn, ["b", "e", "g"], {i: "vowel" if i in "ae" else "consonant" for i in items}


def _rules() -> None:
    from shoal.audit import item_schema
    from shoal.models import KAnonymousRules

    drawn, private, parents = baskets()
    for name, options in {
        "plain": {},
        "coarser": {"hierarchy": parents},
        "open": {"close_channels": False, "max_items": 3},
    }.items():
        model = KAnonymousRules(item_schema(parents, private), 15, min_support=0.1, **options).fit(
            drawn
        )
        counts = {name: column.sum() for name, column in model.to_columns(drawn).items()}
        save(name, {"rules": model.rules_, "cost": model.cost_, "private": model.private_,
                    "columns": counts})  # fmt: skip


def _trees() -> None:
    import polars as pl

    from shoal.models import KAnonymousTreeClassifier

    columns = ["age", "sex", "school", "job", "income"]
    people = read_people()
    schema = _schema(keep=[*columns, "illness"])
    weights = np.random.default_rng(0).integers(0, 3, len(people)).astype(float)
    for name, privacy in conditions().items():
        model = KAnonymousTreeClassifier(schema, privacy, criterion="gini", unseen="majority")
        model.fit(people[columns], people["illness"], sample_weight=weights)
        again = KAnonymousTreeClassifier(schema, privacy, min_gain=0.01)
        again.fit(pl.from_pandas(people[columns]), people["illness"].to_numpy())
        save(name, {"weighted": model.to_dict(), "plain": again.to_dict(),
                    "applied": again.apply(people[columns]), "text": again.export_text(),
                    "chances": again.predict_proba(people[columns].head(30)),
                    "guarantee": again.guarantee()})  # fmt: skip


def _two_parties() -> None:
    from shoal.parties import run_parties
    from shoal.secure import FirstParty, SecondParty, SecureBayesNet, SecureID3, TablePart

    rng = np.random.default_rng(1)
    names, values = ["x", "y", "z"], [["0", "1"], ["0", "1", "2"], ["no", "yes"]]
    codes = np.stack([rng.integers(0, n, 80) for n in (2, 3, 2)], axis=1).astype(np.int32)
    codes[:60, 2] = codes[:60, 0]
    mine = rng.random(codes.shape) < 0.5
    rows = [TablePart(names, values, part, "rows") for part in (codes[:30], codes[30:])]
    cells = [TablePart(names, values, np.where(m, codes, -1), "cells") for m in (mine, ~mine)]

    def mined(make: Any, parts: list[Any]) -> list[Any]:
        return list(run_parties(
            lambda line: make().fit(parts[0], FirstParty(line)),
            lambda line: make().fit(parts[1], SecondParty(line)),
        ))  # fmt: skip

    for kind in ("chebyshev", "taylor", "fast"):
        one, two = mined(lambda kind=kind: SecureID3("z", max_depth=2, logarithm=kind), rows)
        save(f"tree-{kind}", [one.tree_, two.tree_, one.n_logarithms_, one.tree_.to_text()])
    one, two = mined(lambda: SecureID3("z", max_depth=2, reveal_counts=True), cells)
    save("tree-of-cells", [one.tree_, two.counts_])
    one, two = mined(lambda: SecureBayesNet(max_parents=1), cells)
    save("net", [one.structure_, two.structure_, one.n_logarithms_, one.structure_.to_text()])


CASES = {
    "api clusters": _clusters,
    "api rules": _rules,
    "api trees": _trees,
    "api two parties": _two_parties,
}
"""Names and cases of this module."""
