"""What programs call where torch chooses among operators of the table, or composes several."""
