"""The page as text."""

import json
import re
import sys

import pytest

import paribus as pb
from paribus.report.page import page_html
from paribus.report.summary import summarise
from paribus.report.writing import replacing

from odd_tables import made_set


def test_twenty_columns_of_many_points_stay_small(tmp_path):
    path = made_set(20, 500).report(tmp_path / "page.html")
    assert path.stat().st_size < 2_500_000


def test_the_page_of_stored_effects_is_the_same(odd):
    again = pb.EffectSet.from_dict(json.loads(json.dumps(odd.to_dict())))
    ours, theirs = summarise(odd), summarise(again)
    assert [c["sentence"] for c in ours["columns"]] == [c["sentence"] for c in theirs["columns"]]
    # Stored effects have no rows to show.
    assert all(c["examples"] is None and c["doubt"] is None for c in theirs["explained"])
    assert len(page_html(again)) <= len(page_html(odd))


def test_the_page_says_it_all(odd):
    text = page_html(odd)
    assert "What goes with y, other things equal?" in text
    assert "Partial Dependence through Stratification" in text
    assert "not proof of a cause" in text
    assert "could not be explained: it has the same value in every row" in text
    assert text.count("300 rows without a value of") == 1
    assert text.count('<tr class="unclear">') == sum(e.unclear for e in odd.effects) > 0
    assert "In grey: no clear effect" in text


def test_tags_cannot_begin_in_names(nasty):
    text = page_html(nasty).split("<script>")[0]
    for name in ("<img", "<b>price", "<script>window"):
        assert name not in text
    assert len(re.findall(r"</script", text)) == len(re.findall(r"<script", text))


def test_notebooks_show_the_ranking(nasty, odd):
    assert odd._repr_html_().count("<svg") == sum(e.explained for e in odd.effects)
    assert "<img" not in nasty._repr_html_()
    assert "&lt;img" in nasty._repr_html_()


@pytest.mark.parametrize("package", ["altair", "vl_convert", "jinja2"])
def test_what_is_missing_is_named(odd, tmp_path, monkeypatch, package):
    from paribus.plotting import vega

    vega._empty_spec.cache_clear()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=r"pip install 'paribus\[report\]'"):
        odd.report(tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_whole_or_not_there(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("before")
    with pytest.raises(AttributeError), replacing(path) as beside:
        beside.write_text("half").stop()
    assert [p.read_text() for p in tmp_path.iterdir()] == ["before"]
