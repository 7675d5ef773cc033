"""Transforms with fixed keys, models of projections, and reading mined results back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.recorder._api import everything, said, save
from tests.recorder._run import INPUTS

RANGES = {"age": (15, 90), "dose": (0, 60), "score": (0, 4)}


def _key() -> Any:
    from shoal.federated import AliasTable, GradedRanges, TransformKey

    columns = {
        "age": GradedRanges.uniform(15, 90, 5),
        "dose": GradedRanges.from_breaks([0, 10, 30, 60], first_name=3),
        "disease": AliasTable("Illness", ("cold", "gout", "flu")),
        "score": AliasTable("score", (3, 1, 0, 4, 2)),
    }
    return TransformKey(columns, blind=bytes(range(32)))


def _read(site: str) -> Any:
    import pandas as pd

    return pd.read_csv(f"{INPUTS}/{site}.csv")


def _transforms() -> None:
    import polars as pl

    from shoal.federated import (
        GradedGrouping,
        KeyTransformer,
        MappingTable,
        decode,
        encode,
    )

    key, table = _key(), _read("gent")
    save("key", {"key": key, "said": repr(key), "longer": key.extend({"disease": ["cough"]})})
    for name, rows in {"pandas": table, "polars": pl.from_pandas(table)}.items():
        encoded = encode(rows, key)
        save(name, {n: list(encoded[n]) for n in encoded.columns})
        back = decode(encoded, key)
        save(f"{name}-back", {n: list(back[n]) for n in back.columns})
    save("transformer", KeyTransformer(key).fit_transform(table))
    save("refused", said(encode, table.assign(age=3), key))
    numbers = table[["age", "dose"]].to_numpy(float)
    grouping = GradedGrouping(n_groups=4).fit(numbers)
    graded = grouping.transform(numbers)
    save("grouping", {"graded": graded, "back": grouping.inverse_transform(graded)})
    texts = table[["disease"]].to_numpy(object)
    mapping = MappingTable([key.columns["disease"]]).fit(texts)
    save("mapping", mapping.transform(texts))


def _read_back() -> None:
    from sklearn.tree import DecisionTreeClassifier, export_text

    f = everything("shoal.federated")
    from shoal.models import KAnonymousTreeClassifier

    key, table = _key(), _read("gent")
    encoded = f.encode(table, key)
    rows = encoded[["age", "dose"]]
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(rows, encoded["disease"])
    decoded, names = f.decode_tree(tree, key, ["age", "dose"])
    save("tree", {"names": names, "text": export_text(decoded, feature_names=names),
                  "classes": decoded.classes_})  # fmt: skip
    own = KAnonymousTreeClassifier(privacy=8).fit(encoded[["age", "disease"]], table["died"])
    save("own", f.decode_tree(own, key)[0].export_text())
    save("centroids", f.decode_centroids(rows.to_numpy()[:9], key, ["age", "dose"]))
    save("text", f.decode_text("age <= 2.5, dose > 3.25 and Illness_1 or score_5", key))
    save("label", [f.decode_label("Illness_2", key), f.decode_items(["Illness_3", 7], key)])
    save("rules", f.decode_rules([{"if": ("Illness_1",), "then": "score_1", "lift": 1.5}], key))
    counted = {("Illness_1", "score_2"): 3, "Illness_2": 4}
    save("contingency", f.decode_contingency(counted, key))


def _kernels() -> None:
    from shoal.federated import RandomKernel, RandomKernelCox, RandomKernelSVC
    from shoal.federated.kernels._survival import survival_target

    table = _read("gent")
    for kernel in ("linear", "gaussian"):
        shared = RandomKernel(RANGES, 2, kernel, random_state=2**100 + 7).fit()
        rows = table[list(RANGES)]
        svc = RandomKernelSVC(shared).fit(rows, table["died"].to_numpy())
        target = survival_target(table["time"].to_numpy(), table["event"].to_numpy())
        cox = RandomKernelCox(shared).fit(rows, target)
        save(kernel, {"fingerprint": shared.fingerprint, "rows": shared.transform(rows),
                      "svc": [svc.coef_, svc.intercept_, svc.decision_function(rows)],
                      "cox": [cox.coef_, cox.predict(rows)]})  # fmt: skip


def _shares() -> None:
    f = everything("shoal.federated")

    shared = f.RandomKernel(RANGES, random_state=2**100 + 7).fit()
    sites = {site: _read(site) for site in ("gent", "leuven")}
    for site, table in sites.items():
        f.write_share(f.make_share(shared, table, site, label="died"), ".")
    shares = f.read_shares(".", list(sites))
    model = f.RandomKernelSVC().fit_shares(shares)
    save("model", [model.coef_, model.intercept_, model.classes_])
    save("shares", shares)
    save("wrong", [said(f.read_shares, ".", ["gent"]), said(shared.check_peer, "0" * 64)])
    studied = {
        site: (table[list(RANGES)], f.survival_target(
            table["time"].to_numpy(), table["event"].to_numpy()))
        for site, table in sites.items()
    }  # fmt: skip
    for model in ("cox", "svm"):
        options = {"n_splits": 4, "n_components": 2}
        save(model, f.compare_sites(studied, RANGES, model, 60.0, **options))


def _numbers() -> None:
    f = everything("shoal.federated")

    times, events = np.arange(1.0, 21.0), np.arange(20) % 3 > 0
    target = f.survival_target(times, events)
    score = np.sin(times)
    save("numbers", {"auc": f.auc_at(target, score, 9.0), "status": f.status_at(target, 9.0),
                     "concordance": f.concordance(target, score)})  # fmt: skip


CASES = {
    "api transforms": _transforms,
    "api reading back": _read_back,
    "api kernels": _kernels,
    "api shares": _shares,
    "api survival": _numbers,
}
"""Names and cases of this module."""
