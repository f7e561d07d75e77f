"""One server for all tests that leave it as it was."""

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from served import Served


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    running = Served(tmp_path_factory.mktemp("cache"))
    yield running
    running.close()
