"""What is kept for later gives what it would give if it were worked out anew."""

import numpy as np
import pytest

from paribus.estimate.candidates import Tried
from paribus.estimate.moderators import RowsTested, _Left, _Products
from paribus.estimate.partitions import partitions_of
from paribus.estimate.pieces import Other, fit_pieces
from paribus.pipeline.options import Options
from paribus.pipeline.prepare import prepare
from paribus.pipeline.strata import strata_of
from paribus.table.problem import make_problem


def test_products_that_were_tested_before_are_tested_as_new_ones_are():
    rng = np.random.default_rng(0)
    m = 400
    z, w = rng.normal(size=(2, m))
    tested = RowsTested(
        at=np.arange(m),
        freed=np.asfortranarray(rng.normal(size=(m, 2))),
        residual=rng.normal(size=m),
        growth=np.ones(m),
        units=partitions_of([np.zeros(m, np.int32)], [1], np.ones(m)).units,
        df=float(m - 1),
        straight=True,
    )
    others = {"z": Other(z, fit_pieces(z, 0, np.ones(m))), "w": Other(w, fit_pieces(w, 0, z**2))}
    tried = Tried.of(Other(z * w, fit_pieces(z * w, 0, np.ones(m))))
    left, kept = _Left.of(tested), _Products.of(tested, tried)
    for name, other in others.items():
        before = left.p_value(kept)
        left = left.less(name, other)
        anew = left.p_value(_Products.of(tested, tried))
        assert left.p_value(kept) == pytest.approx(anew, rel=1e-9) != before


def test_trees_grown_for_one_column_are_those_that_are_grown_for_all():
    rng = np.random.default_rng(0)
    table = dict(zip("abcdy", rng.normal(size=(5, 600)), strict=True))
    analysis = prepare(make_problem(table, "y"), Options())
    sets = [(k,) for k in range(4)]
    together, one_by_one = (strata_of(analysis, sets) for _ in range(2))
    together._leaves(40, 3)
    for at in range(4):
        np.testing.assert_array_equal(together._leaves(40, at), one_by_one._leaves(40, at))
        anew = strata_of(analysis, [sets[at]])
        np.testing.assert_array_equal(anew._leaves(40, 0), one_by_one._leaves(40, at))
