"""The backward graph: nodes, edges, what nodes save, and what is told of them."""
