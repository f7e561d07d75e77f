"""What the texts of a column have in common: found in parts of a table, and added up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import polars as pl

from paribus.files import dates, numbers
from paribus.files.numbers import STYLES, Style

# Excel's errors, and texts that are never names: missing wherever they occur.
NO_NAMES = (
    "#n/a", "#name?", "#ref!", "#value!", "#div/0!", "#num!", "#null!", "n/a", "nan", "<na>",
)  # fmt: skip
PERHAPS = ("na", "null", "?", "-")  # missing among numbers, but may be names among names
MOST_WORDS = 100  # words among numbers that are kept
MEASURED = 10  # limits such as <0.1 count as numbers beside at least so many distinct ones
FEW, LOOKED_AT = 5_000, 10_000  # with fewer distinct texts among so many, each is looked at once


@dataclass(slots=True)
class Evidence:
    """What the texts of one column have in common."""

    n_values: int = 0  # texts that are neither missing nor a marker of a missing value
    markers: Counter[str] = field(default_factory=Counter)  # markers and how often they occur
    # Texts that are numbers, by how they are written.
    n_numbers: dict[Style, int] = field(default_factory=lambda: dict.fromkeys(STYLES, 0))
    # The others, or the first of them.
    words: dict[Style, Counter[str]] = field(default_factory=lambda: {s: Counter() for s in STYLES})
    # Of the others, limits such as <0.1; and the first different numbers beside them.
    limits: dict[Style, Counter[str]] = field(
        default_factory=lambda: {s: Counter() for s in STYLES}
    )
    measured: set[str] = field(default_factory=set)
    # Ways in which all that are numbers are whole.
    whole: set[Style] = field(default_factory=lambda: set(STYLES))
    # Whether any contains a comma, is a number with leading zeros, is too large for a float, or
    # has too many digits.
    commas: bool = False
    codes: bool = False
    huge: bool = False
    long: bool = False
    # Currency and percent signs, and "" for numbers without any.
    signs: Counter[str] = field(default_factory=Counter)
    # Whether all are two or three capital letters, such as codes of countries.
    capitals: bool = True
    # Patterns by which all are dates, each with what else they contain.
    dates: dict[str, dates.Said] = field(
        default_factory=lambda: dict.fromkeys(dates.PATTERNS, dates.Said())
    )

    @property
    def one_unit(self) -> bool:
        """Whether numbers have at most one currency sign, or all of them a percent sign."""
        signs = set(self.signs) - {""}
        return len(signs) <= 1 and (numbers.PER_CENT not in signs or "" not in self.signs)

    @property
    def styles(self) -> set[Style]:
        """Ways of writing numbers that all texts follow."""
        if not self.n_values or self.codes or self.huge or not self.one_unit:
            return set()
        return {style for style in STYLES if self.n_numbers[style] == self.n_values}

    @property
    def share(self) -> float:
        """Share of the texts that are numbers, in the commoner way of writing."""
        if self.codes or not self.one_unit:
            return 0.0
        return max(self.n_numbers.values()) / max(self.n_values, 1)

    @property
    def is_ambiguous(self) -> bool:
        """Whether the separator between digits could mark thousands as well as decimals."""
        return len(self.styles) > 1 and len(self.whole) == 1

    @property
    def own_style(self) -> Style:
        """The way of writing that most texts follow."""
        return max(STYLES, key=lambda style: self.n_numbers[style])

    def add(self, other: Evidence) -> None:
        """Add what was found in another piece."""
        self.n_values += other.n_values
        self.markers += other.markers
        for style in STYLES:
            self.n_numbers[style] += other.n_numbers[style]
            _add_words(self.words[style], other.words[style])
            _add_words(self.limits[style], other.limits[style])
        self.measured |= other.measured
        self.whole &= other.whole
        self.commas |= other.commas
        self.codes |= other.codes
        self.huge |= other.huge
        self.long |= other.long
        self.signs += other.signs
        self.capitals &= other.capitals
        both = self.dates.keys() & other.dates.keys()
        self.dates = {p: self.dates[p] | other.dates[p] for p in dates.PATTERNS if p in both}

    def with_limits(self) -> Evidence:
        """Return the same with limits counted as numbers, if there are enough measured ones."""
        if len(self.measured) < MEASURED:
            return replace(self, limits={s: Counter() for s in STYLES})
        return replace(
            self,
            n_numbers={s: n + self.limits[s].total() for s, n in self.n_numbers.items()},
            words={s: words - self.limits[s] for s, words in self.words.items()},
        )


def _add_words(known: Counter[str], more: Counter[str]) -> None:
    """Add up words, up to `MOST_WORDS` distinct ones."""
    for word, count in more.items():
        if word in known or len(known) < MOST_WORDS:
            known[word] += count


def evidence_of(texts: pl.Series) -> Evidence:
    """Look at some texts of a column.

    Examples
    --------
    >>> found = evidence_of(pl.Series(["1.234,5", "7", "NA", None]))
    >>> found.styles, found.markers
    ({'comma'}, Counter({'NA': 1}))
    """
    found = Evidence()
    values, counts = _counted(texts)
    is_marker = values.str.to_lowercase().is_in([*NO_NAMES, *PERHAPS])
    for text, count in zip(values.filter(is_marker), counts.filter(is_marker), strict=True):
        found.markers[text] += count
    values, counts = values.filter(~is_marker), counts.filter(~is_marker)
    found.n_values = int(counts.sum())
    if not values.len():
        return found
    plain = numbers.bare(values)
    is_huge = numbers.too_large(plain)
    for style in STYLES:
        fits = plain.str.contains(numbers.PATTERNS[style]) & ~is_huge
        found.n_numbers[style] = int(counts.filter(fits).sum())
        if not plain.filter(fits).str.contains(numbers.WHOLE[style]).all():
            found.whole.discard(style)
        strays = zip(values.filter(~fits).head(MOST_WORDS), counts.filter(~fits), strict=False)
        found.words[style].update(dict(strays))
        found.measured |= set(plain.filter(fits).unique(maintain_order=True).head(MEASURED))
    _find_limits(found)
    found.huge = bool(is_huge.any())
    if any(found.n_numbers.values()):
        found.commas = bool(values.str.contains(",", literal=True).any())
        found.codes = bool(plain.str.contains(numbers.CODE).any())
        found.long = bool(plain.str.contains(numbers.LONGEST).any())
        found.signs = _signs(values, plain, counts)
    found.capitals = bool(values.str.contains(r"^[A-Z]{2,3}$").all())
    found.dates = dates.fitting(values)
    return found


def _find_limits(found: Evidence) -> None:
    """Find the limits among the words, and whether they are whole."""
    for style, words in found.words.items():
        texts = pl.Series("text", list(words), dtype=pl.String)
        texts = texts.filter(texts.str.contains(numbers.LIMIT))
        plain = numbers.bare(texts.str.replace(numbers.LIMIT, ""))
        fits = plain.str.contains(numbers.PATTERNS[style])
        found.limits[style].update({text: words[text] for text in texts.filter(fits)})
        if not plain.filter(fits).str.contains(numbers.WHOLE[style]).all():
            found.whole.discard(style)


def _signs(values: pl.Series, plain: pl.Series, counts: pl.Series) -> Counter[str]:
    """Count the signs that numbers have."""
    if plain is values:
        return Counter({"": int(counts.sum())})
    table = pl.DataFrame({"sign": values.str.extract(numbers.SIGN), "count": counts})
    is_number = plain.str.contains(r"^[+-]?[.,]?[0-9]")
    table = table.filter(is_number).group_by("sign").sum()
    return Counter({sign or "": count for sign, count in table.rows()})


def _counted(texts: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return distinct texts and how often each occurs; if there are many, all texts, once each."""
    known = texts.alias("text").drop_nulls()  # polars takes names such as * for patterns
    if known.head(LOOKED_AT).n_unique() > FEW:
        return known, pl.repeat(1, known.len(), dtype=pl.UInt32, eager=True)
    counts = known.value_counts(name="count").sort("text")
    return counts["text"], counts["count"]
