"""Confounders of two numbers that act only together: more designs, of more rows.

The first were looked at while cells of numbers were made to be extrapolated from and edges to be
placed among all rows; those at the end were written down before any result on them was seen.
"""

from functools import partial

import numpy as np

import real_designs as known
from real_designs import Draw, Rng, columns, strong

SIZES = (2000, 20_000)
design = partial(known.design, null=True)
held_out = partial(known.design, null=True, held_out=True)


def square(rng: Rng, n: int) -> np.ndarray:
    """Return two numbers spread evenly over a square."""
    return rng.uniform(-1, 1, (n, 2))


@design("spiral", *SIZES)
def spiral(rng: Rng, n: int) -> Draw:
    z = square(rng, n)
    turn = 8 * np.hypot(z[:, 0], z[:, 1]) + 2 * np.arctan2(z[:, 1], z[:, 0])
    return strong(rng, np.sign(np.sin(turn)), columns(z))


@design("wave across two numbers", *SIZES)
def wave(rng: Rng, n: int) -> Draw:
    z = square(rng, n)
    return strong(rng, 1.4 * np.sin(4 * z[:, 0] + 3 * z[:, 1]), columns(z))


@design("fast wave across two numbers", *SIZES)
def fast_wave(rng: Rng, n: int) -> Draw:
    z = square(rng, n)
    return strong(rng, 1.4 * np.sin(12 * z[:, 0] + 6 * z[:, 1]), columns(z))


@design("one quadrant only", *SIZES)
def quadrant(rng: Rng, n: int) -> Draw:
    z = rng.normal(size=(n, 2))
    f = 2 * np.maximum(z, 0).prod(axis=1)
    return strong(rng, f - f.mean(), columns(z))


@design("exponential of a difference", *SIZES)
def exponential(rng: Rng, n: int) -> Draw:
    z = 0.7 * rng.normal(size=(n, 2))
    f = np.exp(z[:, 0] - z[:, 1])
    return strong(rng, f - f.mean(), columns(z))


@design("product of heavy tails", *SIZES)
def heavy_product(rng: Rng, n: int) -> Draw:
    z = rng.standard_t(4, size=(n, 2))
    return strong(rng, z.prod(axis=1) / 2, columns(z))


@design("board of 7 x 7", 2000, 20_000, 60_000)
def board(rng: Rng, n: int) -> Draw:
    z = square(rng, n)
    return strong(rng, np.sign(np.sin(3.5 * np.pi * z).prod(axis=1)), columns(z))


@design("bump", *SIZES)
def bump(rng: Rng, n: int) -> Draw:
    z = rng.normal(size=(n, 2))
    return strong(rng, 2 * np.exp(-4 * np.square(z).sum(axis=1)), columns(z))


@held_out("larger of two", *SIZES)
def larger(rng: Rng, n: int) -> Draw:
    z = rng.normal(size=(n, 2))
    f = 2 * z.max(axis=1)
    return strong(rng, f - f.mean(), columns(z))


@held_out("limit that bends", *SIZES)
def bent_limit(rng: Rng, n: int) -> Draw:
    z = square(rng, n)
    return strong(rng, np.sign(z[:, 0] - np.sin(3 * z[:, 1])), columns(z))


@held_out("share of a sum", *SIZES)
def share(rng: Rng, n: int) -> Draw:
    parts = rng.gamma(1.5, size=(n, 2))
    return strong(rng, 4 * (parts[:, 0] / parts.sum(axis=1) - 0.5), columns(parts))


@held_out("slope that a number turns round", *SIZES)
def turned(rng: Rng, n: int) -> Draw:
    z = rng.normal(size=(n, 2))
    return strong(rng, z[:, 0] * np.tanh(2 * z[:, 1]), columns(z))


@held_out("two numbers within reach", *SIZES)
def within_reach(rng: Rng, n: int) -> Draw:
    z = rng.uniform(0, 10, (n, 2))
    return strong(rng, 2.0 * (np.abs(z[:, 0] - z[:, 1]) < 2), columns(z))


@held_out("price by area and age", *SIZES)
def price_by_area(rng: Rng, n: int) -> Draw:
    area, age = np.exp(0.5 * rng.normal(size=n)), rng.uniform(0, 80, n)
    f = 1.5 * area * np.exp(-age / 30)
    return strong(rng, f - f.mean(), {"area": area, "age": age})


@held_out("corner of a map", *SIZES)
def corner(rng: Rng, n: int) -> Draw:
    place = rng.normal(size=(n, 2))
    f = 2.0 * ((place[:, 0] > 0.3) & (place[:, 1] > -0.2))
    return strong(rng, f, {"east": place[:, 0], "north": place[:, 1]})


@held_out("ten kinds, each with a slope of its own", *SIZES)
def slopes_by_kind(rng: Rng, n: int) -> Draw:
    kind, z = rng.integers(0, 10, n), rng.normal(size=n)
    f = rng.normal(size=10)[kind] * z
    return strong(rng, f, {"kind": known.text("k", kind), "z": z})
