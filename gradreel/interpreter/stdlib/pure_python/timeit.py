"""timeit, in Python: what is timed is called; code in a string would have to be compiled, which is not offered."""

import time as _time

from _disk import refuse as _refuse

default_timer = _time.perf_counter
default_number, default_repeat = 1000000, 5


def _nothing():
    return None


def _called(code, name):
    if isinstance(code, str):
        if code.strip() not in ("", "pass"):
            _refuse("Code in strings cannot be timed here. A function can: `timeit.timeit(lambda: ..., number=100)`.")
        return _nothing
    if not callable(code):
        raise ValueError(f"{name} is neither a string nor callable")
    return code


class Timer:
    def __init__(self, stmt="pass", setup="pass", timer=default_timer, globals=None):
        self.timer, self._stmt, self._setup = timer, _called(stmt, "stmt"), _called(setup, "setup")

    def timeit(self, number=default_number):
        self._setup()
        start = self.timer()
        for _ in range(number):
            self._stmt()
        return self.timer() - start

    def repeat(self, repeat=default_repeat, number=default_number):
        return [self.timeit(number) for _ in range(repeat)]

    def autorange(self, callback=None):
        tried = 1
        while True:
            for number in (tried, 2 * tried, 5 * tried):
                taken = self.timeit(number)
                if callback:
                    callback(number, taken)
                if taken >= 0.2:
                    return number, taken
            tried *= 10


def timeit(stmt="pass", setup="pass", timer=default_timer, number=default_number, globals=None):
    return Timer(stmt, setup, timer, globals).timeit(number)


def repeat(stmt="pass", setup="pass", timer=default_timer, repeat=default_repeat, number=default_number, globals=None):
    return Timer(stmt, setup, timer, globals).repeat(repeat, number)
