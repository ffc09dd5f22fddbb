"""What all tests share: this folder is on the path of imports (public.py); pytest compiles all kernels before it starts workers."""

import subprocess
import sys


def pytest_configure(config):
    """Compile all kernels once, where some are not: workers of `-n`, and those of Ray and Dask, would each compile them anew."""
    if hasattr(config, "workerinput") or not getattr(config.option, "numprocesses", None):
        return
    from dojo_py.cli.doctor import main_entries
    from dojo_py.compiler import compiling

    if compiling() and not all(entry._cache.fresh() for entry in main_entries().values()):
        subprocess.run([sys.executable, "-m", "dojo_py.cli", "doctor", "--compile", "--no-test"], check=False)
