"""Tables of thousands of columns."""

import io
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from paribus.base.errors import InputError


def wide_table(n_columns):
    """Return a Parquet file of eleven rows."""
    import polars as pl

    rows = range(1, 12)
    table = pl.DataFrame(
        {f"column {k}": [(k * j) % 17 / 3 for j in rows] for k in range(n_columns)}
    )
    file = io.BytesIO()
    table.write_parquet(file)
    return file.getvalue()


def test_a_wide_table_makes_a_small_form_and_blocks_nobody(served):
    file = served.upload("wide.parquet", wide_table(3_000))
    said = served.glance(file)
    assert said["state"] == "done"
    assert len(said["html"]) < 6_000_000
    # A machine that is busy elsewhere is slow once, a page that blocks others is slow again.
    assert min(longest_wait(served, file) for _ in range(2)) < 1


def longest_wait(served, file):
    """Ask for something small again and again while a page is made."""
    waits = [0.0]
    with ThreadPoolExecutor(1) as pool:
        loading = pool.submit(served.ask, "GET", file)
        while not loading.done():
            start = time.perf_counter()
            assert served.ask("GET", "/static/icon.svg")[0] == 200
            waits.append(time.perf_counter() - start)
    return max(waits)


def test_a_table_too_wide_for_a_form_is_refused(served):
    said = served.glance(served.upload("wider.parquet", wide_table(5_001)))
    assert said["state"] == "failed"
    assert "has 5,001 columns, and the page shows 5,000 at most" in said["sentence"]


def test_text_too_wide_for_a_form_is_refused(tmp_path, monkeypatch):
    from paribus.serve import preview, source

    monkeypatch.setattr(preview, "MOST_COLUMNS", 2)
    (tmp_path / "wide.csv").write_text("a,b,c\n1,2,3\n4,5,6\n")
    file = source.Source(tmp_path / "wide.csv", "wide.csv", tmp_path)
    with pytest.raises(InputError, match="has 3 columns, and the page shows 2 at most"):
        preview.preview(lambda **_: None, source=file)
    assert not file.copy.exists()
