"""`python -m dojo_py` is the command `dojo_py`."""

import sys

from dojo_py.cli import main

sys.exit(main())
