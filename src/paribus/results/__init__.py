"""What comes back: frozen objects with named arrays that can be drawn, tabled and stored."""

from __future__ import annotations

from paribus.results.base import Effect
from paribus.results.by_group import ByGroup, Difference
from paribus.results.categorical import CategoricalEffect
from paribus.results.contrast import Contrast
from paribus.results.effect_set import EffectSet
from paribus.results.interactions import Interaction, Interactions
from paribus.results.joint import JointEffect
from paribus.results.numeric import NumericEffect
from paribus.results.pair import PairEffect
from paribus.results.parts import (
    Differs,
    Gap,
    Histogram,
    Influential,
    Missing,
    Moderating,
    Scatter,
    bin_edges,
    histogram,
)
from paribus.results.regions import Region, Regions
from paribus.results.slopes import SlopeBy

__all__ = [
    "ByGroup",
    "CategoricalEffect",
    "Contrast",
    "Difference",
    "Differs",
    "Effect",
    "EffectSet",
    "Gap",
    "Histogram",
    "Influential",
    "Interaction",
    "Interactions",
    "JointEffect",
    "Missing",
    "Moderating",
    "NumericEffect",
    "PairEffect",
    "Region",
    "Regions",
    "Scatter",
    "SlopeBy",
    "bin_edges",
    "histogram",
]
