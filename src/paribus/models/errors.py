"""Errors for models that cannot be used."""

from __future__ import annotations

from collections.abc import Sequence

from paribus.base.errors import InputError, Wording
from paribus.base.wording import listed, rows

not_a_model = Wording[str]("Expected a fitted model with predict or predict_proba, got {got}.")
not_an_instance = Wording[str](
    "The class {got} is a kind of model, not a fitted one: make one, fit it and pass that."
)
no_classes = Wording[str](
    "The model {got} has predict_proba but no classes_, so it is not known "
    "what its shares are of. Fit it first, or set classes_ in the order of its columns."
)
no_rows = Wording[()]("The table has no rows, so there is nothing to ask the model about.")


def cannot_predict(problem: Exception) -> InputError:
    """Return the error for a model that fails on the table given."""
    what = " ".join(str(problem).split())
    return InputError(
        f"The model cannot predict from this table ({type(problem).__name__}: {what}). It must be "
        "fitted, and the table must hold exactly the columns that it was fitted on; target= names "
        "one to leave out."
    )


strange_prediction = Wording[tuple[int, ...], str, int](
    "The model predicts an array of shape {shape} and type {dtype} for {n_rows:,} rows, where "
    "one number per row is needed. For classes it needs predict_proba."
)


def not_finite(n_strange: int, n_rows: int, moved: Sequence[str]) -> InputError:
    """Return the error for predictions that are missing or infinite."""
    values = f" given other values of {listed(moved, 3)}" if moved else ""
    return InputError(
        f"The model predicts no finite number (NaN or infinity) for {n_strange:,} of "
        f"{rows(n_rows)}{values}. Leave out the rows that it cannot take, or fill their missing "
        "values."
    )


def unknown_class(target: str, class_: object, classes: Sequence[object]) -> InputError:
    """Return the error for a class that a model was not fitted on."""
    return InputError(
        f"The model does not know the class {class_!r} of {target!r}: its classes are "
        f"{listed(classes, 10)}. Choose one of them, or fit it on the target as the table has it."
    )


classes_for_numbers = Wording[str](
    "The model predicts classes, and {target!r} is explained as a number. Choose a class "
    "with class_=, or pass a model that predicts numbers."
)
numbers_for_classes = Wording[str](
    "The model predicts numbers, not the share of {share!r}. Pass a model with "
    "predict_proba, or the target as the two numbers that it was fitted on."
)
not_a_tree = Wording[str](
    "The mode 'path_dependent' is for trees over numbers that add up to what is predicted, "
    "which {model} on this table does not (boosted classes add up to "
    "log-odds). Use mode='interventional'."
)
not_a_pair = Wording[str, str](
    "A pair needs two different columns of numbers or dates that vary; {first!r} and "
    "{second!r} are not."
)


def too_few_of_both(first: str, second: str, n_rows: int) -> InputError:
    """Return the error for a pair of columns that are hardly ever known together."""
    if n_rows == 0:
        return InputError(f"No row has both {first!r} and {second!r}. Pick columns known together.")
    return InputError(
        f"One of {first!r} and {second!r} is the same in all rows that have both "
        f"({rows(n_rows)}). Pick columns that vary together."
    )


def no_methods(choices: Sequence[str]) -> InputError:
    """Return the error for a comparison without anything to compare."""
    return InputError(f"The argument methods must name at least one of {listed(choices, 20)}.")


no_band = Wording[str, str]("There is no band to judge the model's curve of {feature!r} by. {why}")
