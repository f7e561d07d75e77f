"""What an edge before each row of a sorted column gains.

The readable twin is in `strata/own_edges.py`.
"""


def edge_gains(const double[::1] number, const double[:, ::1] targets, double[::1] gain):
    """Write what an edge before each row takes of the squares, in those that it leaves, (m,).

    `targets` (m, t) are those of the rows, in the order of their `number` (m,). Before the first
    row, and between rows of equal numbers, there is no edge.
    """
    cdef Py_ssize_t i, k, m = number.shape[0], t = targets.shape[1]
    cdef double mean, squares, before, taken
    with nogil:
        for i in range(m):
            gain[i] = 0.0
        for k in range(t):
            mean, squares, before = 0.0, 0.0, 0.0
            for i in range(m):
                mean += targets[i, k]
            mean /= m
            for i in range(m):
                squares += (targets[i, k] - mean) * (targets[i, k] - mean)
            for i in range(1, m):
                before += targets[i - 1, k] - mean
                if number[i] != number[i - 1]:
                    taken = before * before * m / (<double>i * (m - i))
                    gain[i] += m * taken / max(squares - taken, 1e-12 * m)
