"""What a function demands of the call, and did not get: a closure, an order, numbers in a range. A table."""

from __future__ import annotations

import re
from dataclasses import replace

from ..checkpoints import find_change
from ..diagnostics.diagnosis import Diagnosis, Failure
from ..diagnostics.message_rules import MessageRule, match_rules, message_rules
from ..diagnostics.registry import rule
from ..narration.words import code, on
from ..replay.world import World

message_rules(
    "closure_missing",
    MessageRule(
        re.compile(r"(?P<what>\w+)\.step\(\) missing 1 required positional argument: 'closure'"),
        cause="no_closure",
        title="This optimizer needs a closure",
        story=(
            "{code} {line}{turn} asks `{what}` for a step, and does not say how the loss is computed.",
            "`{what}` tries several points within one step, with the loss and its gradients at each; for that it calls "
            "a function, the closure.",
            "A closure resets the gradients, computes the loss, calls `backward()` and returns the loss.",
        ),
    ),
)

message_rules(
    "transform_refused",
    MessageRule(
        re.compile(r"\bin strict mode"),
        cause="strict",
        title="In strict mode nothing may be independent",
        story=(
            "{code} {line}{turn} says `strict=True`, and between an output of the function and one of its inputs there "
            "is no way for a gradient.",
            "It may be meant, or come of a `detach()` or an input that is not used; that is why strict mode raises.",
            "Without it such a derivative is a tensor of zeros.",
        ),
        on_line=re.compile(r"\bstrict\b"),
    ),
    MessageRule(
        re.compile(r"vmap: called random operation while in randomness error mode"),
        cause="vmap_random",
        title="Random numbers under vmap",
        story=(
            "{code} {line}{turn} draws random numbers in a function that `vmap` runs for all examples at once.",
            "It cannot know whether each example is to have numbers of its own or all of them the same; "
            '`randomness="different"` or `"same"` says so.',
        ),
    ),
    MessageRule(
        re.compile(r"vmap: It looks like you're .*calling \.item\(\)"),
        cause="vmap_item",
        title="Under vmap there is no single number",
        story=(
            "{code} {line}{turn} takes a number out of a tensor, in what `vmap` runs for all examples at once.",
            "The tensor stands for one number of each example; it can be computed with, but none can be taken out.",
            "What is to be seen of each example is returned beside the result, and read when `vmap` is done.",
        ),
        on_line=re.compile(r"^(?!(?:if|elif|while|assert)\b).*(?:\.item\(\)|\.tolist\(\)|\bfloat\(|\bint\()"),
    ),
    MessageRule(
        re.compile(r"vmap: It looks like you're .*attempting to use a Tensor in some data-dependent control flow"),
        cause="vmap_choice",
        title="Under vmap nothing can be decided",
        story=(
            "{code} {line}{turn} asks a tensor for yes or no, in what `vmap` runs for all examples at once.",
            "One example may say yes and the next no, and there is one run for all of them: it cannot go both ways.",
            "`torch.where` computes both ways and takes for each example the one that it asks for.",
        ),
    ),
    MessageRule(
        re.compile(r"vmap: It looks like you're calling \.item\(\)"),
        cause="vmap_item",
        title="Under vmap there is no single number",
        story=(
            "{code} {line}{turn} takes a number out of a tensor, in what `vmap` runs for all examples at once.",
            "The tensor stands for one number of each example; it can be computed with, but none can be taken out.",
            "What is to be seen of each example is returned beside the result, and read when `vmap` is done.",
        ),
    ),
    MessageRule(
        re.compile(r"vmap: (?P<what>.+?)\(self, \*extra_args\) is not possible because there exists a Tensor `other`"),
        cause="vmap_write",
        title="Under vmap there is one row, and many values for it",
        story=(
            "{code} {line}{turn} writes values of each example into a tensor that there is once for all of them.",
            "`vmap` runs the function for all examples at once; what it makes of plain sizes, as `torch.zeros(3)`, "
            "does not know of them.",
            "`torch.zeros_like(x)` and `x.new_zeros(3)` make one for each example, if `x` is of each example.",
        ),
    ),
    MessageRule(
        re.compile(r"vmap: We do not support batching operators that can support dynamic shape.*boolean mask"),
        cause="vmap_mask",
        title="Under vmap all results are of one size",
        story=(
            "{code} {line}{turn} picks by a mask, in what `vmap` runs for all examples at once.",
            "How many it picks would differ from example to example, and a tensor has rows of one length.",
            "`torch.where` keeps the size, with something harmless, as 0, in the place of what is not picked.",
        ),
    ),
    MessageRule(
        re.compile(r"The Tensor returned by the function given to (?P<what>\w+) should contain a single element"),
        cause="not_of_one",
        title="This derivative is of one number",
        story=(
            "{code} {line}{turn} asks `{what}` for derivatives of a function that returns several numbers.",
            "A second derivative is taken of one number: return a sum or a mean, or take the function of one entry.",
        ),
    ),
)

message_rules(
    "lengths_unsorted",
    MessageRule(
        re.compile(r"`lengths` array must be sorted in decreasing order"),
        cause="unsorted",
        title="The longest sequence comes first",
        story=(
            "{code} {line}{turn} packs sequences that do not stand in the order of their lengths.",
            "Packed, those that end first have to stand last. With `enforce_sorted=False` PyTorch sorts them, and puts "
            "what comes of them back in your order.",
        ),
    ),
)

message_rules(
    "hooked_written",
    MessageRule(
        re.compile(r"BackwardHookFunction is a view"),
        cause="hooked_view",
        title="A write beside a hook",
        story=(
            "{code} {line}{turn} writes in place over what a module with a full backward hook was given, or gave out.",
            "Such a hook puts a node before its module and one behind it, and what those hand on are views that nobody "
            "may write over.",
            "A new tensor in place of the write is right; a hook on the tensor, `out.register_hook`, needs no such "
            "nodes.",
        ),
        kind="view_inplace",
    ),
)

message_rules(
    "loss_not_made",
    MessageRule(
        re.compile(r"Boolean value of Tensor with more than one value is ambiguous"),
        cause="loss_at_once",
        title="A loss is made first, and called then",
        story=(
            "{code} {line}{turn} gives scores and targets to the class of the loss, which takes settings: it asks "
            "whether they are true or false.",
            "`nn.MSELoss()` makes a function of it, and that takes scores and targets.",
        ),
        on_line=re.compile(r"\b\w+Loss\((?!\)|\w+\s*=)"),
    ),
)

message_rules(
    "batch_too_small",
    MessageRule(
        re.compile(r"Expected more than 1 value per channel when training"),
        cause="batch_of_one",
        title="A batch of one has no spread",
        story=(
            "{code} {line}{turn} normalizes a batch in which each channel has one value.",
            "In training BatchNorm subtracts the mean of the batch and divides by its spread, and a single value has "
            "none.",
            "After `eval()` it uses the mean and spread that it has learnt.",
        ),
        kind="shape",
    ),
)


SECOND_RUN = (
    MessageRule(
        re.compile(r"^Unexpected keyword arguments: (?P<got>[\w, ]+)$"),
        cause="reentrant_words",
        title="The old checkpoint takes no names",
        story=(
            "{code} {line}{turn} gives the checkpoint arguments by name, and it is of the reentrant kind.",
            "That kind hands on arguments by their places alone; `use_reentrant=False` takes names, too.",
        ),
        on_line=re.compile(r"\bcheckpoint\("),
    ),
    MessageRule(
        re.compile(
            r"torch\.utils\.checkpoint: (?:A different number of tensors was saved|Recomputed values for the following)"
        ),
        cause="recomputed",
        title="The second run computes something else",
        story=(
            "{code} {line}{turn} goes back through a checkpoint, which saves nothing and runs its function again.",
            "That run made other tensors than the first. The function depends on something that has changed since, as "
            "a counter, a switch, or a list that it fills.",
            "What runs in a checkpoint must depend on its arguments alone.",
        ),
    ),
)


@rule
def checkpoint_refused(world: World, failure: Failure) -> Diagnosis | None:
    """One of SECOND_RUN, with what makes the second run another, if that is found."""
    found = match_rules(SECOND_RUN, world, failure)
    change = find_change(world.source.tree) if found is not None and found.cause == "recomputed" else None
    if found is None or change is None:
        return found
    line, choice = change.write.lineno, change.choice.lineno
    what = code(world.source.text(line))
    story = (*found.story[:1], CHANGES[change.kind].format(what=what, line=on(line), choice=on(choice)), found.story[2])
    return replace(found, story=story, lines={**found.lines, "changed": line, "saved": choice})


CHANGES = {
    "count": "{what} {line} counts in both runs, and {choice} the count decides what is computed. That run made other "
    "tensors than the first.",
    "kept": "{what} {line} keeps what the first run computed; {choice} the second run finds it there, and computes and "
    "saves less.",
    "filled": "{what} {line} fills in both runs what {choice} decides what is computed. That run made other tensors "
    "than the first.",
    "drawn": "{what} {line} draws from random numbers that are not torch's, which no checkpoint sets back. So "
    "the second run chose otherwise than the first {choice}.",
}
