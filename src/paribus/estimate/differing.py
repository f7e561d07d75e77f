"""The curve of a column whose effect differs: the average over the rows at each x.

The curve may differ with moderators z,

    y = a_s + g(x) + sum_ab delta_ab phi_a(x) psi_b(z) + psi's own + covariates + e,

``g`` penalised by its bends and ``delta`` by its size. Reported is what y changes with x on average
over the rows at x, ``g(t) + sum_ab delta_ab int phi_a'(u) E[psi_b | x = u] du``: linear in the
coefficients. Its covariance has three parts: the errors; the bias from the penalties, including
their uncertainty; and the sampling of the rows that are averaged over.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paribus.base.arrays import FloatArray, mean_and_scale
from paribus.estimate.averaging import (
    Along,
    Averaged,
    Over,
    Spread,
    along,
    average_of,
    deviations,
    sampling_covariance,
    spread_of_slopes,
)
from paribus.estimate.basis import Hats
from paribus.estimate.covariance import error_df, influential_rows
from paribus.estimate.covariates import AsTheyAre, Covariates
from paribus.estimate.curve import CurveFit, centred_by
from paribus.estimate.interactions import Interactions
from paribus.estimate.joint import knots_of, solve_joint
from paribus.estimate.moderating import Parts, in_rows, interactions_of
from paribus.estimate.partitions import Partitions
from paribus.estimate.testing import by_share, quadratic_p_value
from paribus.estimate.units import Units
from paribus.estimate.within import Within, compare_within


def fit_differing(
    basis: Hats,
    y: FloatArray,
    covariates: Covariates,
    strata: Partitions,
    parts: Sequence[Parts],
    functions: FloatArray,
    over: Over,
) -> Averaged[CurveFit]:
    """Estimate a curve that differs with moderators, averaged over the rows at each x.

    Parameters
    ----------
    basis : Hats
    y : float array of shape (n,)
    covariates : Covariates
    strata : Partitions
    parts : sequence of Parts
        The moderators, cut up.
    functions : float array of shape (k, a)
        Coarse functions of x, the straight line first; see `curve_functions`.
    over : Over
        The rows averaged over.
    """
    rows = along(over.basis, over.weights)
    averaged = interactions_of(over.parts, rows.weights, functions[:, :1], functions[:, 1:])
    products = averaged
    if over.parts is not parts:
        products = in_rows(averaged, parts, bends=functions.shape[1] > 1)
    held = covariates.beside(*(AsTheyAre(part.own) for part in parts))
    mean, scale = mean_and_scale(y, strata.weights)
    within = compare_within(products.basis(basis), held, (y - mean) / scale, strata)
    return solve_differing(basis, within, rows, averaged, over.units, held.n_active, scale)


def solve_differing(
    basis: Hats,
    within: Within,
    rows: Along,
    products: Interactions,
    averaged: Units,
    n_covariates: int,
    scale: float,
) -> Averaged[CurveFit]:
    """Average a curve with interactions over rows, given what is left inside the strata.

    `rows`, `products` and the units `averaged` are those of the rows averaged over. `scale` is that
    of the target; `within`, of curve and interactions, is in units of it.
    """
    here = rows.means(products.psi)
    average = average_of(products, here)
    solved = solve_joint(basis, within, average, products.owner, n_covariates)
    apart = deviations(rows, products, here, solved.coefficients[basis.size :])
    units = within.units
    count = basis.totals(units.weights)
    share = count / count.sum()
    effect, solve = centred_by(share, solved.effect), centred_by(share, solved.solve)
    sampling = sampling_covariance(rows, apart, averaged)
    beside = centred_by(share, centred_by(share, solved.beside_errors + sampling).T)
    covariance = centred_by(share, centred_by(share, solved.errors).T) + beside
    df = error_df(units, within.df - solved.edf)
    fit = CurveFit(
        knots=knots_of(basis),
        effect=scale * effect,
        covariance=scale**2 * covariance,
        row_share=share,
        edf=solved.edf,
        df=df,
        p_value=quadratic_p_value(effect, by_share(share, np.diag(covariance)), covariance, df),
        residual=solved.residual,
        moves=influential_rows(within, solve, solved.residual).times(scale),
        within=within,
        solve=solve,
    )
    slope = np.diff(effect) / rows.steps
    spread = spread_of_slopes(rows, products, here, apart, solved.of_interactions, averaged)
    return Averaged(
        fit=fit,
        beside_errors=scale**2 * beside,
        mean=scale * float(rows.weights @ slope[rows.stretch] / rows.weights.sum()),
        spread=Spread(scale * spread.value, scale * spread.standard_error),
        apart=scale * apart.here / rows.steps[rows.stretch],
    )
