"""autograd.Function: nodes whose forward and backward a program writes itself."""
