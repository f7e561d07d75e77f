"""Which rows are alike in all columns but some: coding, and a family of trees.

Everything here works on arrays. `grow` is the door; `grow_coded` the one for callers who grow
several families on one table and code it once.
"""

from paribus.strata.coding import Coding, fit_coding
from paribus.strata.family import Family, grow, grow_coded

__all__ = ["Coding", "Family", "fit_coding", "grow", "grow_coded"]
