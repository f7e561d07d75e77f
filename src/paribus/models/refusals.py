"""What we say of a model that cannot be asked."""

from __future__ import annotations

from collections.abc import Sequence

from paribus.errors import InputError, listed


def not_a_model(got: object) -> InputError:
    """Word something that is no fitted model."""
    return InputError(
        f"Expected a fitted model with predict or predict_proba, got {type(got).__name__}."
    )


def strange_prediction(shape: tuple[int, ...], dtype: str, n_rows: int) -> InputError:
    """Word predictions that are not one number a row."""
    return InputError(
        f"The model predicts an array of shape {shape} and type {dtype} for {n_rows:,} rows, where "
        "one number a row is needed. For classes it needs predict_proba."
    )


def not_a_tree(model: object) -> InputError:
    """Word path-dependent SHAP values asked of something else than a tree."""
    return InputError(
        f"mode='path_dependent' is for trees that predict numbers from numbers, which "
        f"{type(model).__name__} on this table is not. Use mode='interventional'."
    )


def not_a_pair(first: str, second: str) -> InputError:
    """Word a pair of columns that has no second-order effect."""
    return InputError(
        f"A pair needs two different columns of numbers or dates that vary; {first!r} and "
        f"{second!r} are not."
    )


def no_methods(choices: Sequence[str]) -> InputError:
    """Word a comparison without anything to compare."""
    return InputError(f"methods must name at least one of {listed(choices, most=20)}.")


def no_band(feature: str) -> InputError:
    """Word a referee without a band to judge by."""
    return InputError(
        f"There is no band to judge the model by: nothing could be told of {feature!r} with the "
        "other columns held still."
    )
