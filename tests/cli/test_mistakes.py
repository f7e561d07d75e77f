"""The command line: bad input and failures are one sentence."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import paribus as pb
from paribus.cli import main
from paribus.cli.run import run
from paribus.cli.writing import check_extra, check_output
from paribus.report.writing import replacing

from people_table import ASK, names


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


def test_a_picture_of_two_columns_is_refused(people, writers, capsys):
    assert run(["plot", *ASK, "-f", "height", "-f", "sex", "-o", "both.svg"]) == 2
    assert "A picture shows one column, got 2." in capsys.readouterr().err
    assert not Path("both.svg").exists()


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
    assert run(["report", *ASK, "-o", "people.html"]) == 2
    assert "The disk is full." in capsys.readouterr().err
    assert names(people) == ["people.csv", "people.html"]
    assert Path("people.html").read_text(encoding="utf-8") == "old"


def test_a_target_of_classes_names_what_the_command_line_has(people, capsys):
    table = pl.read_csv("people.csv").with_columns(
        light=pl.Series(["red", "green", "blue"] * 133 + ["red"])
    )
    table.write_csv("lights.csv")
    assert run(["effects", "lights.csv", "-t", "light"]) == 2
    said = capsys.readouterr().err
    assert "--class on the command line" in said
    assert "effects_by_class" not in said


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


def test_neither_the_data_nor_a_page_of_others_is_overwritten(people, writers, capsys):
    pl.read_csv("people.csv").write_excel("people.xlsx")
    asked = ["report", "people.xlsx", "-t", "weight", "--excel"]
    Path("people.html").write_text("mine", encoding="utf-8")
    kept = names(people)
    assert run([*asked, "./people.xlsx", "-o", "page.html"]) == 2
    assert "'people.xlsx' is the file to be explained" in capsys.readouterr().err
    assert run([*asked, "book.xlsx"]) == 2
    assert "'people.html' is there already, and is no report" in capsys.readouterr().err
    assert names(people) == kept
    assert Path("people.html").read_text(encoding="utf-8") == "mine"


def test_a_folder_is_no_output(tmp_path):
    (tmp_path / "page.html").mkdir()
    with pytest.raises(pb.InputError, match="is a folder"):
        check_output(tmp_path / "page.html", (".html",))


@pytest.fixture
def small_disk():
    """No file may grow beyond a few kilobytes."""
    resource = pytest.importorskip("resource", reason="needs limits of files")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("output", ["out.html", "out.png", "out.svg"])
def test_a_disk_that_fills_up_leaves_no_half_a_file(tmp_path, small_disk, output, capsys):
    data, out = tmp_path / "people.csv", tmp_path / output
    data.write_text("a,y\n" + "".join(f"{k % 17},{k % 17 + k % 3}\n" for k in range(300)))
    command = ["report"] if output == "out.html" else ["plot", "-f", "a"]
    assert run([*command, str(data), "-t", "y", "-o", str(out)]) == 2
    assert capsys.readouterr().err.endswith("could not be read or written: File too large.\n")
    assert names(tmp_path) == ["people.csv"]


@pytest.mark.parametrize("write", ["report", "to_excel", "to_docx", "to_csv"])
def test_a_disk_that_fills_up_is_a_sentence_in_python_too(tmp_path, small_disk, write):
    rng = np.random.default_rng(0)
    columns = {f"a column of some length, number {k}": rng.normal(size=60) for k in range(60)}
    effects = pb.effects(columns, rng.normal(size=60), effort="quick", n_jobs=1)
    ending = {"report": "html", "to_excel": "xlsx", "to_docx": "docx", "to_csv": "csv"}[write]
    with pytest.raises(pb.InputError, match="read or written: File too large"):
        getattr(effects, write)(tmp_path / f"out.{ending}")
    assert names(tmp_path) == []
