"""itertools, in Python."""


def accumulate(iterable, func=None, *, initial=None):
    started = initial is not None
    total = initial
    if started:
        yield total
    for item in iterable:
        if not started:
            total, started = item, True
        else:
            total = total + item if func is None else func(total, item)
        yield total


def takewhile(predicate, iterable):
    for item in iterable:
        if not predicate(item):
            return
        yield item


def dropwhile(predicate, iterable):
    dropping = True
    for item in iterable:
        if dropping and predicate(item):
            continue
        dropping = False
        yield item


def filterfalse(predicate, iterable):
    for item in iterable:
        if not (item if predicate is None else predicate(item)):
            yield item


def starmap(function, iterable):
    for args in iterable:
        yield function(*args)


def groupby(iterable, key=None):
    group, current, started = [], None, False
    for item in iterable:
        mark = item if key is None else key(item)
        if started and mark != current:
            yield current, iter(group)
            group = []
        current, started = mark, True
        group.append(item)
    if started:
        yield current, iter(group)
