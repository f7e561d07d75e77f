"""The command line: what it prints, what it writes, how it leaves."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import paribus as pb
from paribus.cli import main, sparks
from paribus.cli.run import run
from paribus.cli.writing import check_extra, check_output
from paribus.report.writing import replacing

ROOT = Path(__file__).parents[1]


@pytest.fixture
def people(tmp_path, monkeypatch):
    """Put people.csv into a folder of its own and go there."""
    monkeypatch.chdir(tmp_path)
    frame = pb.datasets.body_weight(400, seed=0).to_frame("polars")
    frame.with_columns(heavy=pl.col("weight") > 200).write_csv("people.csv")
    return tmp_path


@pytest.fixture
def writers(monkeypatch):
    """Stand in for the report, the workbook and the pictures."""
    monkeypatch.setattr("paribus.cli.writing.find_spec", lambda _: True)

    def write(effects, path, progress):
        progress(1, 1)
        Path(path).write_text(" ".join(effects), encoding="utf-8")

    monkeypatch.setattr("paribus.report.page.write_page", write)
    monkeypatch.setattr("paribus.report.workbook.write_workbook", write)
    monkeypatch.setattr(
        "paribus.report.picture.save_chart",
        lambda effect, path: Path(path).write_text(effect.feature),
    )


def names(folder):
    return sorted(path.name for path in folder.iterdir())


ASK = ["people.csv", "--target", "weight", "--drop", "heavy"]


def test_effects_are_ranked_with_curves_and_sentences(people, capsys):
    assert run(["effects", *ASK]) == 0
    shown = capsys.readouterr()
    assert "What goes with weight, other things equal? 400 rows, 4 columns." in shown.out
    assert shown.out.index("height") < shown.out.index("pregnant")
    assert "▁" in shown.out
    assert "Each extra 1 of height goes with about 10 more weight" in shown.out
    assert shown.err == ""


def test_the_same_as_in_python(people, capsys):
    assert run(["effects", *ASK, "--json", "--seed", "3", "--level", "0.9", "--threads", "1"]) == 0
    got = pb.EffectSet.from_dict(json.loads(capsys.readouterr().out))
    table = pl.read_csv("people.csv").drop("heavy")
    wanted = pb.effects(table, target="weight", seed=3, conf_level=0.9)
    assert got.ranking == wanted.ranking
    np.testing.assert_array_equal(got["height"].upper, wanted["height"].upper)


@pytest.fixture
def shops(tmp_path, monkeypatch):
    """Put sales.csv, rows of 40 shops, into a folder of its own and go there."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 600
    shop = rng.integers(0, 40, n)
    price = rng.normal(size=n) + rng.normal(size=40)[shop]
    sold = price + 2 * rng.normal(size=40)[shop] + rng.normal(size=n)
    table = {"price": price, "day": rng.integers(1, 8, n), "shop": [f"s{k}" for k in shop]}
    table |= {"often": rng.integers(1, 4, n), "share": rng.uniform(0.5, 2, n), "sold": sold}
    pl.DataFrame(table).write_csv("sales.csv")
    return tmp_path


WILD = {"price": 5.0, "sold": 900.0}
ROLES = {"weights": "share", "counts": "often", "cluster": "shop", "within": "shop"}


@pytest.mark.parametrize("role", ROLES)
def test_what_rows_stand_for_is_said_as_in_python(shops, capsys, role):
    name = ROLES[role]
    assert run(["effects", "sales.csv", "-t", "sold", f"--{role}", name, "--json"]) == 0
    got = pb.EffectSet.from_dict(json.loads(capsys.readouterr().out))
    wanted = pb.effects(pl.read_csv("sales.csv"), "sold", **{role: name})
    assert name not in got.ranking
    np.testing.assert_allclose(got["price"].upper, wanted["price"].upper, rtol=1e-6)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["shup"], "--{role}: There is no column 'shup'. Did you mean 'shop'?"),
        (["sold"], "'sold' is the target and cannot be used for --{role} as well."),
        (["day", "-f", "day"], "'day' is used for --{role} and is not held still"),
        (["day", "--together", "day"], "'day' is used for --{role} and is not held still"),
        (["day", "--drop", "day"], "'day' is named with --{role} and left out with --drop."),
    ],
)
def test_a_mistake_in_what_rows_stand_for_names_the_option(shops, capsys, role, more, said):
    assert run(["effects", "sales.csv", "-t", "sold", f"--{role}", *more]) == 2
    assert said.format(role=role) in capsys.readouterr().err


def test_rows_that_carry_a_result_are_numbered_as_in_the_file(shops, capsys):
    table = pl.read_csv("sales.csv")
    typo = pl.int_range(pl.len()) == 411
    wild = {name: pl.when(typo).then(value).otherwise(name) for name, value in WILD.items()}
    table.with_columns(**wild).write_csv("sales.csv")
    asked = ["effects", "sales.csv", "-t", "sold", "-f", "price"]
    for more in ([], ["--sample", "500", "--seed", "1"], ["--cluster", "shop"]):
        assert run([*asked, *more]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert "row 412 of the table" in said.lower()
        assert ("in 40 clusters" in said) == ("--cluster" in more)
        assert ("shared by rows of the same shop." in said) == ("--cluster" in more)


def test_counts_and_clusters_that_cannot_be(shops, capsys):
    table = pl.read_csv("sales.csv").with_columns(one=pl.lit("a"))
    table.write_csv("sales.csv")
    asked = ["effects", "sales.csv", "-t", "sold"]
    assert run([*asked, "--counts", "shop"]) == 2
    assert "The counts 'shop' must be numbers of at least 0" in capsys.readouterr().err
    assert run([*asked, "--cluster", "one"]) == 2
    assert "All rows belong to the same 'one'" in capsys.readouterr().err


def test_an_id_that_repeats_is_offered_as_a_cluster(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    person = [f"p{k}" for k in rng.integers(0, 5_000, 300)]
    table = pl.DataFrame({"x": rng.normal(size=300), "person": person})
    table.with_columns(y=table["x"] + rng.normal(size=300)).write_csv("rows.csv")
    assert run(["effects", "rows.csv", "-t", "y", "--as-is"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "If rows with the same 'person' belong together, add --cluster 'person'." in said
    (note,) = pb.effects("rows.csv", "y", tidy=False)["person"].notes
    assert str(note).endswith("belong together, pass cluster='person'.")


def test_csv_is_the_ranking_or_one_curve(people, capsys):
    assert run(["effects", *ASK, "--csv"]) == 0
    ranking = pl.read_csv(capsys.readouterr().out.encode())
    assert ranking["feature"].to_list()[0] == "height"
    assert run(["effects", *ASK, "--csv", "--feature", "height"]) == 0
    curve = pl.read_csv(capsys.readouterr().out.encode())
    assert curve.columns[:2] == ["height", "effect"]
    assert run(["effects", *ASK, "--csv", "-f", "height", "-f", "sex"]) == 0
    assert pl.read_csv(capsys.readouterr().out.encode()).height == 2


def test_options_reach_the_library(people, capsys):
    asked = ["effects", "people.csv", "-t", "heavy", "--class", "false", "--drop", "weight"]
    assert run([*asked, "--sample", "300", "--json", "--categorical", "education"]) == 0
    found = pb.EffectSet.from_dict(json.loads(capsys.readouterr().out))
    assert found.target == "heavy is false"
    assert found.n_rows == 300
    assert [note.kind for note in found.notes] == ["dropped", "sampled", "class_target"]
    assert isinstance(found["height"], pb.NumericEffect)
    asked = ["effects", "people.csv", "-t", "weight", "--weights", "education", "--json"]
    assert run([*asked, "--categorical", "height", "--feature", "sex"]) == 0
    assert list(pb.EffectSet.from_dict(json.loads(capsys.readouterr().out))) == ["sex"]


def test_columns_move_together(people, capsys):
    table = pl.read_csv("people.csv")
    table.with_columns(cm=pl.col("height") * 2.54).write_csv("people.csv")
    asked = ["effects", *ASK, "--together", "height", "--together", "cm", "--json"]
    assert run(asked) == 0
    found = pb.EffectSet.from_dict(json.loads(capsys.readouterr().out))
    alone = pb.effect(table.drop("heavy"), "weight", "height")
    np.testing.assert_allclose(found["height"].effect, alone.effect)
    assert found["height"].notes[0].text.startswith("Moved along with 'height': 'cm'.")
    assert "moved_together" not in [note.kind for note in found["sex"].notes]
    assert run(["effects", *ASK, "--together", "cm", "-f", "height", "--json"]) == 0
    again = pb.EffectSet.from_dict(json.loads(capsys.readouterr().out))
    np.testing.assert_array_equal(again["height"].effect, found["height"].effect)
    assert run(["effects", *ASK, "--together", "cm"]) == 2
    assert "'cm' alone cannot move together." in capsys.readouterr().err


def test_plain_terminals_get_plain_letters(people):
    asked = [sys.executable, "-m", "paribus", "effects", *ASK]
    plain = {**os.environ, "PYTHONIOENCODING": "ascii"}
    shown = subprocess.run(asked, capture_output=True, check=True, env=plain).stdout.decode("ascii")
    assert "?" not in shown.split("equal?")[1]
    line = next(line for line in shown.splitlines() if " height " in line)
    assert ".." in line
    assert "@" in line


def test_a_target_made_categorical(people, capsys):
    table = pl.read_csv("people.csv").with_columns(grade=pl.int_range(400) % 3)
    table.write_csv("people.csv")
    asked = ["effects", "people.csv", "-t", "grade", "--json"]
    assert run([*asked, "--categorical", "grade", "--class", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["target"] == "grade is 2"
    assert run([*asked, "--categorical", "grade"]) == 2
    assert "--class on the command line" in capsys.readouterr().err


def test_text_among_the_numbers_of_the_target(people, capsys):
    table = Path("people.csv").read_text(encoding="utf-8")
    Path("people.csv").write_text(table + "F,true,60,12,unknown,false\n", encoding="utf-8")
    assert run(["effects", *ASK]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "In 1 row column 'weight' has no number but 'unknown': taken as missing." in shown
    assert "1 row without a value of 'weight' was left out." in shown
    several = "".join(f"F,true,60,12,{word},false\n" for word in ("low", "high", "many", "none"))
    Path("people.csv").write_text(table + several, encoding="utf-8")
    assert run(["effects", *ASK]) == 2
    assert "With --numeric 'weight' these count as missing." in capsys.readouterr().err
    assert run(["effects", *ASK, "--numeric", "weight"]) == 0


def test_names_cannot_steer_the_terminal(people, capsys):
    table = pl.read_csv("people.csv").rename({"height": "[red]\x1b[31mheight[/]"})
    table.write_csv("people.csv")
    assert run(["effects", *ASK]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "[red] [31mheight[/]" in shown


def test_report_and_workbook(people, writers, capsys):
    assert run(["report", *ASK, "--excel", "book.xlsx"]) == 0
    assert names(people) == ["book.xlsx", "people.csv", "people.html"]
    assert Path("people.html").read_text(encoding="utf-8").startswith("height")
    out = capsys.readouterr().out
    assert f"The report is in {people / 'people.html'}" in out
    assert f"The workbook is in {people / 'book.xlsx'}" in out


def test_plot(people, writers, capsys):
    assert run(["plot", *ASK, "--feature", "height", "-o", "height.svg"]) == 0
    assert Path("height.svg").read_text(encoding="utf-8") == "height"
    assert "height.svg" in capsys.readouterr().out


def test_a_picture_of_two_columns_is_refused(people, writers, capsys):
    assert run(["plot", *ASK, "-f", "height", "-f", "sex", "-o", "both.svg"]) == 2
    assert "A picture shows one column, got 2." in capsys.readouterr().err
    assert not Path("both.svg").exists()


def test_demo_names_its_page_and_opens_it_when_asked(people, writers, capsys, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    small = pb.datasets.body_weight(300, seed=0)
    monkeypatch.setattr("paribus.datasets.diamonds", lambda: small)
    assert run(["demo", "-o", "page.html"]) == 0
    assert opened == []
    assert f"The report is in {people / 'page.html'}" in capsys.readouterr().out
    assert run(["demo", "-o", "page.html", "--open"]) == 0
    assert opened == [(people / "page.html").as_uri()]


def test_info_and_version(capsys):
    assert run(["info"]) == 0
    assert str(pb.info()) in capsys.readouterr().out
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"paribus {pb.__version__}\n"


@pytest.mark.parametrize("command", [[], ["demo"], ["report"], ["effects"], ["plot"], ["info"]])
def test_every_command_has_help_with_an_example(command, capsys):
    assert run([*command, "--help"]) == 0
    assert "Example: paribus " in capsys.readouterr().out
    assert run([]) == 0


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (
            ["effects", "peple.csv", "-t", "weight"],
            "no file 'peple.csv'. Did you mean 'people.csv'",
        ),
        (["effects", "people.csv", "-t", "wight"], "no column 'wight'. Did you mean 'weight'"),
        (["effects", "people.csv"], "Name it with --target; those of 'people.csv' are 'sex', "),
        (["effects", *ASK, "--drop", "hight"], "no column 'hight'. Did you mean 'height'"),
        (
            ["effects", *ASK, "--drop", "weight"],
            "'weight' is named with --target and left out with --drop. Choose one.",
        ),
        (
            ["effects", *ASK, "-f", "sex", "--drop", "sex"],
            "'sex' is named with --feature and left out with --drop. Choose one.",
        ),
        (
            ["effects", *ASK, "--together", "sex", "--drop", "sex"],
            "'sex' is named with --together and left out with --drop. Choose one.",
        ),
        (
            ["effects", *ASK, "--seed", str(2**64)],
            "seed must be at most 18,446,744,073,709,551,615",
        ),
        (["effects", *ASK, "-f", "weight"], "is the target itself"),
        (["effects", *ASK, "--json", "--csv"], "Choose one of --json and --csv."),
        (["effects", *ASK, "--level", "95"], "Invalid value for '--level'"),
        (["effects", *ASK, "--sample", "many"], "Invalid value for '--sample'"),
        (["effects"], "Missing argument 'FILE'. See 'paribus effects --help'."),
        (["efects"], "No such command 'efects'"),
        (["report", *ASK, "-o", "page.pdf"], "'page.pdf' must end in '.html' or '.htm'."),
        (["report", *ASK, "-o", "no/page.html"], "there is no folder 'no'"),
        (["report", *ASK, "--excel", "book.xls"], "'book.xls' must end in '.xlsx'."),
        (["plot", *ASK, "-f", "sex", "-o", "x.gif"], "must end in '.png', '.svg' or '.pdf'."),
        (["plot", *ASK, "-f", "sexx", "-o", "x.png"], "no column 'sexx'. Did you mean 'sex'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(people, writers, capsys, asked, sentence):
    assert run(asked) == 2
    shown = capsys.readouterr()
    assert sentence in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""
    assert names(people) == ["people.csv"]


def test_a_failing_writer_leaves_nothing_behind(people, writers, capsys, monkeypatch):
    def fail(effects, path, progress):
        with replacing(path) as beside:
            beside.write_text("half", encoding="utf-8")
            raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("paribus.report.page.write_page", fail)
    Path("people.html").write_text("old", encoding="utf-8")
    assert run(["report", *ASK]) == 2
    assert "The disk is full." in capsys.readouterr().err
    assert names(people) == ["people.csv", "people.html"]
    assert Path("people.html").read_text(encoding="utf-8") == "old"


def test_csv_holds_no_formula(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    bad = ["=cmd|' /C calc'!A0", "+1+1", "@SUM(A1)", "-2+3", "plain"]
    rng = np.random.default_rng(0)
    table = {"=x": rng.choice(bad, 200), "z": rng.normal(size=200), "y": rng.normal(size=200)}
    pl.DataFrame(table).write_csv("bad.csv")
    for options in ([], ["-f", "=x"]):
        assert run(["effects", "bad.csv", "-t", "y", "--csv", *options]) == 0
        written = pl.read_csv(capsys.readouterr().out.encode())
        texts = [*written.columns, *(v for c in written if c.dtype == pl.String for v in c)]
        assert not [text for text in texts if text.startswith(("=", "+", "@", "-"))]
        assert any(text.startswith("'=") for text in texts)


def test_a_target_of_classes_names_what_the_command_line_has(people, capsys):
    table = pl.read_csv("people.csv").with_columns(
        light=pl.Series(["red", "green", "blue"] * 133 + ["red"])
    )
    table.write_csv("lights.csv")
    assert run(["effects", "lights.csv", "-t", "light"]) == 2
    said = capsys.readouterr().err
    assert "--class on the command line" in said
    assert "effects_by_class" not in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_standard_output_is_a_sentence(people):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "paribus", "effects", *ASK, "--csv"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "The disk is full. Make some room on it, and try again.\n"


def test_our_own_mistakes_are_one_sentence_unless_debugging(people, capsys, monkeypatch):
    def fail(*args, **options):
        raise ZeroDivisionError("division by\nzero")

    monkeypatch.setattr("paribus.api.effects", fail)
    assert run(["effects", *ASK]) == 1
    shown = capsys.readouterr().err
    assert "(ZeroDivisionError: division by zero). With --debug it shows where." in shown
    for asked in (["effects", *ASK, "--debug"], ["--debug", "effects", *ASK]):
        with pytest.raises(ZeroDivisionError):
            run(asked)


def test_missing_packages_are_named_with_their_extra(monkeypatch, capsys):
    monkeypatch.setattr("paribus.cli.writing.find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r"A report needs altair, .* 'paribus\[report\]'"):
        check_extra("report", "A report")
    monkeypatch.setattr("paribus.cli.find_spec", lambda _: None)
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "pip install 'paribus[cli]'" in capsys.readouterr().err


def test_replacing_keeps_the_old_file_when_interrupted(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("old", encoding="utf-8")

    def write():
        with replacing(page) as beside:
            beside.write_text("half", encoding="utf-8")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert names(tmp_path) == ["page.html"]
    assert page.read_text(encoding="utf-8") == "old"


def test_a_folder_is_no_output(tmp_path):
    (tmp_path / "page.html").mkdir()
    with pytest.raises(pb.InputError, match="is a folder"):
        check_output(tmp_path / "page.html", (".html",))


def test_sparks_break_in_gaps_and_are_silent_without_an_effect(people):
    x = np.concatenate([np.linspace(0, 10, 200), np.linspace(30, 40, 200)])
    y = x + np.random.default_rng(0).normal(size=400)
    broken = pb.effect({"x": x, "far": x > 20, "y": y}, "y", "x", tidy=False)
    assert len(sparks.curve(broken).split()) == 2
    noise = pb.effect({"x": x, "y": np.random.default_rng(0).normal(size=400)}, "y", "x")
    assert sparks.curve(noise) == "no clear effect"
    found = pb.effects(pl.read_csv("people.csv").drop("heavy"), target="weight")
    assert sparks.curve(found["height"])[0] == "▁"
    assert sparks.curve(found["height"])[-1] == "█"
    assert sparks.curve(found["pregnant"]) == "▁█"


def test_the_reference_is_current():
    spec = spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    generate = module_from_spec(spec)
    spec.loader.exec_module(generate)
    for name, page in generate.PAGES.items():
        stored = (generate.REFERENCE / name).read_text(encoding="utf-8")
        assert stored == page(), "run: make docs"


def test_standard_input_and_python_dash_m(people):
    asked = [sys.executable, "-m", "paribus", "effects", "-", "-t", "weight", "--csv"]
    text = Path("people.csv").read_bytes()
    done = subprocess.run(asked, input=text, capture_output=True, check=True)
    assert done.stdout.startswith(b"feature,impact,share")
    assert done.stderr == b""


SLOW = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
import paribus.cli.writing as writing
from paribus.cli import main
from paribus.report import page
from paribus.report.writing import replacing

def write(effects, path, progress):
    with replacing(path) as beside:
        beside.write_text("half")
        print("writing", flush=True)
        time.sleep(60)

def effects(*args, **options):
    with ThreadPoolExecutor(1) as pool:
        print("working", flush=True)
        pool.submit(time.sleep, 60).result()

writing.find_spec = lambda name: True
if sys.argv.pop(1) == "writing":
    page.write_page = write
else:
    import paribus.api
    paribus.api.effects = effects
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to send")
@pytest.mark.parametrize("busy", ["working", "writing"])
def test_ctrl_c_is_heard_at_once_and_leaves_no_half_file(people, busy):
    asked = [sys.executable, "-c", SLOW, busy, "report", *ASK]
    pipe = subprocess.PIPE
    with subprocess.Popen(asked, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout.readline() == f"{busy}\n"
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        _, told = process.communicate(timeout=20)
    assert process.returncode == 130
    assert time.monotonic() - start < 10
    assert told.strip() == ""
    assert names(people) == ["people.csv"]


WAITING = """
import time
from paribus.cli.waiting import meanwhile, patiently

def work(advance):
    for k in range(1, 16):
        time.sleep(0.1)
        advance(k, 30)

patiently("Reading", work)
with meanwhile("Writing") as advance:
    work(advance)
patiently("Quick", lambda advance: advance(1, 2))
"""


@pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminal")
def test_a_bar_with_the_time_left_on_a_terminal_only():
    import pty

    ours, theirs = pty.openpty()
    asked = [sys.executable, "-c", WAITING]
    with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while part := _read(ours):
            shown += part
        assert process.stdout.read() == b""
    os.close(ours)
    assert re.search(rb"Reading .* \d s left", shown)
    assert re.search(rb"Writing .* \d s left", shown)
    assert b"Quick" not in shown
    silent = subprocess.run(asked, capture_output=True, check=True)
    assert silent.stderr == b""


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other side is closed
        return b""
