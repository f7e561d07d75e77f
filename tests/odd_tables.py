"""Tables with everything that a page, a chart or a sheet may stumble over."""

import numpy as np

from paribus.results import EffectSet, Histogram, NumericEffect

NASTY = {
    "html": '<img src=x onerror="window.ran=1">',
    "script": "</script><script>window.ran=1</script>",
    "quotes": 'it\'s "quoted" & `ticked` \\ back',
    "formula": '=HYPERLINK("http://example.invalid";"x")',
    "template": "{{ 7*7 }}{% raw %}${7*7}",
    "accessor": "a.b[0]['c']",
    "emoji": "🙂 prix €",
    "rtl": "מחיר הבית",
    "image": "image",
    "comment": "<!-- <script>",
}


def nasty_table(n=600, seed=0):
    """Return a table whose target, columns and levels are all called something nasty."""
    rng = np.random.default_rng(seed)
    names = list(NASTY.values())
    table = {name: rng.uniform(size=n) for name in names}
    table["@levels"] = rng.choice([*names, "+1", "-2"], size=n)
    table["<b>price</b>"] = sum(table[name] for name in names[:3]) + rng.normal(0, 0.1, n)
    return table, "<b>price</b>"


def odd_table(n=3000, seed=0):
    """Return a table with dates, a gap, missing values, islands, many levels and a constant."""
    rng = np.random.default_rng(seed)
    side = rng.integers(2, size=n)
    x = rng.uniform(0, 4, n) + 6 * side
    town = rng.integers(60, size=n)
    shop = np.where(side == 1, rng.integers(3, size=n), 3 + rng.integers(3, size=n))
    day = rng.integers(0, 700, size=n)
    income = rng.lognormal(0, 1, n)
    y = np.sin(x) + 0.02 * town + 0.3 * shop + 0.002 * day + income + rng.normal(0, 0.2, n)
    return {
        "x": x,
        "side": np.where(side == 1, "right", "left"),
        "town": np.array([f"town {k:02d}" for k in town]),
        "shop": np.array([f"shop {k}" for k in shop]),
        "day": np.datetime64("2023-01-01") + day.astype("timedelta64[D]"),
        "income": np.where(rng.uniform(size=n) < 0.1, np.nan, income),
        "same": np.ones(n),
        "noise": rng.normal(size=n),
        "y": y,
    }


def wide_table(n_columns, n=400, seed=0):
    """Return a table of many numeric columns."""
    rng = np.random.default_rng(seed)
    table = {f"column {k}": rng.normal(size=n) for k in range(n_columns)}
    return {**table, "y": table["column 0"] + rng.normal(size=n)}


def made_set(n_columns, n_points, seed=0):
    """Return effects made of random walks, for pages of any size."""
    rng = np.random.default_rng(seed)
    made = tuple(_walk(f"column {k}", n_points, rng) for k in range(n_columns))
    return EffectSet("y", made, 10_000)


def _walk(name, m, rng):
    effect = np.cumsum(rng.normal(size=m))
    x = np.sort(rng.uniform(size=m))
    half = rng.uniform(0.5, 1, size=m)
    return NumericEffect(
        feature=name, target="y", method="least_squares", x=x, effect=effect,
        lower=effect - half, upper=effect + half, band_lower=effect - 2 * half,
        band_upper=effect + 2 * half, conf_level=0.95, row_share=np.full(m, 1 / m),
        marginal=effect + rng.normal(size=m), support=np.ones(m), n_rows=10_000, n_used=9_000,
        impact=float(np.abs(effect).mean()), share=0.1, p_value=0.001,
        distribution=Histogram(np.linspace(0, 1, 41), rng.integers(1, 99, 40)),
    )  # fmt: skip
