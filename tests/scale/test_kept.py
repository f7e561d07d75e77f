"""The sample: uniform, the same in any order, and made of the samples of parts."""

import numpy as np
import pyarrow as pa
import pytest

from paribus.scale.reading import Levels
from paribus.scale.reservoir import Kept, checksum_of, sampling_hash


def kept_of(hashes, limit, pieces=5):
    out = Kept(limit, limit)
    for part in np.array_split(np.asarray(hashes, dtype=np.uint64), pieces):
        at = out.wanted(part)
        out.add(part[at], pa.table({"hash": part[at]}))
    return out


def test_it_holds_the_least_hashes_whatever_the_order_and_grouping():
    rng = np.random.default_rng(0)
    hashes = rng.integers(0, 2**63, size=5_000).astype(np.uint64)
    expected = np.sort(hashes)[:300].tolist()
    whole, rows, below = kept_of(hashes, 300).first(300)
    assert whole.tolist() == rows["hash"].to_pylist() == expected
    assert below == np.sort(hashes)[300]
    first, second = kept_of(hashes[3_000:], 300), kept_of(hashes[:3_000], 300, pieces=40)
    assert (first + second).first(300)[0].tolist() == expected
    assert (second + first).first(120)[0].tolist() == expected[:120]


def test_rows_of_equal_hash_are_in_or_out_together():
    hashes, rows, below = kept_of([5, 1, 7, 7, 7, 9], 4).first(4)
    assert (hashes.tolist(), len(rows), below) == ([1, 5], 2, 7)
    hashes, _, below = kept_of([5, 1], 4).first(4)
    assert (hashes.tolist(), below) == ([1, 5], 2**64)


def test_every_row_has_the_same_chance():
    rng = np.random.default_rng(1)
    x = rng.normal(size=40_000)
    hashes = sampling_hash([x, x**2], 0, 0, 0)
    drawn = hashes < np.uint64(2**64 // 10)
    assert drawn.mean() == pytest.approx(0.1, abs=0.006)
    assert x[drawn].mean() == pytest.approx(0, abs=0.05)
    assert (sampling_hash([x, x**2], 1, 0, 0) != hashes).mean() > 0.99


def test_equal_rows_are_told_apart_by_their_place_and_others_are_not():
    same = [np.zeros(1_000), Levels(np.zeros(1_000, dtype=int), ["a"])]
    first = sampling_hash(same, 0, 0, 0)
    assert len(set(first.tolist())) == 1_000
    assert len(set(first[1:].tolist()) & set(sampling_hash(same, 0, 1, 0).tolist())) == 0
    own = [np.arange(10.0)]
    assert sampling_hash(own, 0, 3, 700).tolist() == sampling_hash(own, 0, 0, 0).tolist()


def test_a_checksum_does_not_see_the_order_but_the_rows():
    hashes = np.arange(10, dtype=np.uint64)
    assert checksum_of(hashes) == checksum_of(hashes[::-1])
    assert checksum_of(hashes) != checksum_of(hashes[1:])


def test_levels_are_known_by_their_text():
    one = Levels(np.array([0, 1, -1]), ["a", "b"])
    two = Levels(np.array([1, 0, -1]), ["b", "a"])
    np.testing.assert_array_equal(one.hashed(), two.hashed())
    assert one.through({"a": 3.0}, 9.0).tolist()[:2] == [3.0, 9.0]


def test_parts_that_give_too_little_leave_a_smaller_sample_that_is_uniform_all_the_same():
    hashes = np.arange(1, 1_001, dtype=np.uint64)
    parts = []
    for part in (hashes[::4], hashes[1::4], hashes[2::4], hashes[3::4]):
        parts.append(Kept(50, 400))
        parts[-1].add(part, pa.table({"hash": part}))
        parts[-1].settle()
    both = parts[0] + parts[1] + (parts[2] + parts[3])
    found, _, below = both.first(400)
    assert found.tolist() == list(range(1, below))
    assert 190 <= len(found) <= 204
    assert not both.is_all
