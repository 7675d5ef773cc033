import json
import re
from pathlib import Path

from shoal.studio import _render
from shoal.studio._render import number, percent, plain, say, seconds, sentence, size


def test_numbers_carry_their_value_for_the_reader_s_format():
    assert number(48842) == '<data class="number" value="48842">48,842</data>'
    assert number(None) == "–"  # noqa: RUF001
    assert ">12.3 %<" in percent(0.1234)
    assert "&lt;0.1 %" in percent(0.0001)  # not zero, and never looks like it
    assert ">0.0 %<" in percent(0.0)


def test_sizes_and_waits_are_spoken():
    shown = [size(n).striptags() for n in (None, 12, 5_000_000, 3 * 10**13)]
    assert shown == ["", "12 B", "5.0 MB", "30.0 TB"]
    assert [seconds(n) for n in (None, 12.2, 600)] == ["", "12 s", "10 min"]
    assert [plain(n) for n in (18.0, 2.5, -3.0)] == ["18", "2.5", "-3"]


def test_errors_that_stand_alone_begin_as_sentences_and_keep_what_is_a_name():
    said = ["the table is empty.", "a key is needed.", "k is too large.", "min_n is 2."]
    shown = ["The table is empty.", "A key is needed.", "k is too large.", "min_n is 2."]
    assert [sentence(text) for text in said] == shown
    assert sentence("") == ""


def test_values_put_into_a_text_are_escaped():
    assert say("<b> {name}", name="<script>") == "&lt;b&gt; &lt;script&gt;"


def test_htmx_is_told_to_set_no_inline_styles_which_the_policy_of_the_pages_refuses():
    page = (Path(_render.__file__).parent / "templates" / "base.html").read_text("utf-8")
    told = json.loads(re.search(r"name=\"htmx-config\" content='(.*?)'", page)[1])
    assert "style" not in told["attributesToSettle"]
    assert told["includeIndicatorStyles"] is False
