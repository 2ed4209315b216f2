"""`python -m falai_engine.chat FILE`: see the package."""

from __future__ import annotations

import sys

from falai_engine.chat.program import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
