"""beartype, in Python: functions as they are, for nothing is checked here."""


def beartype(obj=None, *, conf=None):
    return (lambda obj: obj) if obj is None else obj
