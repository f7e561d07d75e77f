"""Tables of effects: tidy frames, and lines for a paper."""

import shutil
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pytest

import paribus as pb
from paribus.base.errors import InputError
from paribus.results.impact import impact_interval
from paribus.results.tables import rows_of


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    n = 1200
    town = rng.choice(["York", "Bath", "A & B_c"], p=[0.5, 0.3, 0.2], size=n)
    size = rng.uniform(20, 120, size=n)
    new = rng.random(n) < 0.3
    rent = 10 * size + 200 * (town == "Bath") + 50 * new + 30 * rng.normal(size=n)
    return {"size": size, "town": town, "new": new, "rent": rent, "shop": np.arange(n) % 40}


@pytest.fixture(scope="module")
def plain(data):
    return pb.effects(data, target="rent", cluster="shop")


@pytest.fixture(scope="module")
def logs(data):
    data = {name: values for name, values in data.items() if name != "shop"}
    return pb.effects(data, target="rent", target_scale="log", average="overlap")


def test_a_share_of_rows_that_is_not_all_is_not_written_as_all(data):
    size = np.where(np.arange(len(data["size"])) < 3, np.nan, data["size"])
    said = str(pb.effects({**data, "size": size}, target="rent", features=["size"]).table())
    assert "Each number is based on at least 99 % of the rows." in said


def test_a_tidy_frame_has_a_row_a_number(plain):
    frame = pd.DataFrame(plain.to_frame()).set_index(["column", "contrast"])
    assert list(frame.index) == [
        ("size", "per 1"), ("town", "A & B_c vs York"), ("town", "Bath vs York"),
        ("new", "True vs False"),
    ]  # fmt: skip
    between = plain["town"].between("York", "Bath")
    bath = frame.loc[("town", "Bath vs York")]
    numbers = ["estimate", "se", "lower", "upper", "p_value"]
    assert [bath[name] for name in numbers] == pytest.approx(
        [between.value, between.se, between.lower, between.upper, between.p_value]
    )
    assert bath["rows"] == plain["town"].count[list(plain["town"].levels).index("Bath")]
    assert set(bath["held_still"].split(", ")) == {"size", "new"}
    assert bath["kind"] == "category"
    slope = frame.loc[("size", "per 1")]
    assert slope["estimate"] == plain["size"].average_slope().value
    assert frame["share"].groupby("column").first().sum() == pytest.approx(1)


@pytest.mark.parametrize("library", [pd, pl])
def test_the_frame_is_of_the_library_that_was_given(data, library):
    frame = library.DataFrame({name: data[name] for name in ("size", "rent")})
    assert isinstance(pb.effects(frame, target="rent").to_frame(), library.DataFrame)


def test_another_level_can_be_the_reference(plain):
    frame = pd.DataFrame(plain.to_frame(relative_to={"town": "Bath"}))
    assert "York vs Bath" in list(frame["contrast"])
    with pytest.raises(InputError, match="Rome"):
        plain.to_frame(relative_to={"town": "Rome"})
    with pytest.raises(KeyError, match="twn"):
        plain.to_frame(relative_to={"twn": "Rome"})


@pytest.mark.parametrize("target_scale", [None, "log"])
def test_a_run_may_compare_with_a_level(data, target_scale):
    bath = {"town": "Bath"}
    asked = {"target": "rent", "target_scale": target_scale, "tidy": False}
    mean, moved = (pb.effects(data, **asked, relative_to=to) for to in (None, bath))
    town, at = moved["town"], moved["town"].levels.index("Bath")
    assert (town.reference, town.effect[at], town.upper[at], town.marginal[at]) == ("Bath", 0, 0, 0)
    between = mean["town"].between("Bath", "York")
    for found in (town.between("Bath", "York"), rows_of(moved)[2].found):
        assert (found.value, found.se) == pytest.approx((between.value, between.se))
    assert town.impact == mean["town"].impact
    assert impact_interval(town) == pytest.approx(impact_interval(mean["town"]), rel=0.1)
    assert town.summary().startswith("Compared with town = Bath, rent is about ")
    assert "lower with York (95 % interval " in town.summary()
    assert "against Bath" in str(town)
    assert "town, against Bath" in str(moved.table())
    assert town.plot().get_xlabel().endswith(": difference from Bath")
    assert town.relative_to("mean").summary() == mean["town"].summary()
    assert pb.EffectSet.from_dict(moved.to_dict())["town"].reference == "Bath"


def test_one_level_holds_for_the_categories_that_have_it(data):
    town = pb.effect(data, "rent", "town", relative_to="Bath")
    assert town.reference == "Bath"
    assert pb.effects(data, "rent", relative_to=True)["new"].reference == "True"
    with pytest.raises(InputError, match="No category that is explained has the level 'Rome'"):
        pb.effect(data, "rent", "town", relative_to="Rome")
    with pytest.raises(InputError, match="'town' is never 'Rome'"):
        pb.effects(data, "rent", relative_to={"town": "Rome"})
    with pytest.raises(InputError, match="There is no column 'twn'"):
        pb.effects(data, "rent", relative_to={"twn": "Bath"})


def test_a_curve_says_what_it_is_relative_to(data):
    size = pb.effect(data, "rent", "size").relative_to(50)
    assert size.plot().get_ylabel() == "change in rent from size = 50"
    assert size.relative_to("mean").reference == ""


def test_a_printed_table_says_what_stands_behind_it(plain):
    text = str(plain.table(stars=True))
    assert text.startswith("What goes with rent, other things equal?")
    found = plain["size"].average_slope()
    assert f"{found.value:.3f}***" in text
    assert f"({found.se:.3f})" in text
    assert "town, against York" in text
    assert "held still: town, new, size." in text
    assert "the average over the rows" in text
    assert "clustered by shop (40 clusters)." in text
    assert text.splitlines()[-8].split() == ["rows", "1,200"]


def test_runs_side_by_side(plain, logs):
    both = pb.etable([plain, logs])
    assert both.heads == ("(1)", "(2)")
    size = next(line for line in both.lines if line.label == "size, per 1")
    assert size.cells[0] != size.cells[1]
    about = {line.label: line.cells for line in both.lines if line.kind == "about"}
    assert about["unit"] == ("its own unit", "%")
    notes = " ".join(both.notes)
    assert "clustered by shop (40 clusters) or robust to unequal spread" in notes
    assert "rows count more, the more the column varies" in notes
    with pytest.raises(InputError, match="nothing to put into a table"):
        pb.etable([])


def test_markup_of_names_is_text(plain, tmp_path):
    assert r"A & B\_c" in plain.to_markdown()
    assert r"\quad A \& B\_c & " in plain.to_latex()
    pytest.importorskip("great_tables")
    assert "A &amp; B_c" in plain.to_html()
    assert "A &amp; B_c" in plain.table()._repr_html_()
    docx = pytest.importorskip("docx")
    document = docx.Document(str(plain.to_docx(tmp_path / "rent.docx")))
    cells = [[cell.text for cell in row.cells] for row in document.tables[0].rows]
    assert ["A & B_c", f"{plain['town'].between('York', 'A & B_c').value:.1f}"] in cells
    assert document.paragraphs[0].text == plain.question
    assert "robust" in document.paragraphs[-1].text or "clustered" in document.paragraphs[-1].text


def test_two_levels_take_one_line(plain):
    labels = [line.label for line in plain.table().lines if line.label]
    assert labels == [
        "size, per 1", "town, against York", "Bath", "A & B_c", "new, True against False",
        "rows", "columns",
    ]  # fmt: skip


def test_levels_that_are_not_shown_are_counted():
    rng = np.random.default_rng(0)
    data = {"shop": rng.integers(30, size=2000).astype(str), "y": rng.normal(size=2000)}
    lines = pb.effects(data, target="y").table().lines
    assert sum(line.kind == "level" for line in lines) == 13
    assert "and 17 more levels" in [line.label for line in lines]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs LaTeX")
def test_latex_compiles(plain, tmp_path):
    """With booktabs alone."""
    lines = [r"\documentclass{article}", r"\usepackage{booktabs}", r"\begin{document}"]
    text = "\n".join([*lines, plain.table(stars=True).to_latex(), r"\end{document}"])
    (tmp_path / "paper.tex").write_text(text)
    asked = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    subprocess.run(asked, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    assert (tmp_path / "paper.pdf").read_bytes().startswith(b"%PDF")


def test_columns_that_cannot_be_explained_stay_in_the_table():
    k = np.arange(200)
    data = {"cm": k % 9, "mm": 10 * (k % 9), "y": np.sin(k)}
    found = pb.effects(data, target="y", tidy=False)
    assert "not known" in str(found.table())
    assert np.isnan(pd.DataFrame(found.to_frame())["estimate"]).all()


def test_two_columns_or_levels_are_compared(plain):
    size, new = plain["size"].average_slope(), plain["new"].between(False, True)
    apart = plain.test("size = new")
    assert apart.value == pytest.approx(size.value - new.value)
    assert apart.se == pytest.approx(size.se + new.se)
    assert "the errors of both are added up" in str(apart)
    levels = plain.test("town[Bath] = town[A & B_c]")
    exact = plain["town"].between("A & B_c", "Bath")
    assert (levels.value, levels.se) == pytest.approx((exact.value, exact.se))
    against = plain.test("town[Bath] = town[York]")
    assert against.value == pytest.approx(plain["town"].between("York", "Bath").value)
    ten = plain.test("size = 10")
    assert (ten.value, ten.se) == pytest.approx((size.value - 10, size.se))
    assert 0.001 < ten.p_value < 1


@pytest.mark.parametrize(
    ("hypothesis", "sentence"),
    [
        ("size", "does not say what equals what"),
        ("size = ", "does not say what equals what"),
        ("siz = new", "Did you mean 'size'"),
        ("town = new", "several levels"),
        ("town[Rome] = new", "Rome"),
    ],
)
def test_what_cannot_be_compared(plain, hypothesis, sentence):
    with pytest.raises(InputError, match=sentence):
        plain.test(hypothesis)


def test_groups_have_rows_of_their_own(data):
    some = {name: data[name] for name in ("size", "new", "rent")}
    found = pb.effects(some, target="rent", by="new")
    frame = pd.DataFrame(found.to_frame())
    groups = frame[frame["column"] == "size"].set_index("group")["estimate"]
    assert groups[""] == found["size"].average_slope().value
    labels = {f"new = {label}" for label in found["size"].by}
    assert labels < set(groups.index)
    for label, one in found["size"].by.items():
        assert groups[f"new = {label}"] == one.average_slope().value
