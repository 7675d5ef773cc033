import csv
import json
import re
import shutil
import subprocess
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from shoal import privacy
from shoal.anonymize import METHODS, BottomUpGeneralization
from shoal.errors import TableError
from shoal.privacy import AlphaKAnonymity, KAnonymity, PrivacyModel
from shoal.report import _words as words, release_html, write_release_html
from shoal.report._bars import bin_sizes
from shoal.schema import Schema
from shoal.tables import Output

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
    """A written release: its path and its manifest."""
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
    return path, json.loads(path.with_name("people.manifest.json").read_text("utf-8"))


@pytest.fixture
def copy(made, tmp_path):
    """The release in a folder of its own, to be damaged."""
    shutil.copytree(made[0].parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / made[0].name


class Page(HTMLParser):
    """Reads a page strictly: every element is closed, in order; keeps what tests ask for."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.text, self.numbers = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "data":
            self.numbers.append([dict(attrs), ""])

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)
        if self.open and self.open[-1] == "data":
            self.numbers[-1][1] += data

    def having(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


@pytest.fixture(scope="module")
def html(made):
    return release_html(made[0])


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
        for key in ("gcp", "loss", "precision", "discernibility", "classification_metric"):
            assert ("metrics", when, key) in shown
        for key in ("highest", "average", "share_above"):
            assert ("risk", when, "prosecutor", key) in shown
        assert ("risk", when, "inference", "illness", "highest_confidence") in shown
    for at in range(len(manifest["reached"])):
        assert ("reached", at, "reached") in shown
    for key in ("rows", "released_rows", "suppressed_rows", "groups"):
        assert (key,) in shown


def test_it_says_what_is_promised_and_what_is_not(page, made):
    text = " ".join(page.text)
    for part in made[1]["reached"]:
        assert part["description"] in text
    for name in ("KAnonymity", "AlphaKAnonymity"):
        assert words.NOT_COVERED[name] in text
    for sentence in words.ALWAYS:
        assert sentence in text
    for value in made[1]["versions"].values():
        assert value in text
    assert "Do not publish" not in text


def test_no_value_of_a_person_is_on_the_page(html, made):
    assert CANARY in made[0].read_text("utf-8")  # the release has them: the test can fail
    assert CANARY in json.dumps(made[1]["privacy"])  # and so has the manifest, as a parameter
    assert CANARY not in html


def test_nothing_is_loaded_and_nothing_runs(page, html):
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


def test_readers_with_a_keyboard_or_a_screen_reader_find_their_way(page):
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
    assert tags.count("svg") == tags.count("desc") == 3
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


def test_a_table_that_was_changed_is_refused(copy):
    lines = copy.read_text("utf-8").splitlines(keepends=True)
    copy.write_text("".join(lines[:-1]), "utf-8")
    with pytest.raises(TableError, match="does not belong to its manifest") as caught:
        write_release_html(copy)
    assert CANARY not in str(caught.value)
    assert not copy.with_name("people.report.html").exists()


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
        write_release_html(copy)
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
    method = BottomUpGeneralization(SCHEMA, KAnonymity(3), max_suppression=0.3)
    for keep in (False, True):
        path = tmp_path / f"kept-{keep}.csv"
        output = Output(keep_suppressed=keep)
        release = method.fit(written(rows, tmp_path / "raw.csv"), output=output).release_
        release.write(path)
        assert release.n_suppressed == 2
        assert "6 rows" in release_html(path)


def test_every_privacy_model_and_method_has_its_sentence():
    named = {
        name
        for name in privacy.__all__
        if isinstance(kind := getattr(privacy, name), type) and issubclass(kind, PrivacyModel)
    }
    assert named - {"All", "PrivacyModel"} == set(words.NOT_COVERED)
    assert {kind for kind, _ in METHODS.values()} | {"ModelBased"} == set(words.METHODS)


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0, "0 %"), (1e-6, "<0.01 %"), (0.05, "5.00 %"), (0.5, "50.0 %"), (0.9999, ">99.9 %"),
     (0.9992, "99.9 %"), (1.0, "100.0 %")],
)  # fmt: skip
def test_shares_read_well(share, shown):
    assert words.percent(share) == shown.replace(" ", "\u00a0")


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


def test_it_renders_in_a_browser(made, tmp_path):
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("chromium is not installed: the page was parsed, but not rendered")
    path = write_release_html(made[0], tmp_path / "report.html")
    picture = tmp_path / "page.png"

    def browse(path, *wanted):
        return subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={tmp_path / 'profile'}", "--enable-logging=stderr", *wanted,
             path.as_uri()],
            capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip

    said = browse(path, f"--screenshot={picture}", "--window-size=390,844").stderr
    assert "CONSOLE" not in said
    assert picture.stat().st_size > 5000
    page = re.findall(
        r'<data value="([^"]+)" data-at="([^"]+)">', browse(path, "--dump-dom").stdout
    )
    assert len(page) > 40
    for value, at in page:
        assert json.loads(value) == look_up(made[1], unescape(at))
    # the policy in the page stops what should never be in it, and the browser says so
    bad = tmp_path / "bad.html"
    bad.write_text(path.read_text("utf-8").replace("</main>", "<script>1</script></main>"), "utf-8")
    assert "CONSOLE" in browse(bad, "--dump-dom").stderr


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
