"""Source text -> checked program -> run: the safe interpreter, the torch face, budgets."""
