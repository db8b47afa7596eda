"""Names: which a module lacks, and what modules, types and attributes are called."""
