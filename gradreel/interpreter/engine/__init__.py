"""What crosses between a program and the engine: the bridge, the gate, subclasses, names, and what is charged."""
