"""Claims whose evidence is a test, a definition or a stored benchmark: nothing is measured here."""

from __future__ import annotations

import json
from pathlib import Path

from looks import HOLDS, IF, NOT, UNKNOWN, Claim, listed

ACCURACY = Path(__file__).parents[2] / "benchmarks" / "results" / "accuracy-usual.json"
SHOWN = {"paper": "the paper", "rmse": "ours", "pdp rf": "PDP of a forest"}


def method() -> list[Claim]:
    """Return what the paper says of its method and its defaults."""
    cases = usual().values()
    better = sum(case["paper"] < case["pdp rf"] for case in cases)
    return [
        Claim(
            "Definition 1: the partial dependence is the integral of the partial derivative from "
            "the least x_j on, 0 there.",
            "`stratpd` starts at 0 and integrates. The definition is complete only where the "
            "derivative does not depend on the other columns; with interactions it needs a mean "
            "over them, which the paper takes silently.",
            IF,
        ),
        Claim(
            "The definition does not require a fitted model.",
            "No prediction is used; but the strata come from a regression tree, fitted to y.",
            IF,
        ),
        Claim(
            "The approach is insensitive to codependent columns.",
            "Only as far as leaves are narrow. Error where x and a confounder pull in opposite "
            f"ways (`Simpson` in [accuracy](accuracy.md)): {errors_of('Simpson')}. Far better than "
            "FPD, not insensitive.",
            IF,
        ),
        Claim(
            "Algorithm 1: slopes between neighbouring distinct values of a leaf, averaged over all "
            "leaves that span a value, added up.",
            "`tests/literal.py` follows the pseudocode line by line; `stratpd` gives the same "
            "numbers to 1e-9 (`tests/test_paper.py`), and the error of the authors' own package "
            "within 15 % (`tests/test_paper_numbers.py`).",
            HOLDS,
        ),
        Claim(
            "Algorithm 1 returns pd_x = differences of ux.",
            "A slip: `pd_x` is assigned the steps between values, not the values; curve points "
            "need `ux`. `delta` is then one longer than the steps it is multiplied with.",
            NOT,
        ),
        Claim(
            "Algorithm 2: differences from a random reference, merged at a random common category, "
            "weighted by counts, mean(z, NaN) = z.",
            "The literal twin in `tests/literal.py` and `catstratpd` agree to 1e-9. A leaf's own "
            "reference cancels when it is shifted.",
            HOLDS,
        ),
        Claim(
            "A leaf's average response vector is p-dimensional.",
            "A slip: p is the number of columns; the vector has an entry a category, as n_cats in "
            "Algorithm 2.",
            NOT,
        ),
        Claim(
            "A vector shifted by its own value at a common category c and the running one's agrees "
            "with the running vector at c.",
            "By arithmetic.",
            HOLDS,
        ),
        Claim(
            "Slopes between neighbours are those of a linear regression through two points each.",
            "A line of least squares through two points goes through both.",
            HOLDS,
        ),
        Claim(
            "Leaves with a single x_j, and leaves that share no category, are ignored.",
            "Counted and told: notes `silent_rows` and `unmerged_levels`.",
            HOLDS,
        ),
        Claim(
            "There is no curve value at the rightmost x_j, for differences go forward.",
            "`difference='forward'` loses it, `'central'` keeps it "
            "([decision 3](../decisions/0003-the-last-level.md)).",
            HOLDS,
        ),
        Claim(
            "Defaults of 10 observations a leaf and 5 slopes work well in most cases.",
            f"With them StratPD has less error than the PDP of a forest in {better} of "
            f"{len(cases)} cases of [accuracy](accuracy.md), the truth known. The wave of figure 2 "
            "is flattened, and with 20 columns of noise part of a slope is lost (below).",
            HOLDS if better > 0.8 * len(cases) else IF,
        ),
        Claim(
            "The defaults are 10 observations, 5 slopes and 1 trial.",
            "5 slopes and 1 trial are those of the authors' package; its 0.5 has "
            "`min_samples_leaf=15` for numbers and 5 for categories.",
            IF,
        ),
        Claim(
            "CatStratPD has a single setting for its strata, min_samples_leaf.",
            "Algorithm 2 takes no other; the package adds those of a forest.",
            HOLDS,
        ),
        Claim(
            "Label-encoded categories among the other columns are held still as well.",
            "With few levels, yes. Error with 200 levels in no order that move x and y "
            "(`200-level confounder` in [accuracy](accuracy.md)): "
            f"{errors_of('200-level confounder')}.",
            IF,
        ),
        Claim(
            "StratPD and CatStratPD correctly identify partial dependences for synthetic data.",
            "A line among codependent columns, a noisy parabola and the states, yes (figures 3 to "
            "5); 40 pounds nearly (figure 6); the wave of figure 2 with the defaults, no.",
            IF,
        ),
        Claim(
            "The software is available as the Python package stratx.",
            "Version 0.5 is installed from the package index by `make rivals`, and timed in "
            "figure 9.",
            HOLDS,
        ),
        Claim(
            "The prototype is limited to regression, one column, and cannot show interactions.",
            "Of `stratpd` and `catstratpd` as well. `effects` explains classes in percentage "
            "points.",
            HOLDS,
        ),
    ]


def cost() -> list[Claim]:
    """Return what the paper says of its cost, in theory."""
    return [
        Claim(
            "StratPD costs O(n^2) in the worst case, for slopes are averaged over |unique x_j| x "
            "n.",
            "As Algorithm 1 is written, yes: the authors' package asks for a matrix of n^2 "
            "numbers. The same curve can be had in O(n log n), for a mean over covering intervals "
            "is a running sum: `stratpd` takes less time for 300,000 different values than for the "
            "tree (`tests/test_size.py`).",
            IF,
        ),
        Claim(
            "CatStratPD costs O(n^2) in the worst case, |T| x |unique x_j| a pass.",
            "As Algorithm 2 is written, with vectors that hold all categories, yes. A leaf holds "
            "few: merging need only cost what the leaves hold, times the passes.",
            IF,
        ),
        Claim(
            "ALE is O(n), and more efficient than StratPD.",
            "ALE asks the model about 2 n rows (`paribus.models.ale`). The model has to be fitted "
            "first: with that counted, the comparison depends on the model.",
            IF,
        ),
    ]


def techniques() -> list[Claim]:
    """Return what the paper says of the techniques that ask a model."""
    return [
        Claim(
            "FPD is the mean over the rows of the prediction with x_j set; the mean of ICE curves.",
            "`models.fpd` and `models.ice` agree with scikit-learn's `partial_dependence` to 1e-9 "
            "(`tests/models`).",
            HOLDS,
        ),
        Claim(
            "ALE adds up mean local differences of predictions over K bins; for two columns, "
            "second-order differences over K^2 rectangles.",
            "`models.ale` and `models.ale_pair` agree with an independent package, PyALE, to 1e-9 "
            "on shared bins, and are exact on additive models (`tests/models`). The bins are "
            "quantiles, not equal parts of the range as the paper's words suggest.",
            HOLDS,
        ),
        Claim(
            "Model-based techniques treat booleans and label-encoded categories as numbers.",
            "Of models fitted to codes, as in the paper; not of those that know categories. ALE "
            "here orders levels by likeness whatever their codes.",
            IF,
        ),
        Claim(
            "Existing techniques assume that adjacent levels are similar.",
            "ALE does, after ordering them; FPD and SHAP move to any level.",
            IF,
        ),
        Claim(
            "ALE orders categories by the likeness of the other columns.",
            "So `models.ale` does, and alike levels are neighbours (`tests/models`).",
            HOLDS,
        ),
        Claim(
            "Integrated Gradients at many rows would give a partial dependence curve.",
            "It takes the gradient of a deep model, which is not among the figures.",
            UNKNOWN,
        ),
    ]


def usual() -> dict[str, dict[str, float]]:
    """Return the errors of the usual cases, as docs/explanation/accuracy.md shows them."""
    return json.loads(ACCURACY.read_text(encoding="utf-8"))["against"]


def errors_of(case: str) -> str:
    """Write the errors of a case, in words that the page uses."""
    return listed({word: usual()[case][name] for name, word in SHOWN.items()}, ".2f")
