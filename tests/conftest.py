"""How hard Hypothesis searches: HYPOTHESIS_PROFILE=fast (default), ci (default if CI is set), deep.

Also what every process that a test starts inherits, and where the local model lies.
"""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from graphmem import models
from graphmem.errors import ModelError

# A shared machine is slow at times, which says nothing about the code: no deadline for an example.
# pytest-timeout ends a test that hangs.
settings.register_profile(
    "fast",
    max_examples=50,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
# The same examples at each run, so that a change is judged by what it changed.
settings.register_profile("ci", settings.get_profile("fast"), derandomize=True, database=None)
settings.register_profile("deep", settings.get_profile("fast"), max_examples=2_000)

settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if "CI" in os.environ else "fast")
)

# A run that a shell started in the background ignores SIGINT, and would hand that on to the processes
# to which tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def gguf() -> Path:
    """The file of the packaged model; skips where it or llama-cpp-python is missing."""
    try:
        return models.find()
    except ModelError as error:
        pytest.skip(f"no local model: {error}")
