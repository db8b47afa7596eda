"""Operator calls that torch knows and this engine does not, or not to the last detail. They only get fewer."""

NOT_YET: list[str] = []
