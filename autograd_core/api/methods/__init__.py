"""What a Tensor offers to programs: tables of names, and the methods with a body of their own."""
