import csv
import hashlib
import json
import re
import shutil
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from shoal.anonymize import BottomUpGeneralization
from shoal.attacks import linking_attack
from shoal.errors import TableError
from shoal.privacy import AlphaKAnonymity, KAnonymity
from shoal.privacy._registry import LEFT_OPEN_BY_ALL
from shoal.report import release_report
from shoal.report.figures._bars import bin_sizes
from shoal.report.release.pages import _numbers as numbers
from shoal.report.release.pages._html import release_html
from shoal.schema import Schema
from shoal.tables import RowOptions

CANARY = "Xq7canary"
ODD = "<b>\"city\" & 'town'/</b>"  # a column name that would break a careless page
SCHEMA = Schema(
    {
        "name": {"role": "identifier"},
        ODD: {"role": "quasi-identifier", "hierarchy": "flat"},
        "age": {"role": "quasi-identifier", "hierarchy": {"prefix": [1]}},
        "illness": {"role": "sensitive"},
        "class": {"role": "insensitive", "target": True},
    }
)
VOID = {"meta", "br", "link", "img", "input", "hr", "rect"}


def written(rows, path):
    """The rows as a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([SCHEMA, *rows])
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A written release: its path, its manifest, and the raw table."""
    rows = [
        (
            f"{CANARY}-name-{i}",
            f"city{i % 3}",
            str(30 + i % 4),
            f"{CANARY}-ill-{i % 2}",
            "yn"[i % 2],
        )
        for i in range(24)
    ]
    folder = tmp_path_factory.mktemp("release")
    people = written(rows, tmp_path_factory.mktemp("raw") / "raw.csv")
    promise = KAnonymity(3) & AlphaKAnonymity(0.9, 2, "illness", (f"{CANARY}-ill-0",))
    path = folder / "people.csv"
    BottomUpGeneralization(SCHEMA, promise).fit(people).release_.write(path)
    return path, json.loads(path.with_name("people.manifest.json").read_text("utf-8")), people


@pytest.fixture
def copy(made, tmp_path):
    """The release in a folder of its own, to be damaged."""
    shutil.copytree(made[0].parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / made[0].name


class Page(HTMLParser):
    """Reads a page strictly: every element is closed, in order; keeps what tests ask for."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.text, self.data = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "data":
            self.data.append([dict(attrs), ""])

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)
        if self.open and self.open[-1] == "data":
            self.data[-1][1] += data

    @property
    def numbers(self):
        """Numbers of the manifest."""
        return [(attrs, shown) for attrs, shown in self.data if "data-at" in attrs]

    @property
    def counted(self):
        """Numbers that were worked out for the report, by name."""
        return {
            tuple(json.loads(attrs["data-counted"])): json.loads(attrs["value"])
            for attrs, _ in self.data
            if "data-counted" in attrs
        }

    def having(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


@pytest.fixture(scope="module")
def html(made):
    return release_html(made[0])


@pytest.fixture(scope="module")
def with_original(made):
    return release_html(made[0], made[2])


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


def look_up(manifest, at):
    for key in json.loads(at):
        manifest = manifest[key]
    return manifest


def test_every_number_is_the_manifests(page, made):
    assert len(page.numbers) > 40
    for attrs, shown in page.numbers:
        value = look_up(made[1], attrs["data-at"])
        assert json.loads(attrs["value"]) == value
        digits = float(re.sub(r"[,%\s]", "", shown))
        scale = 100 if "%" in shown else 1
        assert digits == pytest.approx(scale * value, rel=0.01, abs=0.006)


def test_every_measure_is_there(page, made):
    shown = {tuple(json.loads(attrs["data-at"])) for attrs, _ in page.numbers}
    manifest = made[1]
    for when in ("before", "after"):
        for name in manifest["metrics"][when]["ncp"]:
            assert ("metrics", when, "ncp", name) in shown
        for key in ("gcp", "loss", "precision", "discernibility"):
            assert ("metrics", when, key) in shown
        for key in ("highest", "average", "share_above"):
            assert ("risk", when, "prosecutor", key) in shown
    # of raw combinations nothing sensitive is published
    assert ("risk", "after", "inference", "illness", "highest_confidence") in shown
    assert ("metrics", "after", "classification_metric") in shown
    for at in range(len(manifest["reached"])):
        assert ("reached", at, "reached") in shown
    for key in ("rows", "released_rows", "suppressed_rows", "groups"):
        assert (key,) in shown


def test_it_says_how_far_from_the_least_possible_the_loss_is(html, made):
    bound = made[1]["loss_bound"]
    assert bound["times"] >= 1
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html))
    assert f"at most {numbers.at_most(bound['times'])} times the least possible" in words


def test_it_says_why_losses_are_not_those_of_the_screen(html):
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html))
    assert "Losses of ranges are worked out from the ranges alone" in words


def test_it_says_why_private_values_have_no_figures_from_before(html):
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html))
    assert "What private values say before is left out" in words


def test_it_says_what_is_promised_and_what_is_not(page, made):
    text = " ".join(page.text)
    for part in made[1]["reached"]:
        assert part["description"] in text
    for sentence in (KAnonymity.leaves_open, AlphaKAnonymity.leaves_open, *LEFT_OPEN_BY_ALL):
        assert sentence in text
    for value in made[1]["versions"].values():
        assert value in text
    assert "Do not publish" not in text


def test_no_sensitive_value_is_on_the_page(html, with_original, made):
    assert CANARY in made[0].read_text("utf-8")  # the release has them: the test can fail
    assert CANARY not in json.dumps(made[1])  # what is protected is not named in the manifest
    assert CANARY not in html
    assert CANARY not in with_original


def test_neither_name_nor_digest_of_the_raw_file_is_on_the_page(made, tmp_path):
    """Whoever knows all rows but one could try what the last one says, by the digest alone."""
    named = shutil.copy(made[2], tmp_path / f"{CANARY}.csv")
    text = release_html(made[0], named)
    assert CANARY not in text
    assert hashlib.sha256(made[2].read_bytes()).hexdigest() not in text
    assert hashlib.sha256(made[0].read_bytes()).hexdigest() in text


@pytest.mark.parametrize("which", ["html", "with_original"])
def test_nothing_is_loaded_and_nothing_runs(which, request):
    html = request.getfixturevalue(which)
    page = Page(html)
    for tag, attrs in page.elements:
        assert tag not in {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
        for name, value in attrs.items():
            assert name not in {"src", "srcset", "action", "style", "xlink:href"}
            assert not name.startswith("on")
            if name == "href":
                assert value.startswith("#")
    assert not re.search(r"https?:|//[a-z]|url\(|@import", html)
    policy = [a["content"] for a in page.having("meta") if "http-equiv" in a]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]


@pytest.mark.parametrize(("which", "figures"), [("html", 6), ("with_original", 6)])
def test_readers_with_a_keyboard_or_a_screen_reader_find_their_way(which, figures, request):
    page = Page(request.getfixturevalue(which))
    names = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(names) == len(set(names))
    for attrs in page.having("a"):
        assert attrs["href"][1:] in names
    for _, attrs in page.elements:
        for name in attrs.get("aria-labelledby", "").split():
            assert name in names
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    tags = [tag for tag, _ in page.elements]
    assert tags.count("table") == tags.count("caption") > 5
    assert all("scope" in attrs for attrs in page.having("th"))
    assert tags.count("svg") == tags.count("desc") == figures
    assert tags.count("details") == tags.count("summary") == 2  # a table for each distribution
    assert all(attrs["role"] == "img" for attrs in page.having("svg"))
    assert page.having("html") == [{"lang": "en"}]


def test_an_odd_column_name_is_text(page):
    assert "b" not in {tag for tag, _ in page.elements}
    assert any(ODD in piece for piece in page.text)


def test_the_manifest_will_do_instead_of_the_table(html, copy):
    manifest = copy.with_name("people.manifest.json")
    assert release_html(manifest) == html
    copy.unlink()
    alone = " ".join(Page(release_html(manifest)).text)
    assert "not beside its manifest" in alone
    with pytest.raises(TableError, match=r"there is no 'people\.csv'"):
        release_html(copy)


def test_a_table_that_was_changed_is_a_failure_on_the_page(copy):
    lines = copy.read_text("utf-8").splitlines(keepends=True)
    copy.write_text("".join(lines[:-1]), "utf-8")
    report = release_report(copy)
    assert report.promise == "broken"
    assert "not the table that the manifest speaks of" in report.problems[0]
    text = report.html
    assert text.index("Do not publish") < text.index("<main")
    assert "Where the rows say otherwise" in text
    assert "as the manifest says: it may be of another release" in text
    assert '<td class="n">24</td><td class="n">23</td>' in text
    assert CANARY not in text


def test_rows_that_break_the_promise_are_found_though_the_manifest_says_otherwise(copy, made):
    """A row is moved to a group of its own: the manifest still calls the promise kept."""
    lines = copy.read_text("utf-8").splitlines(keepends=True)
    place = lines[-1].index(",")
    copy.write_text("".join([*lines[:-1], "elsewhere" + lines[-1][place:]]), "utf-8")
    report = release_report(copy)
    assert all(part["holds"] for part in made[1]["reached"])
    assert any("promise is broken in 1 group (1 row)" in said for said in report.problems)
    assert Page(report.html).counted["reached", 0, "reached"] == 1


def test_a_column_that_does_not_belong_is_a_failure(copy):
    lines = copy.read_text("utf-8").splitlines()
    copy.write_text("\n".join([lines[0] + ",extra", *(line + ",1" for line in lines[1:])]), "utf-8")
    assert "columns that its manifest lacks: extra" in release_report(copy).problems[0]


def test_the_promise_is_evaluated_in_the_rows(page, made):
    for at, part in enumerate(made[1]["reached"]):
        assert page.counted["reached", at, "reached"] == pytest.approx(part["reached"])
    assert "The promise holds" in " ".join(page.text)


def test_without_the_raw_table_the_page_says_what_it_cannot_know(page):
    text = " ".join(page.text)
    assert "nobody was linked" in text
    assert "after only" in text
    assert page.counted["attack", "illness", "baseline"] == 0.5


def test_with_the_raw_table_its_people_are_attacked(with_original, made):
    page = Page(with_original)
    text = " ".join(page.text)
    assert "carried out on all 24 people of the raw table" in text
    attack = linking_attack(str(made[0]), str(made[2]), SCHEMA, column="illness").summary
    found = page.counted
    assert found["attack", "illness", "risk"] == attack.risk
    assert found["attack", "illness", "low"] == attack.low
    assert found["attack", "illness", "high"] == attack.high
    assert found["attack", "illness", "baseline"] == attack.baseline
    assert found["attack", "illness", "certain"] == attack.details["certain"]
    assert "raw table, whose counts it holds" in text


def test_people_are_drawn_by_seed(made):
    one, again, other = (
        release_report(made[0], made[2], n_people=10, random_state=seed) for seed in (1, 1, 2)
    )
    assert one.html == again.html
    assert "10 people drawn at random from the 24 of the raw table (seed 1)" in one.html
    assert "(seed 2)" in other.html
    assert one.attacks[0].n_people == 10


def test_another_table_than_the_raw_one_is_refused(made, tmp_path):
    rows = made[2].read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "other.csv").write_text("".join(rows[:-3]), "utf-8")
    with pytest.raises(TableError, match=r"other\.csv has 21 rows"):
        release_report(made[0], tmp_path / "other.csv")


def test_a_schema_with_other_roles_is_refused(copy):
    beside = copy.with_name("people.schema.toml")
    text = beside.read_text("utf-8")
    beside.write_text(text.replace('"sensitive"', '"insensitive"'), "utf-8")
    with pytest.raises(TableError, match="other roles"):
        release_report(copy)


def test_the_report_says_in_plain_values_what_it_comes_to(made):
    found = release_report(made[0]).to_dict()
    assert found["promise"] == "holds"
    assert found["problems"] == []
    assert found["attacks"][0]["column"] == "illness"


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda m: "{", "not valid JSON"),
        (lambda m: "[]", "not the manifest of a release"),
        (lambda m: json.dumps(m | {"version": 2}), "another version"),
        (lambda m: json.dumps(m | {"risk": {"before": 1}}), r"'risk\.after"),
        (lambda m: json.dumps(m | {"suppressed_rows": "<b>"}), "suppressed_rows"),
        (lambda m: json.dumps(m | {"schema": None}), r"schema\.columns"),
        (lambda m: json.dumps(m | {"notes": None}), "notes"),
    ],
)
def test_a_damaged_manifest_is_a_sentence(copy, made, damage, says):
    copy.with_name("people.manifest.json").write_text(damage(made[1]), "utf-8")
    with pytest.raises(TableError, match=says):
        release_report(copy).write()
    assert not copy.with_name("people.report.html").exists()


def test_a_broken_promise_is_said_at_the_top(copy, made):
    broken = [made[1]["reached"][0] | {"holds": False, "failing_groups": 2}]
    changed = json.dumps(made[1] | {"reached": broken})
    copy.with_name("people.manifest.json").write_text(changed, "utf-8")
    text = release_html(copy)
    assert text.index("Do not publish") < text.index("<main")


def test_long_parameters_stay_in_the_manifest(copy, made):
    parameters = {"queries": [CANARY], "sql": f"age = '{CANARY}'", "search": "greedy"}
    changed = json.dumps(made[1] | {"parameters": parameters})
    copy.with_name("people.manifest.json").write_text(changed, "utf-8")
    html = release_html(copy)
    assert CANARY not in html
    assert "greedy" in html


def test_suppressed_rows_that_were_kept_are_no_group(tmp_path):
    rows = [("n", "city0", "30", "flu", "y")] * 6 + [("n", "city1", "41", "flu", "n")] * 2
    rows += [("n", "city2", "52", "flu", "n")]  # kept, the starred rows must be three together
    method = BottomUpGeneralization(SCHEMA, KAnonymity(3), max_suppression=0.4)
    for keep in (False, True):
        path = tmp_path / f"kept-{keep}.csv"
        output = RowOptions(keep_suppressed=keep)
        release = method.fit(written(rows, tmp_path / "raw.csv"), output=output).release_
        release.write(path)
        assert release.n_suppressed == 3
        html = release_html(path)
        assert '<th scope="row">6 rows</th>' in html
        assert '<th scope="row">3 rows</th>' not in html


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0, "0 %"), (1e-6, "<0.01 %"), (0.05, "5.00 %"), (0.5, "50.0 %"), (0.9999, ">99.9 %"),
     (0.9992, "99.9 %"), (1.0, "100.0 %")],
)  # fmt: skip
def test_shares_read_well(share, shown):
    assert numbers.percent(share) == shown.replace(" ", "\u00a0")


@given(st.lists(st.integers(1, 5000), max_size=200))
def test_bins_hold_every_group_once(sizes):
    sizes = np.sort(np.array(sizes, np.int64))
    bins = bin_sizes(sizes)
    assert sum(part.groups for part in bins) == len(sizes)
    assert sum(part.rows for part in bins) == sizes.sum()
    assert all(a.high < b.low for a, b in pairwise(bins))
    assert len(bins) <= 12


def test_bins_are_equal_or_multiply():
    def ends(*sizes):
        return [(part.low, part.high) for part in bin_sizes(np.array(sizes))]

    assert ends(10, 13) == [(10, 10), (11, 11), (12, 12), (13, 13)]
    assert ends(10, 29)[:2] == [(10, 11), (12, 13)]
    assert ends(5, 2000)[:3] == [(5, 9), (10, 19), (20, 39)]
    assert ends(1, 10**6)[:2] == [(1, 3), (4, 15)]


def test_two_tables_of_one_name_have_to_be_told_apart(copy):
    manifest = copy.with_name("people.manifest.json")
    copy.with_name("people.parquet").write_bytes(b"")
    with pytest.raises(TableError, match=r"people\.csv, people\.parquet"):
        release_html(manifest)


def test_a_parquet_release_is_counted_too(tmp_path):
    raw = written([("n", "city0", "30", "flu", "y")] * 6, tmp_path / "raw.csv")
    path = tmp_path / "release.parquet"
    BottomUpGeneralization(SCHEMA, KAnonymity(3)).fit(raw).release_.write(path)
    assert "6 rows" in release_html(path)
