"""From a call to its operator: the table, what is compiled of it, and torch's signatures."""
