"""More designs of rows as they are, written down before any result on them was seen.

Nothing in the estimator is chosen by them. Do not tune on them: add to `real_designs.py` instead.
"""

from __future__ import annotations

from functools import partial

import numpy as np

import real_designs as known
from real_designs import (
    Draw,
    Rng,
    autocorrelated,
    columns,
    four_normals,
    holes,
    line,
    logistic,
    noise_columns,
    strong,
    text,
    weak,
    zero,
)

design = partial(known.design, held_out=True)


# ---- interactions among what is held still ------------------------------------------------------
def five_levels(score: np.ndarray) -> np.ndarray:
    """Cut a score into five levels that are about equally common."""
    return np.searchsorted(np.quantile(score, [0.2, 0.4, 0.6, 0.8]), score)


@design("five levels by a product", null=True)
def category_by_product(rng: Rng, n: int) -> Draw:
    a, c = rng.normal(size=(2, n))
    x = text("k", five_levels(a * c + 0.8 * rng.normal(size=n)))
    y = 2 * a * c + rng.normal(size=n)
    return Draw({"x": x, "a": a, "c": c, **noise_columns(rng, n)}, y, levels_at_rest(5))


@design("five levels by 6 x 6 cells", null=True)
def category_by_cells(rng: Rng, n: int) -> Draw:
    i, j = rng.integers(0, 6, (2, n))
    f = np.random.default_rng(11).normal(size=(6, 6))[i, j]
    x = text("k", five_levels(f + 0.8 * rng.normal(size=n)))
    held = {"i": text("i", i), "j": text("j", j), **noise_columns(rng, n)}
    return Draw({"x": x, **held}, 2 * f + rng.normal(size=n), levels_at_rest(5))


def levels_at_rest(count: int) -> dict[str, float]:
    return {f"k{k}": 0.0 for k in range(count)}


@design("zip code x month", 5000, null=True)
def zip_month(rng: Rng, n: int) -> Draw:
    code, month = rng.integers(0, 100, n), rng.integers(1, 13, n)
    f = np.random.default_rng(12).normal(size=(100, 13))[code, month]
    return strong(rng, f, {"zip": text("", 10_000 + 37 * code), "month": month})


@design("limits that differ by region", 2000, 20_000, null=True)
def limits_by_region(rng: Rng, n: int) -> Draw:
    region, z = rng.integers(0, 20, n), rng.normal(size=n)
    f = 2.0 * (z > np.random.default_rng(13).normal(size=20)[region])
    return strong(rng, f, {"region": text("r", region), "z": z})


@design("product of three numbers", null=True)
def three_numbers(rng: Rng, n: int) -> Draw:
    a, b, c = rng.normal(size=(3, n))
    return strong(rng, a * b * c, {"a": a, "b": b, "c": c})


@design("rings around a town", 2000, 20_000, null=True)
def rings(rng: Rng, n: int) -> Draw:
    lat, lon = rng.uniform(-1, 1, (2, n))
    return strong(rng, 1.4 * np.sin(8 * np.hypot(lat, lon)), {"lat": lat, "lon": lon})


@design("two of ten categories act together", null=True)
def two_of_ten(rng: Rng, n: int) -> Draw:
    codes = rng.integers(0, 3, (n, 10))
    f = np.array([[1, -1, 0], [-1, 0, 1], [0, 1, -1]])[codes[:, 2], codes[:, 7]] * 1.2
    return weak(rng, f, {f"g{k}": text("v", codes[:, k]) for k in range(10)})


@design("binary target, 4 x 6 cells", null=True)
def binary_cells(rng: Rng, n: int) -> Draw:
    i, j = rng.integers(0, 4, n), rng.integers(0, 6, n)
    f = np.random.default_rng(14).normal(size=(4, 6))[i, j]
    y = (rng.uniform(size=n) < logistic(2 * f)).astype(int)
    x = f + rng.normal(size=n)
    return Draw({"x": x, "i": text("i", i), "j": j, **noise_columns(rng, n)}, y, zero)


@design("counts, rates by product", null=True)
def counts_by_product(rng: Rng, n: int) -> Draw:
    a, c = rng.uniform(-1, 1, (2, n))
    y = rng.poisson(np.exp(1 + a * c))
    x = 2 * a * c + 0.7 * rng.normal(size=n)
    return Draw({"x": x, "a": a, "c": c, **noise_columns(rng, n)}, y, zero)


@design("40 codes in no order", null=True)
def codes(rng: Rng, n: int) -> Draw:
    code = rng.integers(0, 40, n)
    f = np.random.default_rng(15).normal(size=40)[code]
    return strong(rng, f, {"code": 100 + code})


@design("ratio of two columns", 2000, 20_000, null=True)
def ratio(rng: Rng, n: int) -> Draw:
    a, c = np.exp(0.6 * rng.normal(size=(2, n)))
    x, y = np.log(a / c) + 0.5 * rng.normal(size=n), a / c + rng.normal(size=n)
    return Draw({"x": x, "a": a, "c": c, **noise_columns(rng, n)}, y, zero)


# ---- curves of one confounder -------------------------------------------------------------------
@design("one threshold", 300, 2000, null=True)
def threshold(rng: Rng, n: int) -> Draw:
    a = rng.uniform(size=n)
    return strong(rng, 2.0 * (a > 0.618), {"a": a})


@design("direction of the wind", null=True)
def direction(rng: Rng, n: int) -> Draw:
    angle = rng.uniform(0, 360, n)
    return strong(rng, 1.4 * np.cos(np.radians(angle) - 6), {"angle": angle})


@design("trend and season, date given")
def season(rng: Rng, n: int) -> Draw:
    day = np.sort(rng.integers(0, 3 * 365, n))
    f = np.sin(2 * np.pi * day / 365) + day / 365
    x = f + 0.7 * rng.normal(size=n)
    date = np.datetime64("2021-01-01") + day.astype("timedelta64[D]")
    return Draw(
        {"x": x, "date": date, **noise_columns(rng, n)}, x + 2 * f + rng.normal(size=n), line
    )


@design("season and weekday, weak on y", 2000, 10_000)
def calendar(rng: Rng, n: int) -> Draw:
    day = np.sort(rng.integers(0, 2 * 365, n))
    f = np.where(day % 7 >= 5, 1.0, -0.4) + np.sin(2 * np.pi * day / 365)
    drawn = weak(rng, f, {"day_of_year": day % 365, "weekday": text("d", day % 7)})
    return Draw(drawn.table, drawn.y + 0.5 * drawn.table["x"], lambda x: 0.5 * x)


# ---- odd numbers --------------------------------------------------------------------------------
@design("1, 2, 5, 10, 20 or 50")
def coins(rng: Rng, n: int) -> Draw:
    values, z = np.array([1, 2, 5, 10, 20, 50]), rng.normal(size=(n, 3))
    k = np.digitize(z[:, 0] + 0.8 * rng.normal(size=n), [-1.2, -0.5, 0.2, 0.9, 1.6])
    y = np.log(values[k]) + np.exp(z[:, 0]) + rng.normal(size=n)
    return Draw({"x": values[k], **columns(z)}, y, np.log)


@design("heaps at round numbers")
def heaps(rng: Rng, n: int) -> Draw:
    u, z = four_normals(rng, n, 0.6)
    exact = np.round(50 + 15 * u)
    x = np.where(rng.uniform(size=n) < 0.7, 5 * np.round(exact / 5), exact)
    age = np.where(rng.uniform(size=n) < 0.5, np.round(40 + 12 * z[:, 0], -1), 40 + 12 * z[:, 0])
    y = 0.1 * x + 0.1 * age + rng.normal(size=n)
    return Draw({"x": x, "age": age, **columns(z[:, 1:])}, y, lambda v: 0.1 * v)


@design("mostly zero, with a jump", 500, 2000)
def mostly_zero(rng: Rng, n: int) -> Draw:
    z = rng.normal(size=(n, 3))
    some = rng.uniform(size=n) < 0.4 * np.exp(0.5 * z[:, 0] - 0.2)
    x = np.where(some, np.exp(0.5 * z[:, 0] + 0.5 * rng.normal(size=n)), 0.0)
    y = jump(x) + np.tanh(z[:, 0]) + z[:, 1] + rng.normal(size=n)
    return Draw({"x": x, **columns(z)}, y, jump)


def jump(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, 1.5 + 0.5 * x, 0.0)


@design("skewed x, noise in proportion")
def skewed(rng: Rng, n: int) -> Draw:
    z = rng.normal(size=(n, 4))
    x = np.exp(0.6 * z[:, 0] + 0.8 * rng.normal(size=n))
    y = x + 2 * z[:, 0] + 0.7 * x * rng.normal(size=n)
    return Draw({"x": x, **columns(z)}, y, line)


@design("two humps by the confounder")
def two_humps(rng: Rng, n: int) -> Draw:
    z = rng.normal(size=(n, 3))
    x = np.where(z[:, 0] + 0.5 * rng.normal(size=n) > 0, 3.0, -3.0) + rng.normal(size=n)
    return Draw({"x": x, **columns(z)}, x + 2 * z[:, 0] ** 2 + z[:, 0] + rng.normal(size=n), line)


@design("heavy tails everywhere")
def heavy(rng: Rng, n: int) -> Draw:
    z = rng.standard_t(2.5, (n, 3))
    x = 0.7 * z[:, 0] + rng.standard_t(2.5, n)
    return Draw({"x": x, **columns(z)}, x + z[:, 0] + rng.standard_t(2.5, n), line)


@design("correlation of 0.995, curved", 300, 2000, null=True)
def nearly_twins(rng: Rng, n: int) -> Draw:
    x, z = four_normals(rng, n, 0.995)
    return Draw({"x": x, **columns(z)}, np.exp(z[:, 0]) + z[:, 1] + rng.normal(size=n), zero)


@design("60 columns", 400, null=True)
def sixty_columns(rng: Rng, n: int) -> Draw:
    z = rng.normal(size=(n, 59))
    z[:, 1:] += 0.5 * z[:, :1]
    x = z[:, 0] + 0.5 * z[:, 1] + rng.normal(size=n)
    y = z[:, 0] + z[:, 1] ** 2 + 0.2 * z[:, 2:12].sum(axis=1) + rng.normal(size=n)
    return Draw({"x": x, **columns(z)}, y, zero)


@design("100 rows, ten columns", 100, null=True)
def tiny(rng: Rng, n: int) -> Draw:
    z = rng.normal(size=(n, 9))
    x = 0.8 * z[:, 0] + 0.6 * rng.normal(size=n)
    return Draw({"x": x, **columns(z)}, z[:, 0] + np.sin(2 * z[:, 1]) + rng.normal(size=n), zero)


@design("yes in 3 of 100 rows", 300, 2000)
def rare_yes(rng: Rng, n: int) -> Draw:
    z = rng.normal(size=(n, 3))
    yes = rng.uniform(size=n) < 0.03 * np.exp(0.8 * z[:, 0] - 0.32)
    yes[:5] = True
    x = np.array(["no", "yes"], dtype=object)[yes.astype(int)]
    y = 1.0 * yes + z[:, 0] + 0.5 * z[:, 1] ** 2 + rng.normal(size=n)
    return Draw({"x": x, **columns(z)}, y, {"no": 0.0, "yes": 1.0})


@design("30 levels, most of them rare")
def rare_levels(rng: Rng, n: int) -> Draw:
    share = 1 / np.arange(1, 31) ** 1.5
    z = rng.normal(size=(n, 3))
    level = rng.choice(30, n, p=share / share.sum())
    level = np.where((z[:, 0] > 1) & (rng.uniform(size=n) < 0.5), 1, level)
    values = np.random.default_rng(16).normal(size=30)
    y = values[level] + np.exp(0.7 * z[:, 0]) + rng.normal(size=n)
    truth = {f"v{k}": float(values[k]) for k in (0, 2, 3, 1)}
    return Draw({"x": text("v", level), **columns(z)}, y, truth)


@design("confounder of 200 levels, skewed", null=True)
def skewed_levels(rng: Rng, n: int) -> Draw:
    share = 1 / np.arange(1, 201)
    shop = rng.choice(200, n, p=share / share.sum())
    return strong(rng, np.random.default_rng(17).normal(size=200)[shop], {"shop": text("s", shop)})


# ---- holes --------------------------------------------------------------------------------------
@design("skewed confounder with holes", null=True)
def skewed_holes(rng: Rng, n: int) -> Draw:
    z = rng.normal(size=(n, 3))
    x, income = 0.8 * z[:, 0] + 0.6 * rng.normal(size=n), np.exp(z[:, 0])
    y = 2 * np.log1p(income) + z[:, 1] + rng.normal(size=n)
    return Draw({"x": x, "income": holes(rng, income, 0.2), **columns(z[:, 1:])}, y, zero)


@design("three columns with holes", null=True)
def three_with_holes(rng: Rng, n: int) -> Draw:
    common = rng.normal(size=n)
    z = common[:, None] + rng.normal(size=(n, 4))
    x = 0.5 * z[:, :3].sum(axis=1) + rng.normal(size=n)
    y = z[:, :3].sum(axis=1) + rng.normal(size=n)
    for k in range(3):
        z[:, k] = holes(rng, z[:, k], 0.3 * logistic(z[:, 3]))
    return Draw({"x": x, **columns(z)}, y, zero)


@design("text confounder with holes", null=True)
def text_holes(rng: Rng, n: int) -> Draw:
    g = rng.integers(0, 4, n)
    f = np.array([-1.5, -0.5, 0.5, 1.5])[g]
    drawn = strong(rng, f, {"g": text("g", g)})
    return Draw({**drawn.table, "g": holes(rng, drawn.table["g"], 0.2)}, drawn.y, zero)


@design("confounder measured with error", null=True, curable="nobody can")
def measured_with_error(rng: Rng, n: int) -> Draw:
    x, z = four_normals(rng, n, 0.8)
    y = 2 * z[:, 0] + rng.normal(size=n)
    z[:, 0] += 0.5 * rng.normal(size=n)
    return Draw({"x": x, **columns(z)}, y, zero)


# ---- rows that belong together, copies, weights -------------------------------------------------
@design("classes in schools, cluster")
def schools(rng: Rng, n: int) -> Draw:
    room = np.repeat(np.arange(n // 20), 20)
    school = room // 2
    x = rng.normal(size=n // 20)[room] + 0.3 * rng.normal(size=n)
    z = rng.normal(size=(n, 2))
    shared = rng.normal(size=n // 40 + 1)[school] + 0.5 * rng.normal(size=n // 20)[room]
    y = x + z[:, 0] + shared + rng.normal(size=n)
    return Draw({"x": x, **columns(z)}, y, line, {"cluster": school})


@design("eight clusters", 400, null=True)
def eight_clusters(rng: Rng, n: int) -> Draw:
    place = rng.integers(0, 8, n)
    x = rng.normal(size=8)[place] + rng.normal(size=n)
    z = rng.normal(size=(n, 2))
    y = z[:, 0] + rng.normal(size=8)[place] + rng.normal(size=n)
    return Draw({"x": x, **columns(z)}, y, zero, {"cluster": place})


@design("persons with 1 to 30 rows, within")
def unbalanced(rng: Rng, n: int) -> Draw:
    person = np.repeat(np.arange(n), rng.integers(1, 31, n))[:n]
    a = rng.normal(size=n)[person]
    z = a[:, None] + rng.normal(size=(n, 2))
    x = a + 0.5 * z[:, 0] + rng.normal(size=n)
    return Draw(
        {"x": x, **columns(z)}, x + 2 * a + z[:, 0] + rng.normal(size=n), line, {"within": person}
    )


@design("long panel, errors that last, within", null=True)
def long_panel(rng: Rng, n: int) -> Draw:
    person = np.repeat(np.arange(n // 50), 50)
    a = rng.normal(size=n // 50)[person]
    last = [np.concatenate([autocorrelated(rng, 50, 0.7) for _ in range(n // 50)]) for _ in "xu"]
    z = rng.normal(size=(n, 2))
    y = 2 * a + z[:, 0] + last[1]
    return Draw({"x": a + last[0], **columns(z)}, y, zero, {"within": person})


@design("a third of the rows twice", null=True)
def some_twice(rng: Rng, n: int) -> Draw:
    m = 3 * n // 4
    x, z = four_normals(rng, m, 0.7)
    y = z[:, 0] ** 2 + z[:, 0] + rng.normal(size=m)
    rows = np.append(np.arange(m), rng.choice(m, n - m, replace=False))
    rows = rng.permutation(rows)
    return Draw({"x": x[rows], **columns(z[rows])}, y[rows], zero)


@design("weights, one in twenty extreme")
def extreme_weights(rng: Rng, n: int) -> Draw:
    x, z = four_normals(rng, n, 0.6)
    w = np.where(rng.uniform(size=n) < 0.05, 20.0, 1.0) * rng.uniform(0.5, 1.5, n)
    y = np.sin(x) + z[:, 0] + rng.normal(size=n)
    return Draw({"x": x, **columns(z)}, y, np.sin, {"weights": w})


@design("survey of places, weights and cluster")
def places(rng: Rng, n: int) -> Draw:
    place = rng.integers(0, n // 20, n)
    x = rng.normal(size=n // 20)[place] + rng.normal(size=n)
    z, w = rng.normal(size=(n, 3)), np.exp(0.7 * rng.normal(size=n))
    y = x + z[:, 0] + rng.normal(size=n // 20)[place] + rng.normal(size=n)
    return Draw({"x": x, **columns(z)}, y, line, {"weights": w, "cluster": place})


@design("file sorted by x", null=True)
def sorted_by_x(rng: Rng, n: int) -> Draw:
    x, z = four_normals(rng, n, 0.7)
    order = np.argsort(x)
    y = np.sin(2 * z[:, 0]) + z[:, 1] + rng.normal(size=n)
    return Draw({"x": x[order], **columns(z[order])}, y[order], zero)


@design("x on sale days only, file by date", null=True, curable="no")
def sale_days(rng: Rng, n: int) -> Draw:
    day = np.repeat(np.arange(n // 20), 20)
    sale = (rng.uniform(size=n // 20) < 0.4)[day]
    x = np.array(["no", "yes"], dtype=object)[sale.astype(int)]
    z = rng.normal(size=(n, 2))
    y = rng.normal(size=n // 20)[day] + z[:, 0] + rng.normal(size=n)
    return Draw({"x": x, **columns(z)}, y, {"no": 0.0, "yes": 0.0})


# ---- few clusters, shared values, three numbers together ----------------------------------------
@design("a curve of one of 25 clusters", 500)
def curve_of_cluster(rng: Rng, n: int) -> Draw:
    shop = np.arange(n) * 25 // n
    x, own = 1.4 * rng.normal(size=25), rng.normal(size=25)
    z = rng.normal(size=(n, 2))
    y = np.square(x)[shop] + own[shop] + z[:, 0] + rng.normal(size=n)
    return Draw({"x": x[shop], **columns(z)}, y, np.square, {"cluster": shop})


@design("yes or no of one of 14 towns", 700, null=True)
def towns(rng: Rng, n: int) -> Draw:
    town = np.arange(n) * 14 // n
    built = rng.permutation(np.arange(14) % 2)[town]
    z = rng.normal(size=(n, 2))
    y = 0.6 * rng.normal(size=14)[town] + z[:, 0] + rng.normal(size=n)
    named = np.array(["no", "yes"], dtype=object)[built]
    return Draw({"x": named, **columns(z)}, y, {"no": 0.0, "yes": 0.0}, {"cluster": town})


@design("18 clusters of uneven size", 900, null=True)
def uneven_clusters(rng: Rng, n: int) -> Draw:
    share = rng.gamma(1.0, size=18) + 0.1
    firm = np.sort(rng.choice(18, n, p=share / share.sum()))
    z, own = rng.normal(size=(n, 2)), rng.normal(size=(18, 2))[firm]
    x = own[:, 0] + 0.7 * z[:, 0] + rng.normal(size=n)
    y = own[:, 1] + z[:, 0] + rng.normal(size=n)
    return Draw({"x": x, **columns(z)}, y, zero, {"cluster": firm})


@design("rare outcome in 40 clusters", 2000, null=True)
def outcome_in_clusters(rng: Rng, n: int) -> Draw:
    ward = np.arange(n) * 40 // n
    z = rng.normal(size=(n, 2))
    x = 0.5 * rng.normal(size=40)[ward] + 0.5 * z[:, 0] + rng.normal(size=n)
    chance = logistic(-2 + 0.6 * rng.normal(size=40)[ward] + 0.5 * z[:, 0])
    y = (rng.uniform(size=n) < chance).astype(int)
    return Draw({"x": x, **columns(z)}, y, zero, {"cluster": ward})


@design("incomes cut at a top", 2000)
def top_coded(rng: Rng, n: int) -> Draw:
    a = rng.normal(size=n)
    income = np.exp(0.6 * a + 0.6 * rng.normal(size=n))
    x = np.minimum(income, np.quantile(income, 0.75))
    y = 1.5 * np.log1p(x) + a + rng.normal(size=n)

    def truth(v: np.ndarray) -> np.ndarray:
        return 1.5 * np.log1p(v)

    return Draw({"x": x, "a": a, **noise_columns(rng, n)}, y, truth)


@design("mostly zero, no effect", 1000, null=True)
def zero_without_effect(rng: Rng, n: int) -> Draw:
    a = rng.normal(size=n)
    x = np.where(rng.normal(size=n) + a > 0.8, np.exp(rng.normal(size=n)), 0.0)
    return Draw({"x": x, "a": a, **noise_columns(rng, n)}, 2 * a + rng.normal(size=n), zero)


@design("volume of three sides", null=True)
def volume(rng: Rng, n: int) -> Draw:
    sides = np.exp(0.4 * rng.normal(size=(n, 3)))
    f = sides.prod(axis=1)
    return strong(rng, f - f.mean(), columns(sides))


@design("sign of a product of three", 2000, 20_000, null=True)
def sign_of_three(rng: Rng, n: int) -> Draw:
    z = rng.uniform(-1, 1, (n, 3))
    return strong(rng, np.sign(z.prod(axis=1)), columns(z))


@design("product of three among ten", null=True)
def three_of_ten(rng: Rng, n: int) -> Draw:
    z = rng.normal(size=(n, 10))
    f = z[:, 1] * z[:, 4] * z[:, 8]
    y = f + z[:, 0] + rng.normal(size=n)
    return Draw({"x": f + rng.normal(size=n), **columns(z)}, y, zero)
