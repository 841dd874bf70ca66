"""`python -m graphmem` is `graphmem`."""

import sys

from graphmem.interfaces.cli.commands import main

if __name__ == "__main__":
    sys.exit(main())
