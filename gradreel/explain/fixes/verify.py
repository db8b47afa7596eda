"""Whether an edit is a fix: rules over the run before it and the run after it.

An edit that ends the error is no fix yet. Each rule names one thing that a fix must not lose, and says in a sentence
what is lost; an edit is a fix if no rule has anything to say.
"""

from __future__ import annotations

import ast
from bisect import bisect
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from gradreel.trace import Trace
from gradreel.trace import events as e
from gradreel.trace.events import Value

from ..diagnostics.diagnosis import Diagnosis
from ..diagnostics.refusals import IN_TRANSFORM
from ..replay.graph_queries import all_zero
from ..source import is_straight_through, parts_of
from .observe import Observation, alike, close, finite, flat, numbers
from .references import of_ratio
from .text import changed_blocks


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a rule looks at."""

    before: Observation
    after: Observation
    found: Diagnosis
    reference: Observation | None = None
    """What autograd gives in the place of a formula of the program's own, if that is in question."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the edited program runs, past where it failed; and the rules that it breaks, each with what is lost."""

    runs: bool
    broken: tuple[tuple[str, str], ...] = ()

    @property
    def fixes(self) -> bool:
        return self.runs and not self.broken

    @property
    def lost(self) -> str:
        return "; ".join(dict.fromkeys(sentence for _, sentence in self.broken))


Rule = Callable[[Comparison], str | None]

AUTOGRAD = frozenset({"second_backward", "saved_modified", "leaf_inplace", "view_inplace", "no_graph", "grad_none"})
"""Kinds of trouble with gradients: what the program computed up to there was right."""


def verify(before: Observation, after: Observation, found: Diagnosis, reference: Observation | None = None) -> Verdict:
    """Judges the run `after` of a program that was edited against `found`, which the run `before` met."""
    if not runs_on(before, after, found):
        return Verdict(False)
    seen = Comparison(before, after, found, reference)
    told = [(name, rule(seen)) for name, rule in RULES.items()]
    return Verdict(True, tuple((name, sentence) for name, sentence in told if sentence is not None))


# ---- whether it runs


def runs_on(before: Observation, after: Observation, found: Diagnosis) -> bool:
    """Whether a run ends well: to its end, or until a budget stops it well past the trouble.

    Where nothing was raised there is no point to pass: ENOUGH_BACKWARDS show whether the trouble is gone.
    """
    old, new = before.trace, after.trace
    if any(isinstance(event, e.Raised) and not event.caught for event in new.events):
        return False
    if new.outcome.kind == "finished":
        return True
    if new.outcome.kind != "stopped" or not any(isinstance(event, e.LineReached) for event in new.events):
        return False
    if old.outcome.kind != "raised" and sum(not call.failed for call in after.backwards) >= ENOUGH_BACKWARDS:
        return True
    failed = found.lines.get("raised") or found.lines.get("shows") or old.outcome.line
    return failed is None or goes_further(old, new, failed)


ENOUGH_BACKWARDS = 5
"""More than any watcher of silent trouble waits for before it tells."""


def goes_further(before: Trace, after: Trace, failed: int) -> bool:
    """Whether `after` went beyond the turn in which `before` stood when line `failed` ended it."""
    goals = counterparts(before.source, after.source, failed)
    around = [event.loops[0][0] for event in before.events if isinstance(event, e.LineReached) and event.loops]
    outer = {around[-1]} if around else set()  # of the loop that it was in at last: others may have come there, too
    furthest = furthest_turn(before, {failed}, outer) or furthest_turn(before, {failed})
    same = set().union(*(counterparts(before.source, after.source, line) for line in outer))
    now = furthest_turn(after, goals, same) or furthest_turn(after, goals)
    if furthest is None or now is None:
        return False
    if furthest:
        return now > furthest
    last = next(event for event in reversed(after.events) if isinstance(event, e.LineReached))
    return last.line not in goals


def furthest_turn(trace: Trace, lines: set[int], outer: set[int] | None = None) -> tuple[int, ...] | None:
    """The latest turn of the loops in which one of `lines` was reached, None if never; in a loop on `outer`."""
    turns = [
        tuple(turn for _, turn, _ in event.loops)
        for event in trace.events
        if isinstance(event, e.LineReached)
        and event.line in lines
        and (outer is None or (event.loops and event.loops[0][0] in outer))
    ]
    return max(turns, default=None)


def counterparts(old: str, new: str, line: int) -> set[int]:
    """The lines of `new` that stand where `line` of `old` stood."""
    for kind, start, stop, new_start, new_stop in changed_blocks(old.split("\n"), new.split("\n")):
        if start < line <= stop:
            if kind == "equal":
                return {new_start + line - start}
            return set(range(new_start + 1, max(new_stop, new_start + 1) + 1))
    return {line}


# ---- rules: each says what is lost


def a_gradient_arrives(seen: Comparison) -> str | None:
    """Where the program goes backward, gradients arrive."""
    to_no_leaf = seen.found.cause in IN_TRANSFORM and not seen.after.backwards  # a transform gives it back
    asked = goes_backward(seen.before) and not to_no_leaf
    return "no gradient arrives anywhere" if asked and not seen.after.arrived else None


def goes_backward(seen: Observation) -> bool:
    """Whether a program asks for gradients, as it ran or in its text."""
    return bool(seen.backwards) or any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("backward", "grad")
        for node in ast.walk(tree_of(seen.trace.code))
    )


def tree_of(source: str) -> ast.AST:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


def no_gradient_is_none(seen: Comparison) -> str | None:
    """What is read after the error has a gradient, unless the program meant it to have none."""
    autograd = seen.found.kind in AUTOGRAD
    untracked = seen.found.kind in ("no_graph", "grad_none")
    for name, times in seen.after.missing.items():
        without = not seen.after.requires_grad.get(name, True)
        meant = without and not untracked and not (autograd and seen.before.requires_grad.get(name, True))
        earlier = seen.before.missing[name]
        if not meant and (times > earlier or (earlier and seen.found.kind == "grad_none" and name in told_of(seen))):
            return f"`{name}.grad` {'stays' if earlier else 'is'} None"
    return None


def as_many_arrive(seen: Comparison) -> str | None:
    """Not fewer gradients arrive than before, but for those that go on to what a leaf was made of."""
    before, after = seen.before, seen.after
    earlier = before.arrivals(before.gradients.keys() - no_longer_leaves(seen))
    if seen.found.cause in FEWER or after.arrived >= earlier:
        return None
    told_in_part = after.trace.outcome.kind == "stopped" or any(map(turns_left_out, (before.trace, after.trace)))
    if told_in_part and after.arrived * len(before.backwards) >= earlier * (len(after.backwards) - 1):
        return None  # what came in each call is compared; the last may have been cut
    return "fewer gradients arrive"


def no_longer_leaves(seen: Comparison) -> set[int]:
    """Leaves before whose names stand for results afterwards: as of a copy that is not detached any more."""
    leaves, results = seen.after.leaf_names(seen.after.leaves), seen.after.leaf_names(seen.after.results)
    names = {leaf: seen.before.names.get(leaf, set()) for leaf in seen.before.leaves}
    return {leaf for leaf, known in names.items() if known & results and not known & leaves}


def turns_left_out(trace: Trace) -> bool:
    """Whether a recording left turns of a loop out."""
    return any(isinstance(event, e.TurnsSkipped) for event in trace.events)


FEWER = ("growing", "unread_setting", "in_vain", *IN_TRANSFORM)
"""What is fixed by fewer: each turn goes back through its own graph, what is frozen at last gets none, a copy is
computed with, and what a transform takes arrives nowhere."""


def told_of(seen: Comparison) -> set[str]:
    return set(seen.found.names.values())


def no_result_is_none(seen: Comparison) -> str | None:
    """`autograd.grad` gives a gradient for everything it is asked for, not None or zeros in the place of it."""
    vain = [name for name, times in seen.after.unused.items() if times > seen.before.unused[name]]
    vain += list(seen.after.unused) if seen.found.kind == "unused" else []
    if seen.found.names.get("listed") and "materialize_grads" in seen.after.trace.source:
        return None  # of all the parts of a module, those that are not used have the gradient 0
    if "materialize_grads" in seen.after.trace.source:  # a slope that is constant has a derivative: zeros
        vain = [name for name in vain if name not in seen.before.reached()]
    return f"what `grad` gives for `{vain[0]}` is None, or zeros in the place of it" if vain else None


def each_grad_gives_as_before(seen: Comparison) -> str | None:
    """What `autograd.grad` gave on a line before an error it gives there still: it is not cut off what it asks for."""
    before, after = seen.before, seen.after
    if before.trace.outcome.kind != "raised" or seen.found.kind not in AUTOGRAD:
        return None
    for line, names in before.captured.items():
        lines = counterparts(before.trace.source, after.trace.source, line)
        there = [after.captured[other] for other in lines & after.captured.keys()]
        for name in sorted(name for name, times in names.items() if times):
            asked = [given[name] for given in there if name in given]
            if asked and not any(asked):
                return f"what `grad` gives for `{name}` is None or zeros"
    return None


def leaves_keep_theirs(seen: Comparison) -> str | None:
    """Leaves get gradients: those whose `.grad` the program reads all of them, of others some."""
    before, reached = seen.before, seen.after.reached()
    if not goes_backward(before):
        return None
    read = gradients_read(before.trace.code)
    if seen.found.names.get("how") == "parameter":  # what was computed is no leaf any more, and may be read instead
        read &= gradients_read(seen.after.trace.code)
    for leaf in sorted(set(before.variables.values())):
        names = before.names.get(leaf, set())
        if names & read and not names & reached:
            return f"no gradient comes to `{min(names & read)}`"
    names = before.leaf_names(before.leaves)
    renamed = seen.found.names.get("how") == "unread_layer"
    plain = any(call.plain for call in seen.after.backwards) and not renamed
    if plain and names and not names & reached and seen.found.kind in LED_TO_LEAVES:
        return f"no gradient comes to `{min(names)}`"
    return None


def stepped_leaves_keep_theirs(seen: Comparison) -> str | None:
    """A leaf that gets gradients and is stepped by them, or is a parameter of a module, still gets them."""
    wrong = seen.found.cause in ("lost_unread", "overwritten") or seen.found.names.get("how") == "parameter"
    if wrong or (seen.found.kind not in LED_TO_LEAVES and seen.found.cause not in BESIDE_THE_GRAPH):
        return None  # where one gets none that is trained, the gradient may have gone to the wrong side
    before, reached = seen.before, seen.after.reached()
    stepped = before.stepped | ({leaf for _, leaf, _ in before.leaf_writes} if before.steps else set())
    for leaf in sorted(before.gradients.keys() & before.leaves):
        names = before.names.get(leaf, set())
        trained = leaf in stepped or any("." in name for name in names)
        if trained and names and not names & reached and any(value is not None for value in before.gradients[leaf]):
            return f"no gradient comes to `{min(names)}` any more"
    return None


LED_TO_LEAVES = ("second_backward", "saved_modified", "no_graph")
"""Where leaves are at hand that wanted a gradient, a new leaf in the way of it is no fix."""

BESIDE_THE_GRAPH = ("copy_result",)
"""Causes of errors in what is done with results, beside the training: that was right and stays as it is."""


def gradients_read(source: str) -> set[str]:
    """The names whose `.grad` the text reads."""
    return {
        ast.unparse(node.value)
        for node in ast.walk(tree_of(source))
        if isinstance(node, ast.Attribute) and node.attr == "grad" and isinstance(node.ctx, ast.Load)
    }


def no_leaf_is_withheld(seen: Comparison) -> str | None:
    """No function hands None to a leaf that wants a gradient and gets none elsewhere."""
    reached = seen.after.reached()
    earlier = seen.before.leaf_names(seen.before.withheld)
    for leaf in sorted(seen.after.withheld):
        names = seen.after.names.get(leaf, set())
        if leaf not in seen.after.gradients and not names & (reached | earlier):
            return (
                f"None comes to `{min(names)}`, and no gradient" if names else "None comes to a leaf, and no gradient"
            )
    return None


def no_gradient_is_zero(seen: Comparison) -> str | None:
    """A gradient is not all zero where it was not."""
    if seen.before.trace.outcome.kind != "raised" or seen.found.kind not in AUTOGRAD:
        return None
    came = {tensor: [value for value in values if value is not None] for tensor, values in seen.after.gradients.items()}
    zero = {tensor for tensor, values in came.items() if values and all(map(all_zero, values))}
    gone = alive(seen.before) & seen.after.leaf_names(zero) - alive(seen.after)
    return f"the gradient of `{min(gone)}` is zero" if gone else None


def gradients_keep_coming(seen: Comparison) -> str | None:
    """What had a gradient until the error does not get none, or zeros, in every call from then on."""
    if seen.before.trace.outcome.kind != "raised" or seen.found.kind not in (*AUTOGRAD, "unused"):
        return None
    old, new = came_to(seen.before), came_to(seen.after)
    known = sorted(old.keys() & new.keys() & alive(seen.before))
    later = {name: new[name][len(old[name]) :] for name in known}
    most = max(map(len, later.values()), default=0) if seen.found.kind == "unused" else 0
    for name in known:
        zero = all(value is None or all_zero(value) for value in later[name])
        if zero and max(len(later[name]), most) > 1:
            return f"from then on the gradient of `{name}` is zero"
    return None


def came_to(seen: Observation) -> dict[str, list[Value | None]]:
    """All that came to leaves, None too, by their names."""
    found: dict[str, list[Value | None]] = {}
    for leaf in sorted(seen.gradients.keys() & seen.leaves):
        found |= dict.fromkeys(seen.names.get(leaf, set()) - found.keys(), seen.gradients[leaf])
    return found


def alive(seen: Observation) -> set[str]:
    """The names of what a gradient came to that was not all zero."""
    return seen.leaf_names(
        tensor
        for tensor, came in seen.gradients.items()
        if any(value is not None and finite(value) and not all_zero(value) for value in came)
    )


def gradients_are_fresh(seen: Comparison) -> str | None:
    """No optimizer steps twice with one gradient."""
    if sum(seen.after.stale_steps.values()) > 0 and not seen.before.stale_steps:
        leaf = min(seen.after.stale_steps)
        names = seen.after.names.get(leaf)
        return f"{f'`{min(names)}`' if names else 'a leaf'} is stepped again with an old gradient"
    return None


def gradients_are_own(seen: Comparison) -> str | None:
    """Where old gradients went into a step, none does any more that came before another step was taken."""
    if seen.found.cause != "piled" or not seen.after.mixed_steps:
        return None
    names = seen.after.names.get(min(seen.after.mixed_steps))
    return f"{f'`{min(names)}`' if names else 'a leaf'} is still stepped with a gradient from before another step"


def frozen_stay_frozen(seen: Comparison) -> str | None:
    """What is frozen while one backward runs, as that of a sampler, gets no gradient from there afterwards."""
    before, after = seen.before, seen.after
    if seen.found.names.get("how") != "flag" or before.trace.outcome.kind != "raised":
        return None
    for line in sorted({call.line for call in before.backwards if call.finished and call.reached}):
        lines = counterparts(before.trace.source, after.trace.source, line)
        old = before.leaf_names(set().union(*(call.reached for call in before.backwards if call.line == line)))
        new = after.leaf_names(set().union(*(call.reached for call in after.backwards if call.line in lines)))
        fresh = sorted(name for name in new - old if "." in name and not before.requires_grad.get(name, True))
        if fresh and old & new:
            return f"the backward of line {line} computes a gradient for `{fresh[0]}`, which is frozen there"
    return None


def steps_step(seen: Comparison) -> str | None:
    """No optimizer is left without any gradient; where that was the trouble, none is any more."""
    most = 0 if seen.found.cause == "in_vain" else seen.before.vain_steps
    return "an optimizer has no gradient to step with" if seen.after.vain_steps > most else None


def graphs_are_fresh(seen: Comparison) -> str | None:
    """No graph goes backward again once the leaves that it leads to have been stepped."""
    return (
        "a graph from before the step goes backward again"
        if runs_outdated(seen.after) > runs_outdated(seen.before)
        else None
    )


def runs_outdated(seen: Observation) -> bool:
    """Whether nodes ran that had run before a write into a leaf to which they lead, or that lead only to leaves which
    nothing steps, while others are stepped by the same calls: in those the gradients only add up."""
    ran: dict[int, int] = {}
    stepped = {leaf for _, leaf, _ in seen.leaf_writes}
    for call in seen.backwards:
        if call.failed:
            continue
        again: dict[int, list[int]] = {}
        for node in call.nodes & ran.keys():
            again.setdefault(ran[node], []).append(node)
        for earlier, nodes in again.items():
            written = {leaf for at, leaf, _ in seen.leaf_writes if earlier < at < call.at}
            constant = call.nodes - ran.keys() and not seen.led_to(nodes) & stepped
            if written and (constant or written & seen.led_to(nodes)):
                return True
        ran.update(dict.fromkeys(call.nodes, call.at))
    return False


def closures_reach_the_same(seen: Comparison) -> str | None:
    """What an optimizer calls several times within one step brings each time a gradient to all that it first did."""
    lost = seen.after.leaf_names(leaves_missed(seen.after)) - seen.before.leaf_names(leaves_missed(seen.before))
    return f"in later calls of the closure no gradient comes to `{min(lost)}`" if lost else None


def leaves_missed(seen: Observation) -> set[int]:
    """Leaves to which the first backward of a closure in a step brings a gradient, and a later one does not."""
    first: dict[tuple[int, int], set[int]] = {}
    calls = [(call.step, call) for call in seen.backwards if call.finished]
    return {
        leaf
        for step, call in calls
        if step is not None
        for leaf in first.setdefault((step, call.line), call.reached) - call.reached
    }


def the_loss_moves(seen: Comparison) -> str | None:
    """The same loss is not repeated for ever while steps are made."""
    if at_rest(seen.before) or is_stuck(seen.before):
        return None
    return "the same loss comes back in every turn" if is_stuck(seen.after) else None


STILL = 3


def at_rest(seen: Observation) -> bool:
    """Whether the first loss was zero: there is nothing to learn."""
    return bool(seen.backwards) and [root.data for root in seen.backwards[0].roots] == [0.0]


def is_stuck(seen: Observation) -> bool:
    """Whether one loss comes back on one line, again and again, although leaves are stepped in between."""
    by_line: dict[int, list[tuple[int, float]]] = {}
    for call in seen.backwards:
        if len(call.roots) == 1 and isinstance(call.roots[0].data, float):
            by_line.setdefault(call.line, []).append((call.at, call.roots[0].data))
    steps = sorted({*seen.steps, *(at for at, _, _ in seen.leaf_writes)})
    return any(
        len(calls) >= STILL
        and all(one == other != 0 for (_, one), (_, other) in pairwise(calls))
        and all(bisect(steps, here) < bisect(steps, there) for (here, _), (there, _) in pairwise(calls))
        for calls in by_line.values()
    )


def the_call_is_made(seen: Comparison) -> str | None:
    """The call that failed is made, and not left out."""
    line = seen.found.lines.get("raised")
    lines = seen.before.trace.source.split("\n")
    text = lines[line - 1].strip() if line and line <= len(lines) else ""
    if ".backward(" not in text or seen.found.kind not in AUTOGRAD:
        return None
    after = seen.after.trace.source.split("\n")
    there = {number for number, other in enumerate(after, 1) if other.strip() == text}
    if there and not any(call.line in there and not call.failed for call in seen.after.backwards):
        return f"the backward of line {line} is left out"
    return None


def the_line_runs(seen: Comparison) -> str | None:
    """What failed for want of a gradient is done, at least once, and not left out each time."""
    line, after = seen.before.trace.outcome.line, seen.after.trace
    lines = seen.before.trace.source.split("\n")
    if seen.found.kind not in (*AUTOGRAD, "unused") or not line or line > len(lines) or turns_left_out(after):
        return None
    text = lines[line - 1].strip()
    there = {number for number, other in enumerate(after.source.split("\n"), 1) if other.strip() == text}
    reached = {event.line for event in after.events if isinstance(event, e.LineReached)}
    if there and not there & reached and after.outcome.kind == "finished":
        return f"line {line} is left out"
    return None


def the_forward_stays(seen: Comparison) -> str | None:
    """What went backward first before an error is still computed."""
    if not failed_late(seen) or not seen.before.backwards:
        return None
    roots = [call.roots[0] for call in seen.before.backwards if len(call.roots) == 1]
    later = [root for call in seen.after.backwards if not call.failed for root in call.roots]
    if not roots or any(alike(roots[0], root) for root in later):
        return None
    both = [root.data for root in roots[:2] if isinstance(root.data, float)]
    if any(root.shape == roots[0].shape and close(root.data, sum(both)) for root in later):
        return None  # two losses went backward as one
    return "the forward computes another number"


def failed_late(seen: Comparison) -> bool:
    """Whether an error of autograd came when forward was done, and done right, and the beginning can be compared."""
    if not (seen.before.begins and seen.after.begins):
        return False
    late = seen.found.kind in ("second_backward", "saved_modified") or seen.found.cause in BESIDE_THE_GRAPH
    return seen.before.trace.outcome.kind == "raised" and late


def first_steps_stay(seen: Comparison) -> str | None:
    """What was stepped before the error is stepped as before: its gradient was right."""
    if not failed_late(seen) or of_ratio(seen.before.trace.code, seen.found):
        return None
    old, new = first_steps(seen.before), first_steps(seen.after)
    for name in sorted(old.keys() & new.keys() & alive(seen.before)):
        if not alike(old[name], new[name]):
            return f"the first step of `{name}`, which was right, goes elsewhere"
    return None


def first_steps(seen: Observation) -> dict[str, Value]:
    """What named leaves hold after their first write behind a backward."""
    started = seen.backwards[0].at if seen.backwards else 0
    found: dict[str, Value] = {}
    for at, leaf, value in seen.leaf_writes:
        for name in seen.names.get(leaf, ()) if at > started else ():
            found.setdefault(name, value)
    return found


def estimators_have_their_value(seen: Comparison) -> str | None:
    """A straight-through estimator that an edit puts in has the value of what was picked, not of what it stands for."""
    old = set(seen.before.trace.source.split("\n"))
    new = seen.after.trace.source.split("\n")
    for node in ast.walk(tree_of(seen.after.trace.code)):
        if not is_straight_through(node):
            continue
        lines = {*range(node.lineno, (node.end_lineno or node.lineno) + 1)} & seen.after.cut_off.keys()
        fresh = all(line <= len(new) and new[line - 1] not in old for line in lines)
        if lines and fresh and max(seen.after.cut_off[line] for line in lines) < NOTHING:
            value, passes = parts_of(node)
            return f"`{value}` has the value of `{passes}` already, and what was picked counts no more"
    return None


NOTHING = 1e-5
"""What is left of a difference by rounding alone."""


def operations_stay(seen: Comparison) -> str | None:
    """What each turn computed it still computes, where the trouble is not in what is computed."""
    turns = len(seen.before.backwards)
    if seen.found.cause not in SAME_OPERATIONS or turns < 2:
        return None
    for name, times in sorted(seen.before.node_names.items()):
        left, calls = seen.after.node_names[name], len(seen.after.backwards)
        if name not in seen.before.ran:  # an update of weights, which may as well go unrecorded
            left = max(left, seen.after.made_by[seen.before.node_ops[name]])
        if times >= turns and left < calls:
            return f"{name.removesuffix('0').removesuffix('Backward')} is no longer computed in each turn"
    return None


SAME_OPERATIONS = ("made_anew", "lost_unread", "untouched", "unregistered", "lost")


def printed_numbers_stay(seen: Comparison) -> str | None:
    """What was printed before an error of autograd is printed as before."""
    if seen.before.trace.outcome.kind != "raised" or seen.found.kind not in AUTOGRAD:
        return None
    old, new = numbers(seen.before.output), numbers(seen.after.output)
    if len(new) < len(old) or not all(map(close, new, old)):
        return "numbers that were printed before the error are others now"
    return None


def the_parameter_learns(seen: Comparison) -> str | None:
    """The parameter that is said to get no gradient gets one."""
    name = seen.found.names.get("parameter")
    known = name is not None and any(name in names for names in seen.after.names.values())
    return f"no gradient comes to `{name}`" if known and name not in seen.after.reached() else None


def formulas_agree(seen: Comparison) -> str | None:
    """What backward returns is what autograd computes for the same forward, but for a factor that is meant."""
    own, other = (first_gradients(one) if one is not None else {} for one in (seen.after, seen.reference))
    for name in sorted(own.keys() & other.keys()):
        if not all_zero(other[name]) and not proportional(own[name], other[name]):
            return f"the gradient of `{name}` is not the derivative of what forward computes"
    return None


def a_hook_changes_nothing(seen: Comparison) -> str | None:
    """Where a hook only watches, each gradient is what it is without the hook."""
    if seen.found.cause != "hook_shape" or seen.reference is None:
        return None
    own, other = came_to(seen.after), came_to(seen.reference)
    for name in sorted(own.keys() & other.keys()):
        pairs = zip(own[name], other[name], strict=False)
        if not all(one is None or two is None or alike(one, two) for one, two in pairs):
            return f"the hook, which only watches, changes the gradient of `{name}`"
    return None


def first_gradients(seen: Observation) -> dict[str, Value]:
    """The first gradient that came to each leaf, by its names."""
    firsts = {name: next((value for value in came if value is not None), None) for name, came in came_to(seen).items()}
    return {name: value for name, value in firsts.items() if value is not None}


def proportional(one: Value, other: Value) -> bool:
    """Whether two values are the same but for a factor, and rounding."""
    if one.shape != other.shape:
        return False
    pairs = [pair for pair in zip(flat(one.data), flat(other.data), strict=False) if None not in pair]
    largest = max((pair for pair in pairs), key=lambda pair: abs(pair[1]), default=(0.0, 0.0))
    factor = largest[0] / largest[1] if largest[1] else 1.0
    room = 1e-3 * abs(largest[0])
    return factor != 0 and all(abs(a - factor * b) <= room for a, b in pairs)


RULES: dict[str, Rule] = {
    "a gradient arrives": a_gradient_arrives,
    "the call is made": the_call_is_made,
    "the line runs": the_line_runs,
    "as many gradients arrive": as_many_arrive,
    "no gradient is None": no_gradient_is_none,
    "no result is None": no_result_is_none,
    "each grad gives as before": each_grad_gives_as_before,
    "leaves keep their gradients": leaves_keep_theirs,
    "stepped leaves keep theirs": stepped_leaves_keep_theirs,
    "no leaf is withheld its gradient": no_leaf_is_withheld,
    "no gradient is zero": no_gradient_is_zero,
    "gradients keep coming": gradients_keep_coming,
    "gradients are fresh": gradients_are_fresh,
    "gradients are own": gradients_are_own,
    "frozen stay frozen": frozen_stay_frozen,
    "steps step": steps_step,
    "graphs are fresh": graphs_are_fresh,
    "closures reach the same": closures_reach_the_same,
    "the loss moves": the_loss_moves,
    "the forward stays": the_forward_stays,
    "first steps stay": first_steps_stay,
    "estimators have their value": estimators_have_their_value,
    "operations stay": operations_stay,
    "printed numbers stay": printed_numbers_stay,
    "the parameter learns": the_parameter_learns,
    "formulas agree": formulas_agree,
    "a hook that watches changes nothing": a_hook_changes_nothing,
}
