"""A project in which whatever can be named or written is a script, or breaks out of quotes."""

import json
import sqlite3
from dataclasses import replace

from shoal.anonymize._registry import make_method
from shoal.privacy import KAnonymity
from shoal.schema import Schema
from shoal.schema._builders import Tree
from shoal.tables import RowOptions, open_table
from tests.studio.desks import Bureau

IMAGE = "<img src=x onerror=\"document.title='pwned'\">"
EVIL = f"'\"><script>document.title='pwned'</script>{IMAGE}"
SHORT = "'\"><img src=x>"
"""For places where no slash may be, or little."""
SIGNS = ("<script>document", "<img src=x")
"""What a page must not hold: it would run."""


def house(folder):
    """A database with two tables, one of an evil name with evil columns and values."""
    path = folder / f"{SHORT}house.db"
    rows = [(20 + n % 9, f"{EVIL}{n % 4}", f"{EVIL}{n % 2}", f"P{n}") for n in range(80)]
    quoted = EVIL.replace('"', '""')
    with sqlite3.connect(path) as base:
        base.execute(f'CREATE TABLE "{quoted}" (age INTEGER, "{quoted}" TEXT, ill TEXT, pid TEXT)')
        base.execute("CREATE TABLE other (x TEXT)")
        base.executemany(f'INSERT INTO "{quoted}" VALUES (?, ?, ?, ?)', rows)
    base.close()
    return path


def schema():
    """Groups, reasons and roles of that table; people get tokens, so that a key is asked for."""
    groups = {f"{EVIL} north": [f"{EVIL}0", f"{EVIL}1"], "south": [f"{EVIL}2", f"{EVIL}3"]}
    columns = {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        EVIL: {"role": "quasi-identifier", "kind": "categorical"},
        "ill": {"role": "sensitive", "kind": "categorical", "target": True},
        "pid": {"role": "pseudonym", "kind": "categorical"},
    }
    made = Schema(columns)
    return Schema({**made, EVIL: replace(made[EVIL], hierarchy=Tree(groups))})


def project(folder):
    """Everything filled in, and a release that somebody named so."""
    bureau = Bureau(folder, house(folder))
    bureau.act("table", "reading", database_table=EVIL, missing=f"{SHORT}, ?")
    bureau.desk.project.save_schema(schema(), {EVIL: [EVIL], "age": [EVIL]})
    keys = folder / f"{SHORT}keys"
    keys.mkdir()
    own = bureau.desk.project
    own.set(method="top-down", k=3, recipient="contract", key=str(keys / f"{SHORT}.key"))
    own.note(EVIL, EVIL, EVIL)
    return bureau


def with_release(bureau, name=f"{SHORT}first.csv"):
    """A release by the command line's own writer, under a name that the studio would refuse."""
    own = bureau.desk.project
    table = open_table(own.table, table=EVIL)
    method = make_method("top-down", own.schema, KAnonymity(3))
    method.fit(table, output=RowOptions(shuffle=0, key=b"k" * 32))
    (own.folder / "releases").mkdir(exist_ok=True)
    path = own.folder / "releases" / name
    method.release_.write(path)
    signed = {"release": name, "digest": "", "signed": EVIL, "names": {"roles": EVIL}}
    path.with_name(f"{path.stem}.signed.json").write_text(json.dumps(signed))
    return path


def answers(bureau, path):
    """Results and forms of evil words, as if somebody had asked with them."""
    desk = bureau.desk
    bureau.act("sign", "dossier", release=path.name, purpose=EVIL, name=EVIL, recipient=EVIL)
    desk.results["peer"] = {"path": EVIL, "fingerprint": EVIL}
    desk.results["together as"] = {
        "way": "connect", "address": EVIL, "target": EVIL, "max_depth": 1,
    }  # fmt: skip
    desk.results["audit of"] = {"model": EVIL, "k": 3, "publishes": "counts"}
