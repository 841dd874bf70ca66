"""What the tests inherit from whoever runs them does not decide how they end."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
INHERITED = """
import os, signal, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
os.environ |= {"TZ": "Asia/Kathmandu", "LC_ALL": "POSIX", "COLUMNS": "20", "https_proxy": "http://x"}
os.execv(sys.executable, [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *sys.argv[1:]])
"""
CHECKED = """
import os, signal, time
def test_it():
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert {signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGHUP)} == {signal.SIG_DFL}
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, [])
    assert time.localtime(0).tm_hour == 0
    assert not {"LC_ALL", "COLUMNS", "https_proxy"} & os.environ.keys()
"""


def test_signals_zone_and_environment_are_those_that_tests_expect(tmp_path: Path) -> None:
    """`make test &` failed after a minute: a shell has its background jobs ignore SIGINT, and the
    processes that tests interrupt inherited that."""
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "test_x.py").write_text(CHECKED)
    done = subprocess.run(
        [sys.executable, "-c", INHERITED, str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert done.returncode == 0, done.stdout + done.stderr
