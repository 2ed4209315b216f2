"""The program of this package: see `check`."""

from __future__ import annotations

import sys

try:
    from falai_engine.providers.check import main
except ModuleNotFoundError as error:
    if error.name != "httpx":
        raise
    sys.exit("Model providers need httpx. Install it with: pip install 'falai[http]'")

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
