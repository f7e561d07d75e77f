"""Results: frozen objects with named arrays that can be drawn, tabulated and stored."""

from __future__ import annotations

from paribus.results.base import Effect as Effect
from paribus.results.by_group import ByGroup as ByGroup
from paribus.results.by_group import Difference as Difference
from paribus.results.categorical import CategoricalEffect as CategoricalEffect
from paribus.results.contrast import Contrast as Contrast
from paribus.results.effect_set import EffectSet as EffectSet
from paribus.results.interactions import Interaction as Interaction
from paribus.results.interactions import Interactions as Interactions
from paribus.results.joint import JointEffect as JointEffect
from paribus.results.numeric import NumericEffect as NumericEffect
from paribus.results.pair import PairEffect as PairEffect
from paribus.results.parts import Differs as Differs
from paribus.results.parts import Gap as Gap
from paribus.results.parts import Histogram as Histogram
from paribus.results.parts import Influential as Influential
from paribus.results.parts import Missing as Missing
from paribus.results.parts import Moderating as Moderating
from paribus.results.parts import Scatter as Scatter
from paribus.results.parts import bin_edges as bin_edges
from paribus.results.parts import histogram as histogram
from paribus.results.regions import Region as Region
from paribus.results.regions import Regions as Regions
from paribus.results.slopes import SlopeBy as SlopeBy
