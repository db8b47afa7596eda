"""Where the recording of a graph begins and ends, and gradients that are missing for it."""
