"""Runs the first two examples of the README, each in an empty folder."""

import os
import re
import runpy
from pathlib import Path
from tempfile import TemporaryDirectory

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
for code in re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)[:2]:
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("example.py").write_text(code, "utf-8")
        runpy.run_path("example.py", run_name="__main__")
        os.chdir("/")
