"""What comes back: frozen objects with named arrays that can be drawn, tabled and stored."""

from __future__ import annotations

from paribus.results.base import Effect
from paribus.results.effect import CategoricalEffect, NumericEffect
from paribus.results.effect_set import EffectSet
from paribus.results.parts import (
    Cloud,
    Differs,
    Gap,
    Histogram,
    Influential,
    Missing,
    Moderating,
    histogram,
)

__all__ = [
    "CategoricalEffect",
    "Cloud",
    "Differs",
    "Effect",
    "EffectSet",
    "Gap",
    "Histogram",
    "Influential",
    "Missing",
    "Moderating",
    "NumericEffect",
    "histogram",
]
