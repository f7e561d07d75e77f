"""Errors for groups, pairs and batches that cannot be explained."""

from __future__ import annotations

from paribus.base.errors import Wording

one_group = Wording[str, int](
    "The rows fall into one group of {name!r} only (a group needs {fewest} rows): there is "
    "nothing to compare. Name a column with several values, or other cut points."
)
bad_by = Wording[object](
    "The argument by must be the name of a column, or a name with ascending cut points such as "
    "{{'age': [30, 50]}}, got {got!r}."
)
cuts_of_category = Wording[str](
    "Column {name!r} is a category: its levels are the groups, without cut points."
)
too_many_levels = Wording[str, int, int](
    "Column {name!r} has {n_levels:,} levels; together with another column at most {most} can be "
    "told apart. Take fewer, or use by= with it, which joins the rare ones."
)
not_two_columns = Wording[object]("Name two different columns that can be held still, got {got!r}.")
nothing_of_a_pair = Wording[str, str](
    "Too few rows are alike in all but {first!r} and {second!r}: nothing can be said of the two "
    "together. Use more rows, hold fewer columns still, or leave within= out."
)
by_itself = Wording[str](
    "Column {name!r} cannot be explained by groups of itself: name another column."
)
groups_on_a_scale = Wording[()](
    "Groups are compared in the target's own unit: leave target_scale out, or take the "
    "logarithm of the target first."
)
not_of_a_pair = Wording[str](
    "The argument {option} cannot be chosen for two columns at once: leave it out."
)
not_in_batches = Wording[str](
    "The argument {option} cannot be chosen for a table that is read in batches. Leave it out, or "
    "pass a table that fits into memory."
)
table_first = Wording[()]("The table comes first: pass the table, then the target.")
classes_in_batches = Wording[()](
    "The classes of a table that is read in batches are not known beforehand. Call effects with "
    "class_= for each of them, or pass a table that fits into memory."
)
by_name_only = Wording[str](
    "The argument {role} must be the name of a column: the table is read in batches."
)
