"""Which rows are alike in all columns but some: coding, and a family of trees.

Everything here works on arrays. Call `grow`, or `grow_coded` to grow several families on one table
that is coded once.
"""

from paribus.strata.coding import Coding, fit_coding
from paribus.strata.family import Family, grow, grow_coded

__all__ = ["Coding", "Family", "fit_coding", "grow", "grow_coded"]
