"""For platforms that cannot fork: a process for one run. Reads a request from standard input, writes the reply."""

from __future__ import annotations

import sys

from .jail import limit_resources
from .work import work


def main() -> None:
    """Serve one request."""
    request = sys.stdin.buffer.read()
    limit_resources()
    sys.stdout.buffer.write(work(request))


if __name__ == "__main__":
    main()
