"""Every worked example of the papers, from the command line, compared cell by cell."""

import csv
import json
import os
from collections import Counter

import pytest
from sklearn.neighbors import NearestCentroid
from typer.testing import CliRunner

from shoal.cli import app
from tests.anonymize.clusters.test_constrained import ROWS as LIMITED_ROWS
from tests.audit.adapters.test_rule_adapter import RULES, shop
from tests.audit.people import MORTGAGE
from tests.cli import worked_example
from tests.discover.tables import EXAMPLE as KEYS
from tests.extras import ROOT, need
from tests.models.clusters.test_clustering import FIGURE_5
from tests.models.tables import clients

pd = need("pandas")

PAGE = ROOT / "docs" / "evidence" / "worked-examples.md"
LINES = {
    "bottom-up": "anonymize table.csv -s schema.toml -k 3 --method bottom-up -o released.csv",
    "mondrian": "anonymize people.csv -s people.toml -k 2 --method mondrian --set ranges=exact "
    "--keep-order -o released.csv",
    "limits": "anonymize people.csv -s people.toml -k 2 --method constrained --set ranges=exact "
    "--keep-order -o released.csv",
    "keys": "quasi people.csv",
    "mask": "mask people.csv --beta 0.8 -o published.csv",
    "mortgage": "tree mortgage.csv -s roles.toml -k 3 --test-share 0 -o tree.json",
    "mortgage audit": "audit tree.json mortgage.csv -s roles.toml -k 3",
    "mortgage table": "metrics mortgage.csv -s public.toml",
    "clients": "tree clients.csv -s roles.toml -k 3 --test-share 0",
    "clients table": "anonymize clients.csv -s roles.toml -k 3 --method tree --keep-order "
    "-o released.csv",
    "incomes": "audit centroids.skops incomes.csv -s roles.toml -k 2",
    "cherries": "audit rules.json baskets.csv -s items.toml -k 30",
    "figure 5": "cluster points.csv -s points.toml -k 3 --clusters 3 --no-scale --min-rows 1 "
    "--domain result=3:10",
    "grading": "site encode people.csv --key sites.key --site gent --to . --keep-order "
    "--no-attacks",
}
"""The command of each example; the page lists all of them."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOAL_PASSPHRASE", "open sesame")
    return tmp_path


def run(name, *more, code=0):
    """Run the command of an example; what it says, as JSON."""
    done = CliRunner(env=dict(os.environ)).invoke(app, [*LINES[name].split(), *more, "--json"])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def write(path, columns):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def rows(path):
    with path.open(encoding="utf-8") as file:
        return [tuple(row) for row in csv.reader(file)][1:]


def describe(path, **roles):
    """A schema: p public, s private, n numeric, t the target."""
    lines = []
    for name, letters in roles.items():
        words = [f'role = "{"sensitive" if "s" in letters else "quasi-identifier"}"']
        words += ['kind = "numeric"'] * ("n" in letters) + ["target = true"] * ("t" in letters)
        lines.append(f"columns.{name} = {{{', '.join(words)}}}")
    path.write_text("\n".join(lines) + "\n")


def test_bottom_up_takes_one_step(folder):
    worked_example.write(folder)
    run("bottom-up")
    assert Counter("".join(row[:3]) for row in rows(folder / "released.csv")) == {
        "c1b2a3": 4, "c1b2c3": 4, "c1b2d3": 3, "c1f2a3": 3, "c1f2b3": 4, "d1f2b3": 7, "d1f2e3": 4,
    }  # fmt: skip


def test_mondrian_s_four_people(folder):
    write(
        folder / "people.csv",
        {"age": [25, 28, 28, 26], "sex": list("MFMF"), "zip": [53710, 53712, 53711, 53712]},
    )
    describe(folder / "people.toml", age="pn", sex="p", zip="pn")
    run("mondrian")
    men, women = ("[25-28]", "M", "[53710-53711]"), ("[26-28]", "F", "53712")
    assert rows(folder / "released.csv") == [men, women, men, women]


def test_figure_4b_of_limits(folder):
    names = ("Age", "Location", "Sex", "Race")
    write(folder / "people.csv", dict(zip(names, zip(*LIMITED_ROWS, strict=True), strict=True)))
    describe(folder / "people.toml", Age="pn", Sex="p", Race="p")
    with (folder / "people.toml").open("a") as file:
        file.write(
            '[columns.Location]\nrole = "quasi-identifier"\n'
            'limit = ["California", "Kansas", "Midwest"]\n'
            'hierarchy = {tree = {"West Coast" = {California = ["San Diego", "Los Angeles"]}, '
            'Midwest = {Kansas = ["Wichita", "Kansas City"], Nebraska = ["Lincoln"]}}}\n'
        )
    run("limits")
    west, middle = ("[30-32]", "California", "M", "W"), ("[25-42]", "Kansas", "*", "*")
    north = ("[20-35]", "Lincoln", "*", "*")
    assert rows(folder / "released.csv") == [west, west, middle, middle, north, north, middle]


def test_keys_and_masks_of_five_people(folder):
    write(folder / "people.csv", KEYS)
    said = run("keys")
    age = said["columns"][0]
    assert (age["distinct_ratio"], age["separation_ratio"]) == (0.6, 0.8)
    assert said["minimal_keys"]["keys"] == [["age", "sex"], ["age", "state"]]
    assert said["key"]["cost"] == 2
    assert run("mask")["published"] == ["sex", "state"]
    assert sorted(rows(folder / "published.csv"))[0] == ("F", "CA")
    told = run("mask", "--kind", "separation", "--force")
    assert len(told["published"]) == 1


def test_six_mortgages(folder):
    write(folder / "mortgage.csv", MORTGAGE)
    describe(folder / "roles.toml", marital="p", car="s", risk="st")
    said = run("mortgage")
    leaves = {leaf["path"]: (leaf["rows"], leaf["class"]) for leaf in said["leaves"]}
    assert sorted(n for n, _ in leaves.values()) == [1, 2, 3]  # and nobody is alone in a span
    assert said["largest_k"] == 3
    assert sorted(run("mortgage audit")["spans"]["population"]) == [3, 3]
    line = "audit tree.json mortgage.csv -s roles.toml -k 4"
    assert CliRunner().invoke(app, line.split()).exit_code == 1
    describe(folder / "public.toml", marital="p", car="p", risk="st")
    assert run("mortgage table")["smallest_group"] == 1  # John, where cars are seen


def write_table_1(folder):
    columns, risk = clients()
    named = {name.replace(" ", "_"): values for name, values in columns.items()}
    write(folder / "clients.csv", {**named, "risk": risk.tolist()})
    describe(folder / "roles.toml", gender="p", married="p", age="p", sports_car="p", risk="st")


def test_twelve_clients_and_their_table(folder):
    write_table_1(folder)
    said = run("clients")
    assert [leaf["rows"] for leaf in said["leaves"]] == [3, 3, 3, 3]
    assert sorted(leaf["confidence"] for leaf in said["leaves"]) == pytest.approx(
        [2 / 3] * 2 + [1, 1]
    )
    assert said["largest_k"] == 3
    run("clients table")
    columns, risk = clients()
    expected = []
    for gender, married, age in zip(*list(columns.values())[:3], strict=True):
        man = gender == "Male"
        expected.append((gender, "*" if man else married, age if man else "*", "*"))
    assert rows(folder / "released.csv") == [
        (*row, own) for row, own in zip(expected, risk.tolist(), strict=True)
    ]


def test_four_centroids_of_figure_3(folder):
    skops = need("skops.io")
    columns = {
        "zip": [110.01, 110.01, 130.10, 130.10, 143.84, 150.13],
        "income": [9.8, 6.2, 3.6, 11.5, 4.4, 10.0],
    }
    write(folder / "incomes.csv", columns)
    describe(folder / "roles.toml", zip="pn", income="sn")
    model = NearestCentroid().fit(pd.DataFrame(columns), [0, 0, 2, 1, 2, 3])
    model.centroids_[:] = [[110, 8], [136, 11], [137, 4], [163, 10]]
    skops.dump(model, folder / "centroids.skops")
    said = run("incomes", code=1)
    told = dict(zip(said["spans"]["population"], said["spans"]["bins"], strict=True))
    assert told == {2: 1, 3: 2, 1: 2}  # John and Cathy; three people; Lisa
    assert [breach["rows"] for breach in said["breaches"]] == [1]


def test_cherries(folder):
    baskets = shop()
    items = ("cherries", "candles", "viagra", "tylenol")
    has = {item: [int(item in basket) for basket in baskets] for item in items}
    write(folder / "baskets.csv", has)
    describe(folder / "items.toml", cherries="p", candles="p", viagra="s", tylenol="s")
    pairs = zip(RULES["antecedents"], RULES["consequents"], strict=True)
    rules = [{"antecedents": sorted(a), "consequents": sorted(c)} for a, c in pairs]
    (folder / "rules.json").write_text(json.dumps(rules))
    said = run("cherries")
    assert sorted(said["spans"]["population"]) == [30, 82, 888]
    assert (said["safe_k"], said["n_bins"]) == (30, 7)
    line = LINES["cherries"].replace("-k 30", "-k 31").split()
    assert CliRunner().invoke(app, line).exit_code == 1


def test_clusters_of_figure_5(folder):
    FIGURE_5.to_csv(folder / "points.csv", index=False)
    describe(folder / "points.toml", age="pn", result="sn")
    said = run("figure 5")
    assert sorted(one["rows"] for one in said["clusters"]) == [1, 3, 3]
    assert said["largest_k"] == 4


def test_ages_in_five_ranges(folder):
    pl = need("polars")
    need("cryptography")
    ages = [15, 25, 30, 37, 40, 58, 70, 73, 90]
    write(folder / "people.csv", {"age": ages})
    (folder / "agreement.toml").write_text("columns.age = {low = 15, high = 90, groups = 5}\n")
    made = CliRunner(env=dict(os.environ)).invoke(
        app, ["site", "key", "new", "agreement.toml", "--out", "sites.key"]
    )
    assert made.exit_code == 0, made.output
    run("grading")
    told = pl.read_parquet(folder / "gent.encoded.parquet")["age"].to_list()
    assert [round(value, 3) for value in sorted(told)] == [  # rows leave in a secret order
        1, 1.667, 2, 2.467, 2.667, 3.867, 4.667, 4.867, 5.999,
    ]  # fmt: skip


def test_the_page_lists_every_command():
    text = " ".join(PAGE.read_text("utf-8").split())
    for name, line in LINES.items():
        assert f"`shoal {line}`" in text, name
