"""The tests of the proved checker need Coq, OCaml and zarith; the program is built once."""

import os

import pytest

from tests.verified.proved_checker import build, missing


@pytest.fixture(scope="session")
def program():
    lacking = missing()
    if lacking:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{lacking}, and CI must not go without the proved checker")
        pytest.skip(f"{lacking}: the proved checker is not tested; make coq installs what it needs")
    return build()
