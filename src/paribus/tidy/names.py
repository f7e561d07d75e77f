"""What a column's name suggests. A name alone decides nothing: the values must agree."""

from __future__ import annotations

import re

_PARTS = re.compile(r"ID(?![A-Z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


ID = _set("id ids uuid guid rowid caseid")
ALONE = _set("nr case individual index idx instant key rownames")  # ids if no other word is there
COUNTED = _set("number no num sample record row serial unnamed")
TIME = _set("year yr years date day days week weeks time t month quarter period")
CODE = _set(
    "zip zipcode postcode postal plz fips code type region district sector industry indust "
    "occupation occ msa county state station source store dept department branch route mode brand "
    "model make category cat carrier airline chain race ethnicity religion marital flight "
    "auctioneer channel segment"
)
AMOUNT = _set(
    "aid amount area average avg budget cost count days delay density distance fee gdp hours "
    "income length mean minutes n num pct percent pop population price profit rate ratio revenue "
    "salary sales score share size spending sum tax temp time total unemployment value volume wage "
    "weight"
)
CLOCK = _set("time departure arrival dep arr clock wheels hhmm start end")
PLANNED = _set("sched scheduled crs plan planned expected")
# What was known before: the price of yesterday.
BEFORE = _set("lag lagged prev previous last prior before yesterday initial base baseline pre past")
AFTERWARDS = _set(
    "actual after arr arrival arrived closed end ended final finished outcome paid post resolved "
    "result returned settled status"
)
SHARE = _set("perc pct percent percentage prc share ratio rate prop proportion per")
EXPOSURE = _set("exposure exposures population pop")
WEIGHT = _set("fnlwgt wgt wght pweight dweight anweight sampwt perwt wtfinl finalwt")
# What runs in a circle: words of the name, first and last value, how long a round is.
CYCLES = (
    (_set("hr hour"), 0, 24, 24),
    (_set("month mnth mon"), 0, 12, 12),
    (_set("weekday wday dow dayofweek"), 0, 7, 7),
    (_set("season quarter qtr"), 0, 4, 4),
    (_set("minute"), 0, 60, 60),
    (_set("yday doy dayofyear"), 0, 366, 365),
    (_set("dir direction bearing heading azimuth"), 0, 360, 360),
)
LONG = 4  # letters from which a word is also recognised at the end of another: datasource


def words(name: str) -> frozenset[str]:
    """Split a name into words in lower case.

    Examples
    --------
    >>> sorted(words("DAY_OF_WEEK")), sorted(words("IDpol")), sorted(words("saleDate2"))
    (['day', 'dayofweek', 'of', 'week'], ['id', 'pol'], ['2', 'date', 'sale'])
    """
    parts = [part.lower() for part in _PARTS.findall(name)]
    joined = "".join(parts)
    return frozenset([*parts, joined] if joined in ("dayofweek", "dayofyear") else parts)


def says(name: str, vocabulary: frozenset[str]) -> bool:
    """Tell whether a word of the name is, or ends with, one of the vocabulary."""
    found = words(name)
    if found & vocabulary:
        return True
    endings = tuple(word for word in vocabulary if len(word) >= LONG)
    return any(word.endswith(endings) for word in found)


def names_rows(name: str) -> bool:
    """Tell whether a name is that of an id.

    Examples
    --------
    >>> names_rows("IDpol"), names_rows("nr"), names_rows("price_index")
    (True, True, False)
    """
    found = words(name)
    return bool(found & ID) or (len(found) == 1 and bool(found & ALONE))


def kin(name: str, other: str) -> bool:
    """Tell whether one name contains the other, or both share a word of some length.

    Examples
    --------
    >>> kin("rprice", "price"), kin("arr_time", "arr_delay"), kin("area", "price")
    (True, True, False)
    """
    a, b = name.lower(), other.lower()
    if min(len(a), len(b)) >= 3 and (a in b or b in a):
        return True
    return any(len(word) >= 3 for word in words(name) & words(other))


def is_log_name(name: str, of: str) -> bool:
    """Tell whether a name is another with log, ln or l before it."""
    a, b = name.lower().replace("_", ""), of.lower().replace("_", "")
    return a in (f"log{b}", f"ln{b}", f"l{b}", f"log10{b}", f"log2{b}")
