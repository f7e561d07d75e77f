"""Few clusters, and values that many rows share: more designs known to those who made it."""

import numpy as np

from real_designs import Draw, Rng, columns, design, noise_columns, text, zero


def clusters(n: int, count: int) -> np.ndarray:
    """Number clusters of like size."""
    return np.arange(n) * count // n


def offer_by_cluster(rng: Rng, n: int, count: int) -> Draw:
    """Three offers, one a cluster, that do nothing."""
    shop = clusters(n, count)
    offer = rng.permutation(np.arange(count) % 3)[shop]
    z = rng.normal(size=(n, 2))
    y = rng.normal(size=count)[shop] + z[:, 0] + rng.normal(size=n)
    effects = {"k0": 0.0, "k1": 0.0, "k2": 0.0}
    return Draw({"x": text("k", offer), **columns(z)}, y, effects, {"cluster": shop})


@design("offer of one of 10 clusters", 200, null=True)
def offer_of_10(rng: Rng, n: int) -> Draw:
    return offer_by_cluster(rng, n, 10)


@design("offer of one of 30 clusters", 600, null=True)
def offer_of_30(rng: Rng, n: int) -> Draw:
    return offer_by_cluster(rng, n, 30)


@design("five levels in 20 clusters", 600, null=True)
def levels_in_clusters(rng: Rng, n: int) -> Draw:
    shop = clusters(n, 20)
    chance = np.exp(rng.normal(size=(20, 5)))
    chance /= chance.sum(axis=1, keepdims=True)
    x = (rng.uniform(size=(n, 1)) > chance[shop].cumsum(axis=1)[:, :-1]).sum(axis=1)
    z, lean = rng.normal(size=(n, 2)), 0.7 * rng.normal(size=(20, 5))
    y = rng.normal(size=20)[shop] + lean[shop, x] + z[:, 0] + rng.normal(size=n)
    effects = {f"k{k}": 0.0 for k in range(5)}
    return Draw({"x": text("k", x), **columns(z)}, y, effects, {"cluster": shop})


def number_by_cluster(rng: Rng, n: int, count: int) -> Draw:
    """A number that never changes within a cluster, and does nothing."""
    shop = clusters(n, count)
    z = rng.normal(size=(n, 2))
    y = 2 * rng.normal(size=count)[shop] + z[:, 0] + rng.normal(size=n)
    return Draw({"x": rng.normal(size=count)[shop], **columns(z)}, y, zero, {"cluster": shop})


@design("number of one of 10 clusters", 100, null=True)
def number_of_10(rng: Rng, n: int) -> Draw:
    return number_by_cluster(rng, n, 10)


@design("number of one of 20 clusters", 200, null=True)
def number_of_20(rng: Rng, n: int) -> Draw:
    return number_by_cluster(rng, n, 20)


@design("number of one of 50 clusters", 500, null=True)
def number_of_50(rng: Rng, n: int) -> Draw:
    return number_by_cluster(rng, n, 50)


@design("slopes that differ by cluster", 600, null=True)
def slopes_by_cluster(rng: Rng, n: int) -> Draw:
    shop = clusters(n, 20)
    z, own = rng.normal(size=(n, 2)), rng.normal(size=(20, 3))[shop]
    x = 0.7 * own[:, 0] + rng.normal(size=n) + 0.5 * z[:, 0]
    y = own[:, 1] + 0.5 * own[:, 2] * x + z[:, 0] + rng.normal(size=n)
    return Draw({"x": x, **columns(z)}, y, zero, {"cluster": shop})


def one_value_often(rng: Rng, n: int, share: float, value: float) -> Draw:
    """A number that many rows have one and the same value of, at which the target jumps."""
    a = rng.normal(size=n)
    usual = np.exp(0.5 * a + 0.8 * rng.normal(size=n))
    x = np.where(rng.uniform(size=n) < share, value, usual)

    def truth(v: np.ndarray) -> np.ndarray:
        return 1.0 * (v != value) + 0.5 * v

    return Draw({"x": x, "a": a, **noise_columns(rng, n)}, truth(x) + a + rng.normal(size=n), truth)


@design("a fifth zero, with a jump", 1000)
def fifth_zero(rng: Rng, n: int) -> Draw:
    return one_value_often(rng, n, 0.2, 0.0)


@design("one value inside often, with a jump", 1000)
def value_inside(rng: Rng, n: int) -> Draw:
    return one_value_often(rng, n, 0.3, 1.5)
