"""contextlib, in Python."""

import sys as _sys
from functools import wraps as _wraps


class AbstractContextManager:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return None


class ContextDecorator:
    def __call__(self, function):
        @_wraps(function)
        def inside(*args, **kwargs):
            with self._again():
                return function(*args, **kwargs)

        return inside

    def _again(self):
        return self


class _GeneratorContextManager(ContextDecorator):
    def __init__(self, func, args, kwds):
        self.gen = func(*args, **kwds)
        self.func, self.args, self.kwds = func, args, kwds

    def _again(self):
        return _GeneratorContextManager(self.func, self.args, self.kwds)

    def __enter__(self):
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, kind, error, trace):
        if kind is None:
            try:
                next(self.gen)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            self.gen.throw(error)
        except StopIteration as stop:
            return stop is not error
        except RuntimeError as raised:
            if raised is error:
                return False
            if isinstance(error, StopIteration) and raised.__cause__ is error:
                return False
            raise
        except BaseException as raised:
            if raised is not error:
                raise
            return False
        raise RuntimeError("generator didn't stop after throw()")


def contextmanager(func):
    @_wraps(func)
    def helper(*args, **kwds):
        return _GeneratorContextManager(func, args, kwds)

    return helper


class suppress:
    def __init__(self, *exceptions):
        self._exceptions = exceptions

    def __enter__(self):
        return None

    def __exit__(self, kind, error, trace):
        return kind is not None and issubclass(kind, self._exceptions)


class nullcontext:
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, *error):
        return None


class redirect_stdout:
    def __init__(self, new_target):
        self._new_target, self._old_targets = new_target, []

    def __enter__(self):
        self._old_targets.append(_sys.stdout)
        _sys.stdout = self._new_target
        return self._new_target

    def __exit__(self, *error):
        _sys.stdout = self._old_targets.pop()


class redirect_stderr(redirect_stdout):
    def __enter__(self):
        self._old_targets.append(_sys.stderr)
        _sys.stderr = self._new_target
        return self._new_target

    def __exit__(self, *error):
        _sys.stderr = self._old_targets.pop()


class closing:
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *error):
        self.thing.close()


class ExitStack:
    def __init__(self):
        self._callbacks = []

    def enter_context(self, cm):
        value = cm.__enter__()
        self._callbacks.append(cm.__exit__)
        return value

    def push(self, exit):
        self._callbacks.append(exit.__exit__ if hasattr(exit, "__exit__") else exit)
        return exit

    def callback(self, callback, /, *args, **kwds):
        def run(kind, error, trace):
            callback(*args, **kwds)

        self._callbacks.append(run)
        return callback

    def pop_all(self):
        other = ExitStack()
        other._callbacks, self._callbacks = self._callbacks, []
        return other

    def close(self):
        self.__exit__(None, None, None)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        handled, pending = False, error
        while self._callbacks:
            leave = self._callbacks.pop()
            try:
                if leave(None if pending is None else type(pending), pending, None):
                    handled, pending = True, None
            except BaseException as raised:
                handled, pending = False, raised
        if pending is not None and pending is not error:
            raise pending
        return handled and kind is not None
