"""Where the interpreter meets the engine, and nowhere else.

bridge.py says what crosses, gate.py what numpy may see, subclasses.py how the engine knows the program's classes,
cost_model.py what an operator is charged before it runs, name_events.py which names stand for which tensors.
"""
