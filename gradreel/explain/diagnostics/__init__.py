"""What a diagnosis is, and how a run is looked at for what went wrong."""
