"""For platforms that cannot fork: a process for one run. Reads a request from standard input, writes the reply."""

from __future__ import annotations

import sys

from .jail import limit_resources
from .work import work


def main() -> None:
    """Serve one request."""
    request = sys.stdin.buffer.read()
    layers = ["checked language", "own process", *(["limits of the kernel"] if limit_resources() else [])]
    sys.stdout.buffer.write(work(request, layers))


if __name__ == "__main__":
    main()
