"""The code that is made of each operator of the table: its call, and its backward over arrays and over tensors."""
