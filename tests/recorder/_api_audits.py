"""Audits and attacks that need an object of the model or of the release."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.recorder._api import said, save
from tests.recorder._api_models import _schema, baskets
from tests.recorder._api_releases import make
from tests.recorder._estimators import NUMBERS, TEXTS, fit_estimators, read_people


def _people() -> tuple[Any, Any]:
    columns = [*TEXTS, *NUMBERS, "illness"]
    return read_people()[columns], _schema(keep=columns)


def _audits() -> None:
    """Models as objects; conditions and domains, which no command takes."""
    from shoal.audit import audit
    from shoal.privacy import DistinctDiversity, TCloseness

    table, schema = _people()
    for name, model in fit_estimators().items():
        more = {"threshold": 0.5} if name == "linear" else {}
        found = audit(model, table, schema, k=4, check_table=False, **more)
        save(name, {"audit": found, "text": found.to_text(), "rows": found.span_of_row,
                    "said": repr(found)})  # fmt: skip
        wide = audit(model, table, schema, k=4, check_table=False, domain={"income": (0, 9999)},
                     privacy=DistinctDiversity(2) & TCloseness(0.5), **more)  # fmt: skip
        save(f"{name}-wide", wide)


def _functions() -> None:
    from shoal.audit import audit

    table, schema = _people()
    table = table.head(300)

    def guess(rows: Any) -> Any:
        old = np.asarray(rows["age"], float) > 50
        return np.where(old & (np.asarray(rows["income"], float) > 300), "ill", "well")

    save("all", audit(guess, table, schema, k=4))
    save("sampled", audit(guess, table, schema, k=4, max_points=20, random_state=2))
    save("wrong", [said(audit, guess, table, schema, k=0), said(audit, object(), table, schema)])


def _of_shoal() -> None:
    from shoal.attacks import linking_attack
    from shoal.audit import audit, item_schema
    from shoal.models import KAnonymousClustering, KAnonymousRules, KAnonymousTreeClassifier

    table, schema = _people()
    tree = KAnonymousTreeClassifier(schema, 10).fit(table.drop(columns="illness"), table["illness"])
    few = table.head(300)
    clusters = KAnonymousClustering(schema, 10, max_tries=60).fit(few)
    drawn, private, parents = baskets()
    rules = KAnonymousRules(item_schema(parents, private), 15, min_support=0.1).fit(drawn)
    save("tree", audit(tree, table, schema, k=10))
    save("clusters", audit(clusters, few, schema, k=10))
    columns = rules.to_columns(drawn)
    save("rules", audit(rules.rules_, columns, item_schema(columns, rules.private_), k=15))
    save("rules-apart", audit(rules.rules_, drawn, item_schema(sorted(columns), ["a", "c"]), k=40))
    for column in ("illness", "income"):
        found = linking_attack(tree, table, schema, column=column, known=[3, 14])
        save(f"linked-{column}", found)


def _linked() -> None:
    from shoal.attacks import linking_attack
    from shoal.schema import Schema

    table = read_people()
    schema = Schema.from_toml("../inputs/people.toml")
    for method in ("local", "mondrian", "full-domain"):
        release = make(method).fit(table).release_
        second = make("top-down", k=10).fit(table).release_
        one = linking_attack(release, table, schema)
        save(method, {"alone": one, "said": repr(one), "known": linking_attack(
            release, table, schema, second=second, known=range(40))})  # fmt: skip


CASES = {
    "api audits": _audits,
    "api audits of functions": _functions,
    "api audits of shoal's models": _of_shoal,
    "api linking": _linked,
}
"""Names and cases of this module."""
