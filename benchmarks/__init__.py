"""What is measured: the engine against its peers, and a run from request to reply. `make bench`.

One thread for everybody: with more, small machines measure their scheduler. It must be said before numpy loads.
"""

import os

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"
