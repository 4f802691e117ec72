"""Pages as Markdown: hand-written HTML and plain values, and every text read back letter by letter."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as some
from markdown_it import MarkdownIt

from tacit.report.evidence.markdown import document, from_page, text
from tacit.report.rows import shown


def test_each_part_of_a_page():
    html = (
        "<head><title>x</title><style>p{}</style></head><h1>Top</h1><p>One <code>two</code>&lt;b&gt;</p>"
        "<ul><li>a</li><li>b*</li></ul><dl><dt>Who</dt><dd>me</dd></dl>"
        "<table><caption>Cap</caption><tr><th>name</th><td></td><th>n</th></tr>"
        '<tr><th>x|y</th><td><svg class="meter"><rect/></svg></td><td>1</td></tr></table>'
        '<svg class="attacker" aria-label="Test"><text>0 %</text></svg>'
        "<details><summary>More</summary><pre>a ``` b\nc</pre></details>"
    )
    assert from_page(html, "p.svg").split("\n") == [
        "# Top",
        "",
        "One two\\<b\\>",
        "",
        "- a",
        "- b\\*",
        "",
        "- **Who**: me",
        "",
        "Cap",
        "",
        "| name | n |",
        "|---|---|",
        "| x\\|y | 1 |",
        "",
        "![Test](p.svg)",
        "",
        "More",
        "",
        "````",
        "a ``` b",
        "c",
        "````",
        "",
    ]


def test_plain_values():
    found = "\n".join(
        document(
            {"a_b": None, "rows": [{"x_y": 1.5, "z": True}], "s": ["1. one", "two."], "m": {"k": [], "l": "- a b\n- c"}}
        )
    )
    assert found.split("\n") == [
        "",
        "## A b",
        "",
        "(to be written by a person)",
        "",
        "## Rows",
        "",
        "| x y | z |",
        "|---|---|",
        "| 1.5 | yes |",
        "",
        "## S",
        "",
        "- 1\\. one",
        "- two.",
        "",
        "## M",
        "",
        "- **k**: none",
        "- **l**: a b; c",
    ]


@given(some.text(min_size=1))
@example("1. one")
@example("- one")
@example("---")
@example("12) a")
@example("+")
@example("a\n===")
@example("# a")
@example("<b> & &amp; [a](b) ![a](b) `c` \\* | ~~d~~ <https://e.org>")
def test_a_text_is_shown_letter_by_letter(value):
    plain = " ".join(shown(value).split())
    if plain:
        tokens = MarkdownIt("commonmark").enable("table").parse(text(value))
        assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
        assert "".join(child.content for child in tokens[1].children) == plain
        assert {child.type for child in tokens[1].children} <= {"text", "text_special"}
