"""What a fitted model says about a column, by the usual techniques, for comparison.

Friedman's partial dependence (`fpd`), individual curves (`ice`), accumulated local effects (`ale`,
`ale_pair`) and SHAP values (`shap`), for any model with ``predict`` or ``predict_proba``; and the
`referee`, which compares a model's curve with the band found without a model.
"""

from __future__ import annotations

from paribus.models.accumulated import ale
from paribus.models.dependence import fpd, ice
from paribus.models.pairs import ale_pair
from paribus.models.referee import Verdict, referee
from paribus.models.shapley import shap

__all__ = ["Verdict", "ale", "ale_pair", "fpd", "ice", "referee", "shap"]
