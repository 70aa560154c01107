"""``python -m separatrix``: the command line."""

from __future__ import annotations

import sys

from separatrix.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
