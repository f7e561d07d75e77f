"""The effects of many columns on one target, ranked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paribus.base import errors
from paribus.base.errors import plural
from paribus.base.notes import Note
from paribus.results import notes as result_notes
from paribus.results import show, tables, testing
from paribus.results.base import Effect
from paribus.results.contrast import Contrast
from paribus.results.interactions import Interaction, Interactions
from paribus.results.joint import JointEffect
from paribus.results.left_out import LeftOut, left_out
from paribus.results.roles import RowRoles
from paribus.results.stored import Stored
from paribus.results.tables import EffectTable
from paribus.results.told import Told
from paribus.results.words import grouped_name, impact_words, question, share_words, size
from paribus.table.columns import Backend, make_frame
from paribus.table.proposal import Proposal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ACTING = 5  # interactions on a front page


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EffectSet(Stored, Told, Mapping[str, Effect]):
    """Effects by column name, the largest impact first.

    Attributes
    ----------
    target : str
        The target's name.
    effects : tuple of Effect
        Ranked by impact; columns that could not be explained come last.
    n_rows : int
        Rows with a target value.
    notes : tuple of Note
        Caveats about the whole table.
    tidied : tuple of Proposal
        What a look at the table changed in its columns, or asks; see `paribus.check`.
    roles : RowRoles
        What was said about the rows: weights, counts, clusters.
    average : str
        How effects that differ are averaged, as in `paribus.effects`.
    pairs : tuple of JointEffect
        Two columns at once, where requested; see `beside` and `who_differs`.
    acting : tuple of Interaction
        The strongest interactions of the table, where requested; see `who_differs`.

    Examples
    --------
    >>> import tempfile
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(500, seed=0)
    >>> effects = pb.effects(d.table, target="weight")
    >>> effects.table().lines[0].label
    'height, per 1'
    >>> folder = Path(tempfile.mkdtemp())
    >>> effects.report(folder / "weight.html").name, effects.to_excel(folder / "weight.xlsx").name
    ('weight.html', 'weight.xlsx')
    >>> effects.to_csv(folder / "weight.csv").read_text()[:20]
    'column,kind,contrast'
    >>> EffectSet.from_dict(effects.to_dict()).ranking == effects.ranking
    True
    """

    target: str
    effects: tuple[Effect, ...]
    n_rows: int
    notes: tuple[Note, ...] = ()
    tidied: tuple[Proposal, ...] = ()
    backend: Backend | None = None
    roles: RowRoles = field(default_factory=RowRoles)
    average: str = "rows"
    pairs: tuple[JointEffect, ...] = ()
    acting: tuple[Interaction, ...] = ()
    _search: Callable[[], Interactions] | None = None  # for them, in the rows at hand

    def __getitem__(self, name: str) -> Effect:
        for effect in self.effects:
            if effect.feature == name:
                return effect
        for p in self.tidied:
            if name in (p.column, *p.members):
                raise KeyError(f"{p} keep=[{p.undo!r}] undoes that.")
        raise KeyError(str(errors.unknown_column(name, self.ranking)))

    def __iter__(self) -> Iterator[str]:
        return (effect.feature for effect in self.effects)

    def __len__(self) -> int:
        return len(self.effects)

    def __repr__(self) -> str:
        names = ", ".join(self.ranking[:5]) + (", ..." if len(self) > 5 else "")
        columns = f"{len(self)} column{plural(len(self))}"
        return f"<EffectSet: {columns} on {self.target}, {self.n_rows:,} rows: {names}>"

    @property
    def ranking(self) -> list[str]:
        """Column names, the largest impact first."""
        return list(self)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Columns that were left out; those that would lead the ranking come first."""
        return left_out(self.tidied)

    @property
    def places(self) -> list[tuple[int, Effect | LeftOut]]:
        """The lines of a ranking: effects with their rank, columns that were left out with 0.

        Columns made from the target come first, as they would lead; ids and the like come last.
        """
        leading = [(0, one) for one in self.left_out if one.leads]
        last = [(0, one) for one in self.left_out if not one.leads]
        return [*leading, *enumerate(self.effects, start=1), *last]

    @property
    def unit(self) -> str:
        """Unit of the effects if it is not the target's own."""
        return self.effects[0].unit if self.effects else ""

    @property
    def question(self) -> str:
        """What all effects answer, in words."""
        return question(self.target, self.unit)

    @property
    def size(self) -> str:
        """How many rows and columns there are, in words."""
        return size(self.n_rows, len(self), self.roles.groups)

    def with_common_notes(self) -> EffectSet:
        """Return the same, with notes shared by several columns moved to the table's notes."""
        noted = [note for e in self.effects if e.explained for note in e.notes]
        often = Counter(note.text for note in noted)
        shared = {note.text: note for note in noted if often[note.text] > 1}
        alike = {e.feature: e.neighbours_alike for e in self.effects if e.neighbours_alike}
        if len(alike) > 1:  # one note names all columns
            every = result_notes.neighbours_alike(alike)
            each = (result_notes.neighbours_alike({name: r}) for name, r in alike.items())
            shared |= {note.text: every for note in each}
        common = {note.text: note for note in shared.values()}.values()
        own = (
            replace(e, notes=tuple(n for n in e.notes if n.text not in shared))
            if e.explained
            else e
            for e in self.effects
        )
        return replace(self, effects=tuple(own), notes=(*self.notes, *common))

    def summary(self) -> str:
        """Say what each column goes with: ranked, one plain sentence per column.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> print(pb.effects(d.table, target="weight").summary())  # doctest: +ELLIPSIS
        What goes with weight, other things equal? 2,000 rows, 4 columns.
        The other columns determine weight exactly. ...
        1. height (impact ..., ... % of all): Each extra 1 of height goes with about 10 more ...
        """
        once = self.with_common_notes()
        lines = [f"{self.question} {self.size}", *self.roles.sentences(), *map(str, once.notes)]
        for k, effect in enumerate(once.effects, start=1):
            weight = f" (impact {impact_words(effect)}, {share_words(effect.share)} of all)"
            name = f"{grouped_name(effect)}{weight if effect.explained else ''}"
            lines.append(f"{k}. {name}: {effect.summary()}")
            if effect.by is not None:
                lines.append(f"   By {effect.by.column}: {effect.by.summary()}")
            lines += [f"   - {text}" for text in effect.remarks()]
        lines += [f"Act together: {one}" for one in self.acting]
        return "\n".join(lines)

    def to_frame(self, relative_to: Mapping[str, Any] | None = None) -> Any:
        """Return tidy numbers as a data frame, in the library of the data.

        There is a row for the average slope of a number, and one for each level of a category,
        compared with the commonest: ``column``, ``kind``, ``contrast``, ``estimate``, ``se``,
        ``lower``, ``upper``, ``p_value``, ``unit``, ``rows``, ``share_used`` (of the rows),
        ``impact`` and ``share`` (of all impacts) of the column, ``held_still`` and ``together``
        (names of columns; the latter explained as one), and ``group``, for effects by group.

        Parameters
        ----------
        relative_to : mapping of str to level, optional
            By column, the level that others are compared with.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(500, seed=0)
        >>> frame = pb.effects(d.table, target="weight").to_frame()
        >>> list(frame.columns)[:5], frame["contrast"][0]
        (['column', 'kind', 'contrast', 'estimate', 'se'], 'per 1')
        """
        return make_frame(tables.tidy_columns(self, relative_to), self.backend)

    def to_csv(self, path: str | Path) -> Path:
        """Write the numbers of `to_frame` as CSV that is safe to open in a spreadsheet."""
        return show.writing.write_csv(tables.tidy_columns(self), path)

    def table(
        self, *, relative_to: Mapping[str, Any] | None = None, stars: bool = False
    ) -> EffectTable:
        """Return the numbers as a table for a paper, with a footnote; see `paribus.etable`."""
        return tables.etable({"estimate": self}, relative_to=relative_to, stars=stars)

    def to_markdown(self) -> str:
        """Return `table` in Markdown."""
        return self.table().to_markdown()

    def to_html(self) -> str:
        """Return `table` as HTML. Needs the extra ``tables``."""
        return self.table().to_html()

    def to_latex(self) -> str:
        """Return `table` in LaTeX, for the package ``booktabs``."""
        return self.table().to_latex()

    def to_docx(self, path: str | Path) -> Path:
        """Write `table` into a Word document. Needs the extra ``tables``."""
        return self.table().to_docx(path)

    def test(self, hypothesis: str) -> Contrast:
        """Compare two estimates, for two columns or two levels.

        A column of numbers is represented by its average slope, a level by its difference from the
        commonest. The covariance of two levels of a column is known. How the errors of two columns
        are correlated is not, so their standard errors are added up, the largest that they can come
        to: a small p-value can be trusted, a large one may be too cautious.

        Parameters
        ----------
        hypothesis : str
            Such as ``"bedrooms = bathrooms"``, ``"bedrooms = 0"``, ``"cut[Fair] = cut[Ideal]"``.

        Returns
        -------
        Contrast
            The left side less the right; its `p_value` is that of the hypothesis.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> apart = pb.effects(d.table, target="weight").test("height = education")
        >>> round(apart.value, 1), apart.p_value < 0.001
        (11.5, True)
        """
        return testing.compared(self, hypothesis)

    def influential(self) -> Any:
        """Return the rows without which some result would change, as a data frame.

        There is one line per column and row: the row's number in the table, counted from 0, its
        value and target, the effect with and without it where it matters most, and how far that
        moves in standard errors.

        Examples
        --------
        >>> import numpy as np, paribus as pb
        >>> rng = np.random.default_rng(0)
        >>> x = rng.normal(size=300)
        >>> y = x + rng.normal(size=300)
        >>> y[7] = 50
        >>> rows = pb.effects({"x": x}, y).influential()
        >>> list(rows)[:4], int(rows["row"][0])
        (['feature', 'row', 'value', 'target'], 7)
        """
        found = [(e.feature, row) for e in self.effects for row in e.influential]
        names = ("row", "value", "target", "effect", "without", "standard_errors")
        columns: dict[str, Any] = {"feature": [feature for feature, _ in found]}
        columns |= {n: [getattr(row, n) for _, row in found] for n in names}
        columns["value"] = [str(row.value) for _, row in found]  # of columns of several kinds
        return make_frame(columns, self.backend)

    def plot(self, most: int = 12) -> Figure:
        """Draw a panel for each column with matplotlib, the largest impact first.

        Parameters
        ----------
        most : int
            Maximum number of panels.

        Returns
        -------
        matplotlib.figure.Figure
            Notebooks display it; ``figure.savefig("effects.png")`` writes it to a file.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(500, seed=0)
        >>> figure = pb.effects(d.table, target="weight").plot()
        >>> [ax.get_xlabel() or ax.get_ylabel() for ax in figure.axes][0]
        'height'
        """
        return show.mpl.plot_overview(self.effects, most)

    def who_differs(self, most: int = 3) -> EffectSet:
        """Return the same, with effects by groups of the column that each differs with most.

        Groups are added to the first `most` columns whose effect clearly differs with another
        column, together with both columns at once; reports show them. A search chose the groups, so
        their differences are not tested again. The table's strongest interactions are added too.

        Examples
        --------
        >>> import numpy as np, paribus as pb
        >>> rng = np.random.default_rng(0)
        >>> x, z = rng.normal(size=(2, 2000))
        >>> g = rng.choice(["a", "b"], 2000)
        >>> y = np.where(g == "a", x, -x) + z + rng.normal(size=2000)
        >>> found = pb.effects({"x": x, "g": g, "z": z}, y).who_differs()
        >>> found["x"].by.title, found["x"].by.labels
        ('Who differs: by g', ('a', 'b'))
        """
        out = []
        most -= sum(e.by is not None and e.by.chosen for e in self.effects)
        for e in self.effects:
            groups = None if most <= 0 or e.by is not None else e.groups_that_differ()
            most -= groups is not None
            out.append(e if groups is None else replace(e, by=groups))
        found = replace(self, effects=tuple(out), acting=self.acting or self._strongest())
        for e in out:
            if e.by is not None and e.by.chosen:
                found = found.with_pair(e.feature, e.by.column)
        return found

    def _strongest(self) -> tuple[Interaction, ...]:
        """Search for the strongest interactions whose interval lies above zero."""
        found = () if self._search is None else self._search().found
        return tuple(one for one in found if one.lower > 0)[:MOST_ACTING]

    def beside(self, column: str, most: int = 5) -> EffectSet:
        """Return the same, with each of the first `most` columns and this one at once.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(1000, seed=0)
        >>> found = pb.effects(d.table, target="weight").beside("sex", most=2)
        >>> [both.features for both in found.pairs]
        [('height', 'sex'), ('pregnant', 'sex')]
        """
        found = self
        if column not in self:
            raise errors.unknown_column(column, self.ranking)
        for e in [e for e in self.effects if e.explained and e.feature != column][:most]:
            found = found.with_pair(e.feature, column)
        return found

    def with_pair(self, first: str, second: str) -> EffectSet:
        """Return the same, with two columns at once, or unchanged where that is not possible."""
        if any({*both.features} == {first, second} for both in self.pairs):
            return self
        try:
            both = self[first].beside(second)
        except errors.InputError:
            return self
        known = {note.text for note in self.notes}
        own = tuple(note for note in both.notes if note.text not in known)
        return replace(self, pairs=(*self.pairs, replace(both, notes=own)))

    def pairs_with(self, column: str) -> list[JointEffect]:
        """Return the pairs shown with a column: those that name it first."""
        return [both for both in self.pairs if both.features[0] == column]

    def report(self, path: str | Path) -> Path:
        """Write all effects into one HTML file that opens offline in any browser; return its path.

        Needs the extra ``report``.
        """
        return show.page.write_page(self.who_differs(), path)

    def to_excel(self, path: str | Path) -> Path:
        """Write a workbook with a summary and a sheet with a chart per column; return its path.

        Needs the extra ``excel``.
        """
        return show.workbook.write_workbook(self.who_differs(), path)

    def _repr_html_(self) -> str:
        """Show the ranking in a notebook."""
        return show.compact.ranking_html(self)
