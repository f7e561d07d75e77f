"""The best split of one column in one cell.

The gain of a split with `w` of the cell's weight `W` and `s` of its sum `S` on the left is
`(W s - S w)^2 / (w (W - w))`: the fall in the sum of squares, times `W`. Sums are exact integers,
so the gain does not depend on the order of the rows or on how a sum was come by; and every road to
it below does the same floating-point operations, so equal cells give equal gains, bit for bit.
"""

from libc.math cimport fabs
from libc.stdint cimport int64_t, uint16_t

from paribus.strata.kernel.types cimport (
    COUNT_BITS, LIST_COUNT, MISSING, Bin, Level, Split, Totals,
)

# A fall smaller than rounding can feign is no fall: such a cell is pure.
cdef double ROUNDING = 2.0 ** -44


cdef int sweep(
    const Level* levels, int n, const Level* first, const Totals* cell, int64_t min_leaf,
    double* best
) noexcept nogil:
    """Return the last level of the best left side, or -1; `first` joins the left before all."""
    cdef int64_t s = 0, count = 0, w = 0
    cdef double d, g, W = <double>cell.weight, S = <double>cell.sum
    cdef int i, found = -1
    if first != NULL:
        s = first.sum
        count = first.count
        w = first.weight
    for i in range(n):
        s += levels[i].sum
        count += levels[i].count
        w += levels[i].weight
        if count < min_leaf:
            continue
        if cell.count - count < min_leaf:
            break
        d = W * <double>s - S * <double>w
        g = d * d * (1.0 / (<double>w * <double>(cell.weight - w)))
        if g > best[0]:
            best[0] = g
            found = i
    return found


cdef void keep_real(const Totals* cell, Split* best) noexcept nogil:
    """Take back a gain that is only rounding."""
    cdef double a = <double>cell.weight * <double>best.left.sum
    cdef double b = <double>cell.sum * <double>best.left.weight
    if fabs(a - b) <= ROUNDING * (fabs(a) + fabs(b)):
        best.gain = 0.0


cdef void sum_left(
    const Level* levels, int last, const Level* first, Split* best
) noexcept nogil:
    cdef int i
    best.left.sum = 0 if first == NULL else first.sum
    best.left.count = 0 if first == NULL else first.count
    best.left.weight = 0 if first == NULL else first.weight
    for i in range(last + 1):
        best.left.sum += levels[i].sum
        best.left.count += levels[i].count
        best.left.weight += levels[i].weight


cdef int middle(int low, int high) noexcept nogil:
    """Cut halfway between two neighbouring codes; before the missing, after every value."""
    return MISSING - 1 if high == MISSING else (low + high) // 2


cdef void scan_levels(
    Level* levels, int n, const Totals* cell, int64_t min_leaf, Split* best
) noexcept nogil:
    """Find the best split over levels given by ascending code; missing values go to either side."""
    cdef int last, with_missing = -1
    cdef bint missing
    cdef Level* gone
    best.gain = 0.0
    best.cut = 0
    best.missing_left = 0
    if n < 2:
        return
    gone = &levels[n - 1]
    missing = gone.code == MISSING
    last = sweep(levels, n - 1, NULL, cell, min_leaf, &best.gain)
    if missing:
        with_missing = sweep(levels, n - 2, gone, cell, min_leaf, &best.gain)
    if with_missing >= 0:
        sum_left(levels, with_missing, gone, best)
        best.cut = middle(levels[with_missing].code, levels[with_missing + 1].code)
        best.missing_left = 1
    elif last >= 0:
        sum_left(levels, last, NULL, best)
        best.cut = middle(levels[last].code, levels[last + 1].code)
        # Without missing values to learn from, a later one goes with the majority.
        best.missing_left = not missing and 2 * best.left.count >= cell.count
    if best.gain > 0:
        keep_real(cell, best)


cdef void fill_steps(const Totals* cell, int64_t min_leaf, Step* steps) noexcept nogil:
    """Tabulate the gain's parts by left count; a count that leaves too few rows gains nothing."""
    cdef int64_t count
    cdef double S = <double>cell.sum
    for count in range(cell.count + 1):
        steps[count].shift = S * <double>count
        steps[count].inverse = 0.0
    for count in range(min_leaf, cell.count - min_leaf + 1):
        steps[count].inverse = 1.0 / (<double>count * <double>(cell.count - count))


cdef inline double step_gain(int64_t acc, bint inside, double W, const Step* steps) noexcept nogil:
    """Return the gain after a row; inside a run of one code it is that of count 0, which is 0."""
    cdef int64_t count = (acc & LIST_COUNT) & ~-<int64_t>inside
    cdef double d = W * <double>(acc >> COUNT_BITS) - steps[count].shift
    return d * d * steps[count].inverse


cdef double list_gain(
    const uint16_t* entries, int m, bint single, const int64_t* packed, const Step* steps,
    const Totals* cell, int64_t min_leaf
) noexcept nogil:
    """Return the best gain over sorted rows: no weights, nothing missing.

    An entry is `code << 8 | row`. No branch depends on the data, and where the best is does not
    matter yet: of all columns scanned only the winner is asked for it.
    """
    cdef int64_t acc = 0
    cdef int i, start = 0, stop = m - 1
    cdef double g, top = 0.0, W = <double>cell.count
    if entries[0] >> 8 == entries[m - 1] >> 8:
        return 0.0
    if single:
        start = <int>min_leaf - 1
        stop = m - <int>min_leaf
    for i in range(start):
        acc += packed[entries[i] & 255]
    for i in range(start, stop):
        acc += packed[entries[i] & 255]
        g = step_gain(acc, (entries[i] ^ entries[i + 1]) < 256, W, steps)
        top = g if g > top else top
    return top


cdef void find_in_list(
    const uint16_t* entries, int m, const int64_t* packed, const Step* steps, const Totals* cell,
    double gain, Split* best
) noexcept nogil:
    """Find the first cut with this gain."""
    cdef int64_t acc = 0
    cdef int i = 0
    cdef double g, W = <double>cell.count
    for i in range(m - 1):
        acc += packed[entries[i] & 255]
        g = step_gain(acc, (entries[i] ^ entries[i + 1]) < 256, W, steps)
        if g == gain:
            break
    best.gain = gain
    best.left.sum = acc >> COUNT_BITS
    best.left.count = acc & LIST_COUNT
    best.left.weight = best.left.count
    best.cut = middle(entries[i] >> 8, entries[i + 1] >> 8)
    best.missing_left = 2 * best.left.count >= cell.count
    keep_real(cell, best)


cdef double bins_gain(const Bin* bins, const Totals* cell, int64_t min_leaf) noexcept nogil:
    """Return the best gain over a histogram: no weights, nothing missing."""
    cdef int64_t s = 0, count = 0, most = cell.count - min_leaf
    cdef int code = 0
    cdef double d, g, top = 0.0, W = <double>cell.count, S = <double>cell.sum
    while count < min_leaf:
        s += bins[code].sum
        count += bins[code].count
        code += 1
    while count <= most:
        d = W * <double>s - S * <double>count
        g = d * d * (1.0 / (<double>count * <double>(cell.count - count)))
        top = g if g > top else top
        s += bins[code].sum
        count += bins[code].count
        code += 1
    return top
