"""sklearn.utils, in Python: streams of random numbers, arrays shuffled alike."""

import numpy as _np
from _disk import refuse as _refuse


def _without(call, **given):
    """What scikit-learn takes and is not here is refused, unless it is given as it is anyway: (value, usual value)."""
    for name, (value, usual) in given.items():
        if value is not usual and value != usual:
            _refuse(f"`{call}({name}={value!r})` is not supported here: leave it out.")


def check_random_state(seed):
    if seed is None or seed is _np.random:
        return _np.random
    if isinstance(seed, _np.random.RandomState):
        return seed
    if isinstance(seed, (int, _np.integer)):
        return _np.random.RandomState(seed)
    raise ValueError(f"{seed!r} cannot be used to seed a numpy.random.RandomState instance")


def _length(array):
    return array.shape[0] if hasattr(array, "shape") else len(array)


def check_consistent_length(*arrays):
    lengths = [int(_length(array)) for array in arrays if array is not None]
    if len(set(lengths)) > 1:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths!r}")


def _chosen(array, places):
    """What stands at `places` of an array, a tensor or a list."""
    return array[places] if hasattr(array, "shape") else [array[place] for place in places]


def shuffle(*arrays, random_state=None, n_samples=None):
    check_consistent_length(*arrays)
    generator = check_random_state(random_state)
    places = _np.arange(_length(arrays[0]))
    generator.shuffle(places)
    places = places[: len(places) if n_samples is None else n_samples]
    found = [_chosen(array, places) for array in arrays]
    return found[0] if len(found) == 1 else found


def _without_replacement(population, count, generator):
    """`count` different numbers below `population`, by the way that is the quickest for such a share of them."""
    share = count / population
    if 0.01 < share < 0.99:
        return generator.permutation(population)[:count]
    if share < 0.2:
        return _np.array(_tracked(population, count, generator))
    return _np.array(_from_reservoir(population, count, generator))


def _tracked(population, count, generator):
    chosen = []
    for _ in range(count):
        number = generator.randint(population)
        while number in chosen:
            number = generator.randint(population)
        chosen.append(number)
    return chosen


def _from_reservoir(population, count, generator):
    chosen = list(range(count))
    for number in range(count, population):
        place = generator.randint(0, number + 1)
        if place < count:
            chosen[place] = number
    return chosen
