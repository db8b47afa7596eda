"""Events -> Trace: the single contract between running and showing."""
