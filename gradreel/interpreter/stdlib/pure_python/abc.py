"""abc, in Python."""


class ABCMeta:
    pass


class ABC:
    pass


def abstractmethod(function):
    function.__isabstractmethod__ = True
    return function
