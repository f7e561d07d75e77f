"""Effects of a table as it is: what the look at the table would arrange is tested elsewhere."""

from functools import partial

import paribus as pb

explain = partial(pb.effect, tidy=False)
explain_all = partial(pb.effects, tidy=False)
