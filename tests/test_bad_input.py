"""Bad input of every kind: one clear sentence, or an empty result that says why."""

from importlib import import_module
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import polars as pl
import pytest

import paribus as pb
from paribus.base.errors import Wording

BOTH = [pb.stratpd, pb.catstratpd]


def table(n=60, **more):
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(size=n), "b": rng.integers(3, size=n).astype(float)}
    return {**columns, "y": columns["a"] + columns["b"], **more}


@pytest.mark.parametrize("explain", BOTH)
@pytest.mark.parametrize(
    ("feature", "message"),
    [
        ("A", "There is no column 'A'. Did you mean 'a'?"),
        ("zzz", "There is no column 'zzz'. The columns are 'a' and 'b'."),
        ("y", "'y' is the target itself."),
    ],
)
def test_unknown_column_names_the_nearest(explain, feature, message):
    with pytest.raises(pb.InputError, match=message.replace(".", r"\.").replace("?", r"\?")):
        explain(table(), "y", feature)


@pytest.mark.parametrize("explain", BOTH)
def test_unknown_target(explain):
    with pytest.raises(pb.InputError, match="There is no column 'yy'"):
        explain(table(), "yy", "a")
    with pytest.raises(pb.InputError, match="The table has no columns at all"):
        explain({}, "yy", "a")


@pytest.mark.parametrize("explain", BOTH)
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (table(0), "no rows with a target value"),
        (table(1), "one row with a target value"),
        (table(y=np.ones(60)), "the same value in every row"),
        (table(y=np.full(60, np.nan)), "no rows with a target value"),
        (table(y=["yes", "no"] * 30), "holds text or categories"),
        (table(y=np.arange(60).astype("datetime64[D]")), "holds dates"),
        (table(b=np.r_[np.zeros(59), np.inf]), "'b' is infinite in row 59"),
        (table(y=np.r_[-np.inf, np.zeros(59)]), "'y' is infinite in row 0"),
        (table(b=np.zeros(59)), "'a' has 60 rows and column 'b' has 59"),
        (table(b=[[1, 2]] * 60), "'b' holds values of 2 dimensions"),
        (table(b=[[1, 2], [3]] * 30), "'b' holds lists of unequal length"),
        (table(b=[b"x"] * 60), "'b' holds values of type"),
        (table(b=np.array([b"x", None] * 30)), "'b' holds lists, records or bytes"),
        (table(b=np.r_[np.zeros(59), 1e200]), "'b' has a number beyond 1e150 in row 59"),
        ({**table(), "b": table()["y"]}, "'b' is equal to the target in every row"),
        (pd.DataFrame({"a": [], "y": []}), "no rows with a target value"),
        (table(b=np.ones(60, dtype=complex)), "'b' holds values of type complex128"),
        ({"y": np.arange(5.0)}, "no column but the target"),
        (3, "Expected a table"),
        ("data.csv", "Expected a table"),
    ],
    ids=str,
)
def test_unusable_tables(explain, data, message):
    with pytest.raises(pb.InputError, match=message):
        explain(data, "y", "a")


@pytest.mark.parametrize("explain", BOTH)
def test_lengths_that_differ(explain):
    with pytest.raises(pb.InputError, match="The table has 60 rows and the argument target has 59"):
        explain(table(), np.arange(59.0), "a")


@pytest.mark.parametrize("explain", BOTH)
def test_a_target_in_another_order(explain):
    frame = pd.DataFrame(table()).drop(columns="y")
    shuffled = pd.Series(table()["y"]).sample(frac=1, random_state=0)
    with pytest.raises(pb.InputError, match="The argument target is not indexed like the table"):
        explain(frame, shuffled, "a")


@pytest.mark.parametrize("explain", BOTH)
def test_no_target_at_all(explain):
    with pytest.raises(pb.InputError, match="argument target must be the name of a column or one"):
        explain(table(), None, "a")


@pytest.mark.parametrize("explain", BOTH)
def test_two_dimensional_target(explain):
    with pytest.raises(pb.InputError, match="one column of values, got 2 dimensions"):
        explain(table(), np.ones((60, 2)), "a")


def test_arrays_need_fitting_names():
    with pytest.raises(pb.InputError, match="Got 1 names for 2 columns"):
        pb.stratpd(np.ones((5, 2)), np.arange(5.0), "a", names=["a"])
    with pytest.raises(pb.InputError, match="Expected a 2-D array"):
        pb.stratpd(np.ones(5), np.arange(5.0), "a", names=["a"])
    with pytest.raises(pb.InputError, match="has column names already"):
        pb.stratpd(table(), "y", "a", names=["a", "b", "y"])


def test_what_is_nearly_a_table_is_told_how_to_be_one():
    with pytest.raises(pb.InputError, match=r"got LazyFrame\. Collect it first"):
        pb.effects(pl.LazyFrame(table()), "y")
    with pytest.raises(pb.InputError, match="The table comes first"):
        pb.effects("y", pd.DataFrame(table()))


def test_two_columns_of_one_name():
    frame = pd.DataFrame(np.ones((4, 2)), columns=["a", "a"])
    with pytest.raises(pb.InputError, match="Two columns are called 'a'"):
        pb.stratpd(frame, np.arange(4.0), "a")
    with pytest.raises(pb.InputError, match="Two columns are called 'a'"):
        pb.stratpd(np.ones((4, 2)), np.arange(4.0), "a", names=["a", "a"])


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("min_samples_leaf", 0),
        ("min_samples_leaf", 2.5),
        ("min_samples_leaf", True),
        ("min_slopes_per_x", 0),
        ("n_trials", 0),
        ("n_trees", -1),
        ("n_jobs", 0),
    ],
)
def test_numbers_that_are_too_small(option, value):
    with pytest.raises(pb.InputError, match=f"{option} must be a whole number of at least 1, got"):
        pb.stratpd(table(), "y", "a", **{option: value})


@pytest.mark.parametrize("value", [0, 0.0, 1.5, -1, "sqrt", None, True])
def test_share_of_columns(value):
    with pytest.raises(pb.InputError, match="max_features must be a share"):
        pb.catstratpd(table(), "y", "a", max_features=value)


@pytest.mark.parametrize("seed", [-1, "a", 1.5, None])
def test_a_seed_is_a_number(seed):
    with pytest.raises(pb.InputError, match="seed must be a whole number of at least 0"):
        pb.stratpd(table(), "y", "a", seed=seed)


def test_flags_and_engines():
    with pytest.raises(pb.InputError, match="bootstrap must be True or False, got 'no'"):
        pb.stratpd(table(), "y", "a", bootstrap="no")
    with pytest.raises(pb.InputError, match="engine must be 'exact' or 'family'"):
        pb.stratpd(table(), "y", "a", engine="fast")


def test_difference_is_one_of_two():
    with pytest.raises(pb.InputError, match="difference must be 'forward' or 'central'"):
        pb.stratpd(table(), "y", "a", difference="backward")


def test_text_is_not_for_stratpd():
    with pytest.raises(pb.InputError, match=r"'c' holds categories.*Use catstratpd"):
        pb.stratpd(table(c=["u", "v"] * 30), "y", "c")


@pytest.mark.parametrize("explain", BOTH)
@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.ones(60), "the same value in every row"),
        (np.full(60, np.nan), "missing in every row"),
        (np.array([None] * 60), "missing in every row"),
        (np.ones(60, dtype=bool), "the same value in every row"),
    ],
)
def test_nothing_to_explain_says_why(explain, values, reason):
    result = explain(table(c=values), "y", "c")
    assert len(result.effect) == 0
    assert result.n_ignored == 60
    assert result.notes[-1].kind == "unexplained"
    assert reason in result.notes[-1].text
    assert reason in result.plot().texts[0].get_text()


def test_too_few_slopes_says_why():
    few = pb.stratpd(table(), "y", "a", min_slopes_per_x=50)
    assert len(few.effect) == 0
    assert "divide the rows into 3 strata only, which cannot give 50 slopes" in few.notes[-1].text
    two = pb.stratpd(table(c=[0, 1] * 30), "y", "c")
    assert "it has two values, and a forward difference loses the last" in two.notes[-1].text
    assert len(pb.stratpd(table(c=[0, 1] * 30), "y", "c", difference="central").effect) == 2


def test_a_column_of_ids_says_why():
    data = table(c=[f"id{k}" for k in range(60)])
    data["y"][0] = np.nan
    result = pb.catstratpd(data, "y", "c")
    assert len(result.effect) == 0
    assert "each of its 59 values occurs once, as in an id" in result.notes[-1].text


def test_a_column_fixed_by_another_says_why():
    data = table(200)
    result = pb.catstratpd({**data, "copy": data["b"], "y": data["b"] * 9}, "y", "b")
    assert len(result.effect) == 0
    assert "among the rows alike in the other columns it never varies" in result.notes[-1].text
    twins = pb.stratpd({**data, "twin": data["a"]}, "y", "a", min_samples_leaf=1)
    assert "with the other columns held still it hardly varies" in twins.notes[-1].text


@pytest.mark.parametrize("size", [2.5, 0, "a"])
def test_data_sets_need_a_size(size):
    with pytest.raises(pb.InputError, match="The argument n must be a whole number"):
        pb.datasets.body_weight(size)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tidy": "no"}, "tidy must be True, False or a look taken before with check, got 'no'"),
        ({"tidy": 0}, "tidy must be True, False or a look taken before"),
        ({"kind": "numeric"}, "kind must name columns, .*, got 'numeric'"),
        ({"sample_rows": 5}, "sample_rows must be a whole number of at least 100"),
        ({"n_jobs": 10**6}, "n_jobs must be at most"),
        ({"keep": ["c"]}, r"There is no column 'c'. The columns are 'a' and 'b'\."),
        ({"weights": np.zeros(60)}, "no rows with a target value, a weight above 0"),
    ],
)
def test_arguments_that_cannot_be_used(given, message):
    with pytest.raises(pb.InputError, match=message):
        pb.effects(table(), "y", **given)


def test_one_name_is_as_good_as_a_list():
    data = table(200, id=np.arange(200))
    assert pb.effects(data, "y", features="id").ranking == ["id"]
    assert "id" in pb.effects(data, "y", keep="id")


def test_classes_of_a_file_that_is_not_there_or_is_read_in_batches(tmp_path):
    with pytest.raises(pb.InputError, match=r"There is no file 'none\.csv'"):
        pb.effects_by_class("none.csv", "y")
    for part in ("1", "2"):
        pd.DataFrame(table()).to_parquet(tmp_path / f"{part}.parquet")
    with pytest.raises(pb.InputError, match="Call effects with class_= for each"):
        pb.effects_by_class(str(tmp_path / "*.parquet"), "b")


@pytest.mark.parametrize(
    "path", sorted(Path(pb.__file__).parent.glob("*/errors.py")), ids=lambda p: p.parent.name
)
def test_wordings_are_sentences_with_a_value_for_each_gap(path):
    module = import_module(f"paribus.{path.parent.name}.errors")
    for wording in (said for said in vars(module).values() if isinstance(said, Wording)):
        kinds = get_args(wording.__orig_class__)
        sentence = str(wording(*({int: 2, float: 0.5}.get(kind, "It") for kind in kinds)))
        of_a_part = sentence.startswith(("there", "it "))  # after "In part 2 (a.csv): "
        assert sentence[0].isupper() or of_a_part
        assert sentence[-1] in ".?" or sentence.endswith(" It")
