"""The program of this package: see `check`."""

from __future__ import annotations

import sys

from falai_engine.providers.check import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
