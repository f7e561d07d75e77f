"""One server for all tests that leave it as it was."""

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from visiting import Visit

from served import Served


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    running = Served(tmp_path_factory.mktemp("cache"))
    yield running
    running.close()


@pytest.fixture
def visit(browser, served):
    visits = []

    def begin(**look):
        visits.append(Visit(browser, served, **look))
        return visits[-1]

    yield begin
    for made in visits:
        made.context.close()
