"""Effects to show."""

import pytest

import paribus as pb

from odd_tables import nasty_table, odd_table


@pytest.fixture(scope="session")
def odd():
    return pb.effects(odd_table(), target="y", n_jobs=1, tidy=False)


@pytest.fixture(scope="session")
def nasty():
    table, target = nasty_table()
    return pb.effects(table, target=target, n_jobs=1, tidy=False)
