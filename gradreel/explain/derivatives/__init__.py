"""What the backward of each operator does, in words and as a formula: tables, a row for each."""
