"""Recording: what happens is noted as it happens, in few words; events are made of the notes when somebody reads them.

Note [Facts]. Building every event while the program runs would cost twenty times what the program does. So while a tape
listens, an operator and a node that ran each leave one *fact*: a tuple of numbers and raw values. Among the facts, in
order, lie flights (events/__init__.py) of all that happens more rarely, and weak proxies: that of a tensor comes onto
the tape when it is gone. `Reader` makes the same flights of a fact that are put there where no facts are taken, for

* what an operator makes follows from the table: the node, its edges, what it keeps and the result, in this order;
* what a node does when it runs follows from what is known of it: it starts with what came, reads what it keeps, hands
  on its results, and lets go of what it keeps; then (releases lie in between) the results arrive below, edge by edge.
  Nodes run in the exact order, and a leaf is told of when the last that it waits for has come, as the edges say;
* results, and gradients of formulas, that give the same bits when they are computed again are not noted: the reader
  computes them of what it knows of operands and of what the node keeps (Note [Same bits] in
  dispatch/codegen/recorded.py). So the fact of such a node that ran is its number alone;
* a node goes with the last that holds it: its tensor, or a node above it. One that others may hold, too, for a program
  or a flight named it, is watched from then on, and tells itself;
* a value is noted before anybody may write over it: of scalars and small arrays the bytes. The value of what a node
  keeps is that of the tensor when it was last told: every write is told. (`exposed` says that numpy may write, too.)

Facts hold no tensor, node or gradient, so nothing lives longer for being watched, and gradients are taken over or
copied as they would be. What happens too seldom to matter, or is large, is told at once by the methods of Session:
views, writes in place, hooks, create_graph, lists of tensors. (Of the copies of arrays in such flights the reader makes
Values.) Tests hold facts against `Tape(at_once=True)`, which takes none.
"""

from .reader import Reader as Reader
from .tape import Tape as Tape
