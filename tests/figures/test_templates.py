"""Whatever a template is filled with is text, and no template says otherwise."""

import re
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

from focal_app.figures.templates import Templates

ROOT = Path(__file__).parents[2] / "focal_app"
TEMPLATES = sorted(ROOT.rglob("*.html"))
PLANTED = "<script>alert('1')</script>"


@pytest.fixture
def filled(tmp_path):
    def fill(source, **values):
        (tmp_path / "one.html").write_text(source, encoding="utf-8")
        return Templates(tmp_path, shared=PLANTED)("one", **values)

    return fill


def test_every_value_is_escaped_in_texts_and_in_attributes(filled):
    html = filled('<p title="{{ one }}">{{ one }}{{ shared }}</p>', one=PLANTED)
    assert "<script" not in html and html.count("&lt;script") == 3
    assert "'" not in html


def test_a_filled_template_goes_into_another_as_it_is(filled):
    inner = filled("<b>{{ one }}</b>", one="<")
    assert filled("<p>{{ one }}</p>", one=inner) == "<p><b>&lt;</b></p>"


def test_a_missing_value_is_no_empty_place(filled):
    with pytest.raises(Exception, match="undefined"):
        filled("<p>{{ nothing }}</p>")


def test_line_breaks_of_a_template_are_not_on_the_page_and_those_of_a_value_are(filled):
    source = '<p class="a"\n   title="b">\n  {{ one }}\n  {% if one %}\n    two\n    words\n'
    source += "  {% endif %}\n</p>\n"
    assert filled(source, one="x\ny") == '<p class="a" title="b">x\nytwo words</p>'


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_lets_anything_through_unescaped(path):
    tree = Environment().parse(path.read_text(encoding="utf-8"))
    assert not [one for one in tree.find_all(nodes.Filter) if one.name == "safe"]
    assert not [*tree.find_all(nodes.ScopedEvalContextModifier)]


def test_no_other_code_of_the_page_writes_tags_with_values_in_them():
    """f-strings with tags; but the drawing of an ECG, numbers alone, and what the server sends."""
    pattern = re.compile(r"""f["'][^"'\n]*<[a-z/]""")
    sources = [p for room in ("ui", "figures") for p in (ROOT / room).rglob("*.py")]
    sources = [path for path in sources if path.parent.name != "server"]
    wrote = [p.name for p in sources if pattern.search(p.read_text(encoding="utf-8"))]
    assert set(wrote) <= {"marks.py", "paper.py", "tint.py", "overview.py", "thumbnail.py"}
