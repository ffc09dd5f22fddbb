"""`python -m dojo_py.cli`: the command without an installed script."""

import sys

from dojo_py.cli import main

sys.exit(main())
