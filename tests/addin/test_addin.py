"""The extension in a real LibreOffice, without a window: installed, called, read back."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


@pytest.fixture(scope="module")
def extension(tmp_path_factory):
    to = tmp_path_factory.mktemp("dist") / "paribus.oxt"
    subprocess.run([sys.executable, ROOT / "addin" / "build.py", to], check=True)
    return to


@pytest.fixture(scope="module")
def found(extension, tmp_path_factory):
    """What each case gave, run by the Python that knows the office."""
    python = next((p for p in ("/usr/bin/python3", "python3") if _knows_office(p)), None)
    if python is None or not shutil.which("soffice"):
        pytest.skip("LibreOffice with its Python bridge is not installed: make office")
    command = Path(sys.executable).with_name("paribus")
    pictures = tmp_path_factory.mktemp("pictures")
    # The office's own Python must not take the tests' environment for its own.
    plain = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    run = subprocess.run(
        [python, HERE / "office.py", extension, command, pictures],
        env={**plain, "PATH": os.pathsep.join(("/usr/bin", "/bin", plain["PATH"]))},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def _knows_office(python):
    path = shutil.which(python)
    return (
        bool(path)
        and not subprocess.run(
            [path, "-c", "import uno"], capture_output=True, check=False
        ).returncode
    )


def test_only_the_standard_library_and_the_office_are_imported(extension):
    with zipfile.ZipFile(extension) as file:
        texts = [file.read(n).decode() for n in file.namelist() if n.endswith(".py")]
    lines = [line.split() for text in texts for line in text.splitlines()]
    imported = {line[1].partition(".")[0] for line in lines if line[:1] in (["import"], ["from"])}
    known = {"com", "uno", "unohelper", "paribus_addin"}
    assert imported <= known | set(sys.stdlib_module_names)


def test_the_answer_comes_as_sheets_with_charts(found):
    fine = found["fine"]
    assert fine["sheets"][:2] == ["Houses", "Summary"]
    assert set(fine["sheets"][2:]) >= {"rooms", "garden"}
    assert fine["charts"][2:4] == [1, 1]
    assert fine["overlap"] == [False, False]
    assert fine["title"].startswith("What goes with price")
    assert "rooms" in fine["first"][:6]


def test_the_numbers_are_those_of_the_table(found):
    """A room more costs 20."""
    points = {row[0]: row[1] for row in found["fine"]["effect"] if isinstance(row[0], float)}
    assert points[5.0] - points[2.0] == pytest.approx(60, abs=3)


def test_the_users_cells_stay_as_they_are(found):
    assert found["fine"]["unchanged"]


def test_a_long_table_is_answered(found):
    assert found["many rows"] == {
        "sentence": "4 sheets were added, from 'Summary' to 'sold'.",
        "unchanged": True,
        "sheets": ["Sheet1", "Summary", "rooms", "garden", "sold"],
    }


def test_names_that_are_taken_get_a_number_and_links_follow(found):
    taken = found["taken"]
    assert taken["sheets"][:2] == ["Summary", "Summary (2)"]
    assert len(set(taken["sheets"])) == len(taken["sheets"])
    assert taken["links"]
    assert taken["sentence"].startswith(f"{len(taken['sheets']) - 1} sheets were added")


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("empty", "There is nothing here to explain"),
        ("no header", "The first row must hold the names of the columns, and A1 holds"),
        ("merged", "The cells B5:C5 are merged"),
        ("two blocks", "Select one block of cells"),
        ("unknown", "There is no column 'prise'"),
        ("no page", "paribus does not answer at http://127.0.0.1:9"),
        ("errors", "2 formulas have errors, the first in A9"),
    ],
)
def test_a_table_that_cannot_be_explained_gets_a_sentence(found, case, words):
    assert words in found[case]
