"""What all tests share: this folder is on the path of imports (public.py); pytest compiles all kernels before it starts workers."""

import os
import subprocess
import sys
from pathlib import Path


def pytest_configure(config):
    """Compile all kernels once, where some are not: workers of `-n`, and those of Ray and Dask, would each compile them anew.

    Those of the package that the tests import, which may be an installed one, not the one in the folder where pytest was started.
    """
    if hasattr(config, "workerinput") or not getattr(config.option, "numprocesses", None):
        return
    import dojo_py
    from dojo_py.cli.doctor import main_entries
    from dojo_py.compiler import compiling

    if compiling() and not all(entry._cache.fresh() for entry in main_entries().values()):
        environment = {**os.environ, "PYTHONPATH": str(Path(dojo_py.__file__).parents[1])}
        command = [sys.executable, "-P", "-m", "dojo_py.cli", "doctor", "--compile", "--no-test"]
        subprocess.run(command, check=False, env=environment)
