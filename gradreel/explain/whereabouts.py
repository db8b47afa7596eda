"""Where the program is: in which calls and which iterations of loops, in the order in which they came about."""

from __future__ import annotations

from gradreel.trace import events as e

from .states import Frame, Place, Turn


class Whereabouts:
    """Follows calls and loops from one line to the next."""

    def __init__(self) -> None:
        self._scopes: list[tuple[int, str, int]] = []
        self._callers: list[Place] = []
        self._runs_of: dict[int, int] = {}

    def reach(self, event: e.LineReached, before: Place, count: int) -> Place:
        """The place of the line that event number `count` says was reached, `before` being the last one."""
        return Place(event.line, event.end_line, self._around(event, before), count)

    def _around(self, event: e.LineReached, before: Place) -> tuple[Turn | Frame, ...]:
        """Calls and iterations in one line, outermost first, as they came about: each loop in the call it began in."""
        frames = list(event.frames)
        loops = list(event.loops)
        around: list[Turn | Frame] = []
        for part in before.around:
            if isinstance(part, Frame) and frames and frames[0] == (part.function, part.line):
                around.append(part)
                frames.pop(0)
            elif isinstance(part, Turn) and loops and loops[0][0] == part.line:
                line, number, of = loops.pop(0)
                around.append(Turn(line, number, of, self._run(line) if number < part.number else part.run))
            else:
                break
        scopes = {(function, line): scope for scope, function, line in self._scopes}
        around.extend(Frame(function, line, scopes.get((function, line), 0)) for function, line in frames)
        around.extend(Turn(line, number, of, self._run(line)) for line, number, of in loops)
        return tuple(around)

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
        self._callers.append(caller)

    def leave(self, event: e.FunctionLeft, here: Place) -> Place:
        """Back on the line that called; `here` where no call is known."""
        self._scopes = [scope for scope in self._scopes if scope[0] != event.scope]
        return self._callers.pop() if self._callers else here
