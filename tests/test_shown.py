"""What is drawn and said: one description for both painters, sentences an analyst would say."""

import json
import re

import numpy as np
import pytest

import paribus as pb
from paribus.base import notes
from paribus.base.notes import Note, Remedy
from paribus.cli.advice import option_advice
from paribus.plotting.picture import CurveLook, LevelLook, picture_of
from paribus.plotting.theme import QUIET
from paribus.results import bin_edges
from paribus.results.parts import histogram
from paribus.results.stored import to_plain
from paribus.serve.advice import page_advice
from paribus.table.columns import Column


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    n = 3000
    hour, flag = rng.integers(24, size=n), rng.integers(2, size=n)
    kind = rng.choice(["a", "b", "c", "rare"], p=[0.4, 0.3, 0.29, 0.01], size=n)
    lat = rng.uniform(47.2, 47.7, size=n)
    y = np.sin(hour / 3) - 2.0 * flag + (kind == "b") + 3.0 * (kind == "rare") + 8 * lat
    table = {"hour": hour, "flag": flag, "kind": kind, "lat": lat, "noise": rng.normal(size=n)}
    return pb.effects({**table, "y": y + rng.normal(size=n)}, "y")


# ---- pictures ------------------------------------------------------------------------------------


def test_equally_common_values_have_equal_bars(found):
    bars = found["hour"].distribution
    np.testing.assert_allclose(bars.edges, np.arange(25) - 0.5)
    assert bars.counts.min() > 90
    look = picture_of(found["hour"]).look
    assert look.x_first <= -0.5
    assert look.x_last >= 23.5


@pytest.mark.parametrize(
    ("x", "n_bins", "width"),
    [
        (np.arange(100.0), 25, 4),
        (np.arange(101.0), 34, 3),
        (np.arange(90.0), 30, 3),
        (np.arange(0, 5, 0.5), 10, 0.5),
        (np.sort(np.random.default_rng(0).uniform(size=500)), 40, None),
    ],
)
def test_bins_hold_whole_steps(x, n_bins, width):
    edges = bin_edges(x)
    assert len(edges) == n_bins + 1
    assert edges[0] <= x[0]
    assert edges[-1] >= x[-1]
    if width is not None:
        np.testing.assert_allclose(np.diff(edges), width)


def test_bins_finer_than_numbers_are_far_from_zero():
    values = 1e16 + 2.0 * np.arange(33)
    found = histogram(Column("x", "number", values), values)
    assert found.counts.sum() == 33


def test_two_values_are_two_points(found):
    picture = picture_of(found["flag"])
    assert isinstance(picture.look, LevelLook)
    assert picture.look.places == ("0", "1")
    assert sum(picture.tables["points"]["count"]) == 3000
    assert found["flag"].plot().get_ylabel() == "flag"
    assert isinstance(picture_of(found["hour"]).look, CurveLook)


def test_two_values_and_missing_ones_are_three_points():
    rng = np.random.default_rng(0)
    flag = rng.choice([0.0, 1.0, np.nan], size=900)
    effect = pb.effect(
        {"flag": flag, "b": rng.normal(size=900)}, rng.normal(size=900), "flag", tidy=False
    )
    points = picture_of(effect).tables["points"]
    assert points["level"] == ["0", "1", "(missing)"]
    assert sum(points["count"]) == 900


def test_both_painters_draw_the_same_points_and_say_what_they_mean(found):
    for effect in found.effects:
        ax, spec = effect.plot(), effect.chart().to_dict()
        words = [text.get_text() for text in ax.get_legend().get_texts()]
        assert words == [entry for _, entry in picture_of(effect).look.legend]
        assert all(word in json.dumps(spec) for word in words)
        rows = spec["datasets"]["points"]
        if "x" in rows[0]:
            (line,) = [k for k in ax.lines if len(k.get_xdata()) > 2 and k.get_linestyle() == "-"]
            np.testing.assert_allclose([r["x"] for r in rows], line.get_xdata(), atol=1e-4)
            np.testing.assert_allclose([r["effect"] for r in rows], line.get_ydata(), atol=1e-4)
        else:
            dots = [k.get_xdata()[0] for k in ax.lines if k.get_marker() == "o"]
            np.testing.assert_allclose([r["effect"] for r in rows], dots, atol=1e-4)


@pytest.mark.parametrize(("name", "look"), [("lat", ("--", "None")), ("kind", ("None", "D"))])
def test_the_sign_of_plain_means_looks_like_their_mark(found, name, look):
    """A dashed line beside a curve, a hollow mark beside dots; legend and picture alike."""
    ax = found[name].plot()
    legend = ax.get_legend()
    (place,) = [k for k, t in enumerate(legend.get_texts()) if t.get_text().startswith("mean, ")]
    sign = legend.legend_handles[place]
    marks = [line for line in ax.lines if (line.get_linestyle(), line.get_marker()) == look]
    assert marks
    for mark in (sign, marks[0]):
        assert (mark.get_linestyle(), mark.get_marker()) == look
        assert mark.get_markeredgecolor() == QUIET if name == "kind" else mark.get_color() == QUIET
        assert name == "lat" or mark.get_markerfacecolor() == "none"


def test_what_shows_under_the_pointer_names_the_column_and_is_fine_enough(found):
    for effect in found.effects:
        text = json.dumps(effect.chart().to_dict())
        assert '"field": "place", "title": "title"' in text
    headings = picture_of(found["lat"]).tables["points"]["place"]
    assert all(re.fullmatch(r"lat = 47\.\d{1,3}", heading) for heading in headings)
    assert len(set(headings)) > 20
    assert picture_of(found["hour"]).tables["strip"]["between"][8] == "hour = 8"


def test_all_panels_in_one_call(found):
    figure = found.plot()
    drawn = [ax for ax in figure.axes if ax.axison]
    titles = {ax.get_xlabel() for ax in drawn} | {ax.get_ylabel() for ax in drawn}
    assert set(found.ranking) <= titles
    assert len(figure.legends) == 1
    assert len([ax for ax in found.plot(most=2).figure.axes if ax.axison]) == 2


# ---- sentences -----------------------------------------------------------------------------------


def test_two_levels_are_said_against_a_reference(found):
    assert found["flag"].summary().startswith("With flag = 1, y is about 2")
    assert " lower than with 0 (95 % interval" in found["flag"].summary()
    rng = np.random.default_rng(0)
    sort = rng.choice(["good", "bad"], p=[0.2, 0.8], size=900)
    y = (sort == "bad") + rng.normal(size=900) / 9
    said = pb.effect({"sort": sort, "b": rng.normal(size=900)}, y, "sort").summary()
    assert said.startswith("With sort = good, y is about 1")  # bad is commoner
    assert "lower than with bad" in said


def test_the_highest_level_is_that_of_the_chart(found):
    assert picture_of(found["kind"]).look.places[0] == "rare"
    assert "highest at rare and lowest at" in found["kind"].summary()


def test_a_level_that_is_known_less_well_is_named_beside_the_highest():
    rng = np.random.default_rng(3)
    kind = rng.choice(["a", "b", "c"], size=2000).astype(object)
    kind[:4] = "rare"
    y = np.select([kind == "b", kind == "rare"], [1.0, 3.0]) + 3 * rng.normal(size=2000)
    effect = pb.effect({"kind": kind, "z": rng.normal(size=2000)}, y, "kind")
    top = effect.levels[int(np.nanargmax(effect.effect))]
    assert top == "rare"
    assert "highest at b" in effect.summary()
    assert "; rare may be higher still, but known less well" in effect.summary()


@pytest.mark.parametrize(
    ("curve", "words"),
    [
        (lambda a: 4 * np.sin(4 * a), r"apart \(95 % interval [\d.]+ to [\d.]+\)"),
        (
            lambda a: 3 * a**2,
            r"[\d.]+ \(95 % interval [\d.]+ to [\d.]+\) below its value at the low",
        ),
    ],
)
def test_ups_and_downs_have_intervals(curve, words):
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-2, 2, size=(2, 3000))
    effect = pb.effect({"a": a, "b": b}, curve(a) + b + rng.normal(size=3000) / 2, "a")
    assert re.search(words, effect.summary())


def test_no_finding_has_an_interval_that_includes_zero():
    rng = np.random.default_rng(1)
    seen = set()
    for seed in range(40):
        rng = np.random.default_rng(seed)
        a, b = rng.normal(size=(2, 150))
        y = 0.35 * np.sin(3 * a) + b + rng.normal(size=150)
        said = pb.effect({"a": a, "b": b}, y, "a", n_jobs=1).summary()
        seen.add(said.split()[0])
        for low, high in re.findall(r"interval (-?[\d.,]+) to (-?[\d.,]+)\)", said):
            assert float(low.replace(",", "")) * float(high.replace(",", "")) > 0
    assert "No" in seen
    assert len(seen) > 1


def test_every_sentence_begins_with_a_capital_letter(found):
    for effect in found.effects:
        for text in (effect.summary(), *effect.remarks()):
            assert re.match("[A-Z0-9]", text), text
    for word in ("speak", "told", "Explained is"):
        assert word not in found.summary()


@pytest.mark.parametrize(
    "words",
    ["of the rows speak", "rows speak where", "little that is left", "none can be told",
     "if there is one, it is", "Read is the sheet", "Explained is the share", "(it gives",
     "cannot be told from its name"],
)  # fmt: skip
def test_words_that_nobody_would_say_are_nowhere(words):
    from pathlib import Path

    source = Path(pb.__file__).parent
    files = [path for kind in ("py", "html", "js") for path in source.rglob(f"*.{kind}")]
    assert not [path for path in files if words in path.read_text(encoding="utf-8")]


def test_names_that_nobody_would_guess_are_gone(found):
    named = {name for e in (found, *found.effects) for name in dir(e)}
    assert not named & {"cloud", "anchored", "said_once", "mass"}


def test_classes_are_asked_of_in_english():
    rng = np.random.default_rng(0)
    a = rng.normal(size=600)
    found = pb.effects({"a": a, "b": rng.normal(size=600), "y": np.where(a > 0, ">50K", "-")}, "y")
    assert found.question == "What goes with the share of rows where y is >50K, other things equal?"


# ---- notes and their remedies --------------------------------------------------------------------


def test_each_front_end_words_a_remedy_in_its_own_way():
    note = Note("twins", "Text.", {}, Remedy("together", ("a b", "c")))
    assert (
        str(note) == "Text. Leave 'a b', 'c' out, or pass together=['a b', 'c'] to move them along."
    )
    assert "--together 'a b' --together 'c'" in note.with_advice(option_advice)
    assert "ticks" in note.with_advice(page_advice)
    plain = note.with_advice()
    assert not any(word in plain for word in ("--", "=[", "tick"))
    assert Note.from_dict(json.loads(json.dumps(to_plain(note)))) == note


def test_notes_name_no_option_of_any_front_end():
    from pathlib import Path

    source = Path(notes.__file__).read_text(encoding="utf-8")
    assert not re.search(r"--\w", source)


# ---- stored results ------------------------------------------------------------------------------


def test_the_first_format_is_still_read(found):
    effect = found["lat"]
    old = effect.to_dict()
    assert old["format"] == 3
    old["format"] = 1
    for new, name in (("row_share", "mass"), ("scatter", "cloud"), ("conf_level", "level")):
        old[name] = old.pop(new)
    for name in ("share_left", "n_held", "df"):
        del old[name]
    old["notes"] = [
        {"kind": "nearly_fixed", "text": "t", "facts": {"share": 0.004}},
        {"kind": "nothing_held", "text": "t", "facts": {}},
    ]
    again = pb.NumericEffect.from_dict(json.loads(json.dumps(old)))
    np.testing.assert_array_equal(again.row_share, effect.row_share)
    assert (again.conf_level, again.share_left, again.n_held) == (0.95, 0.004, 0)
    assert again.hardly_varies
    assert pb.EffectSet.from_dict({**found.to_dict(), "format": 1}).ranking == found.ranking


def test_what_notes_alone_held_in_the_second_format_is_still_read():
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(200), 10)
    x, left = rng.normal(size=(2, 200))[:, day] + 0.5 * rng.normal(size=(2, 2000))
    data = {"nr": np.arange(2000), "x": x, "z": rng.normal(size=2000), "leak": 2 * left, "y": left}
    found = pb.effects(data, "y")
    stored = json.loads(json.dumps(found.to_dict()))
    assert pb.EffectSet.from_dict(stored).tidied == found.tidied
    stored["format"] = 2
    del stored["tidied"]
    for effect in stored["effects"]:
        effect["format"] = 2
        del effect["neighbours_alike"]
    again = pb.EffectSet.from_dict(stored)
    assert [one.column for one in again.left_out] == ["leak", "nr"]
    assert again.left_out == found.left_out
    assert again["x"].neighbours_alike == found["x"].neighbours_alike > 0
    with pytest.raises(KeyError, match="keep="):
        _ = again["nr"]
