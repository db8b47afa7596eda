"""Where the program is: in which calls and which iterations of loops, in the order in which they came about."""

from __future__ import annotations

from gradreel.trace import events as e

from .states import Frame, Place, Turn

Frames = tuple[tuple[str, int], ...]
Loops = tuple[tuple[int, int, int | None], ...]
Around = tuple[Turn | Frame, ...]


class Whereabouts:
    """Follows calls and loops from one line to the next."""

    def __init__(self) -> None:
        self._scopes: list[tuple[int, str, int]] = []
        self._callers: list[tuple[Place, Frames, Loops]] = []
        self._runs_of: dict[int, int] = {}
        self.frames: Frames = ()
        self.loops: Loops = ()
        """What was told of the line reached last: nearly always the same holds of the next."""

    def reach(self, event: e.LineReached, before: Place, count: int) -> Place:
        """The place of the line that event number `count` says was reached, `before` being the last one."""
        if event.frames == self.frames and event.loops == self.loops:
            return Place(event.line, event.end_line, before.around, count)
        around = self._next(event, before.around) or self._around(event, before.around)
        self.frames, self.loops = event.frames, event.loops
        return Place(event.line, event.end_line, around, count)

    def _next(self, event: e.LineReached, before: Around) -> Around:
        """What `_around` gives where the innermost loop took a turn, or a call or a loop began; nothing otherwise."""
        frames, loops = event.frames, event.loops
        if loops == self.loops and frames[:-1] == self.frames:
            return *before, Frame(*frames[-1], self._scope_of(*frames[-1]))
        if frames != self.frames or not loops:
            return ()
        line, number, of = loops[-1]
        if loops[:-1] == self.loops:
            return *before, Turn(line, number, of, self._run(line))
        last = before[-1] if before else None
        if isinstance(last, Turn) and last.line == line and loops[:-1] == self.loops[:-1]:
            return *before[:-1], self._turn(line, number, of, last)
        return ()

    def _around(self, event: e.LineReached, before: Around) -> Around:
        """Calls and iterations in one line, outermost first, as they came about: each loop in the call it began in."""
        frames, loops = event.frames, event.loops
        frame = loop = 0
        around: list[Turn | Frame] = []
        for part in before:
            if isinstance(part, Turn):
                if loop == len(loops) or loops[loop][0] != part.line:
                    break
                line, number, of = loops[loop]
                loop += 1
                again = number == part.number and of == part.of
                around.append(part if again else self._turn(line, number, of, part))
            elif frame < len(frames) and frames[frame] == (part.function, part.line):
                frame += 1
                around.append(part)
            else:
                break
        for function, line in frames[frame:]:
            around.append(Frame(function, line, self._scope_of(function, line)))
        for line, number, of in loops[loop:]:
            around.append(Turn(line, number, of, self._run(line)))
        return tuple(around)

    def _turn(self, line: int, number: int, of: int | None, before: Turn) -> Turn:
        """A later turn of the same run of a loop; an earlier one is the first of a new run."""
        return Turn(line, number, of, self._run(line) if number < before.number else before.run)

    def _scope_of(self, function: str, line: int) -> int:
        return next((scope for scope, *call in reversed(self._scopes) if call == [function, line]), 0)

    def _run(self, line: int) -> int:
        """The number of a new run of the loop on `line`."""
        self._runs_of[line] = self._runs_of.get(line, 0) + 1
        return self._runs_of[line]

    @property
    def scope(self) -> int:
        """The scope of the innermost call, 0 outside of all."""
        return self._scopes[-1][0] if self._scopes else 0

    def enter(self, event: e.FunctionEntered, caller: Place) -> None:
        self._scopes.append((event.scope, event.function, event.line))
        self._callers.append((caller, self.frames, self.loops))

    def entering(self, here: Place) -> bool:
        """Whether the innermost call has reached no line of its own yet: its parameters are being bound."""
        return bool(self._callers) and self._callers[-1][0] is here

    def leave(self, event: e.FunctionLeft, here: Place) -> Place:
        """Back on the line that called; `here` where no call is known."""
        if self._scopes and self._scopes[-1][0] == event.scope:
            self._scopes.pop()
        else:
            self._scopes = [scope for scope in self._scopes if scope[0] != event.scope]
        if not self._callers:
            return here
        place, self.frames, self.loops = self._callers.pop()
        return place
