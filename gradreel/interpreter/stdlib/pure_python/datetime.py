"""datetime, in Python: moments of the program's own clock, without time zones."""

import time as _time

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October")
_MONTHS += ("November", "December")


def _ordinal(year, month, day):
    """Days since the first day of the year 1, which is 1. Years begin in March here, so that leap days end them."""
    year, month = (year - 1, month + 9) if month <= 2 else (year, month - 3)
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 306


def _from_ordinal(days):
    days += 305
    year = (400 * days + 399) // 146097
    rest = days - (365 * year + year // 4 - year // 100 + year // 400)
    if rest < 0:
        year -= 1
        rest = days - (365 * year + year // 4 - year // 100 + year // 400)
    month = (5 * rest + 2) // 153
    day = rest - (153 * month + 2) // 5 + 1
    return (year + 1, month - 9, day) if month >= 10 else (year, month + 3, day)


class _Ordered:
    """What is compared by its `_key`, with others of its class."""

    def __eq__(self, other):
        return type(self) is type(other) and self._key() == other._key()

    def __lt__(self, other):
        return self._key() < other._key() if type(self) is type(other) else NotImplemented

    def __le__(self, other):
        return self._key() <= other._key() if type(self) is type(other) else NotImplemented

    def __gt__(self, other):
        return self._key() > other._key() if type(self) is type(other) else NotImplemented

    def __ge__(self, other):
        return self._key() >= other._key() if type(self) is type(other) else NotImplemented

    def __hash__(self):
        return hash(self._key())


class timedelta(_Ordered):
    def __init__(self, days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0):
        seconds = days * 86400 + weeks * 604800 + hours * 3600 + minutes * 60 + seconds
        whole = round(seconds * 1000000 + milliseconds * 1000 + microseconds)
        self.days, rest = divmod(whole, 86400000000)
        self.seconds, self.microseconds = divmod(rest, 1000000)

    def _key(self):
        return (self.days * 86400 + self.seconds) * 1000000 + self.microseconds

    def total_seconds(self):
        return self._key() / 1000000

    def __add__(self, other):
        return timedelta(microseconds=self._key() + other._key()) if isinstance(other, timedelta) else NotImplemented

    def __sub__(self, other):
        return timedelta(microseconds=self._key() - other._key()) if isinstance(other, timedelta) else NotImplemented

    def __neg__(self):
        return timedelta(microseconds=-self._key())

    def __abs__(self):
        return timedelta(microseconds=abs(self._key()))

    def __mul__(self, factor):
        return timedelta(microseconds=self._key() * factor) if isinstance(factor, (int, float)) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, timedelta):
            return self._key() / other._key()
        return timedelta(microseconds=self._key() / other) if isinstance(other, (int, float)) else NotImplemented

    def __floordiv__(self, other):
        if isinstance(other, timedelta):
            return self._key() // other._key()
        return timedelta(microseconds=self._key() // other) if isinstance(other, int) else NotImplemented

    def __mod__(self, other):
        return timedelta(microseconds=self._key() % other._key()) if isinstance(other, timedelta) else NotImplemented

    def __divmod__(self, other):
        return (self // other, self % other) if isinstance(other, timedelta) else NotImplemented

    def __bool__(self):
        return self._key() != 0

    def __str__(self):
        minutes, seconds = divmod(self.seconds, 60)
        hours, minutes = divmod(minutes, 60)
        text = f"{hours}:{minutes:02}:{seconds:02}" + (f".{self.microseconds:06}" if self.microseconds else "")
        return f"{self.days} day{'' if abs(self.days) == 1 else 's'}, {text}" if self.days else text

    def __repr__(self):
        parts = [f"{name}={getattr(self, name)}" for name in ("days", "seconds", "microseconds") if getattr(self, name)]
        return f"datetime.timedelta({', '.join(parts) or '0'})"


class _Moment(_Ordered):
    """What dates and times have in common."""

    def __str__(self):
        return self.isoformat()

    def __format__(self, form):
        return self.strftime(form) if form else str(self)

    def toordinal(self):
        return _ordinal(self.year, self.month, self.day)

    def weekday(self):
        return (self.toordinal() + 6) % 7

    def isoweekday(self):
        return self.weekday() + 1

    def strftime(self, form):
        hour = getattr(self, "hour", 0)
        day, month = _DAYS[self.weekday()], _MONTHS[self.month - 1]
        told = {
            "Y": f"{self.year}",
            "y": f"{self.year % 100:02}",
            "m": f"{self.month:02}",
            "d": f"{self.day:02}",
            "H": f"{hour:02}",
            "I": f"{(hour - 1) % 12 + 1:02}",
            "p": "AM" if hour < 12 else "PM",
            "M": f"{getattr(self, 'minute', 0):02}",
            "S": f"{getattr(self, 'second', 0):02}",
            "f": f"{getattr(self, 'microsecond', 0):06}",
            "A": day,
            "a": day[:3],
            "B": month,
            "b": month[:3],
            "j": f"{self.toordinal() - _ordinal(self.year, 1, 1) + 1:03}",
            "%": "%",
            "z": "",
            "Z": "",
        }
        told["F"], told["T"] = f"{self.year}-{self.month:02}-{self.day:02}", f"{told['H']}:{told['M']}:{told['S']}"
        pieces = form.split("%")
        text, at = pieces[0], 1
        while at < len(pieces):
            if pieces[at] == "" and at + 1 < len(pieces):
                text += "%" + pieces[at + 1]
                at += 2
                continue
            text += told.get(pieces[at][:1], "%" + pieces[at][:1]) + pieces[at][1:]
            at += 1
        return text


class date(_Moment):
    def __init__(self, year, month, day):
        self.year, self.month, self.day = year, month, day

    @classmethod
    def today(cls):
        return datetime.now().date()

    @classmethod
    def fromordinal(cls, days):
        return cls(*_from_ordinal(days))

    def _key(self):
        return (self.year, self.month, self.day)

    def __add__(self, other):
        if not isinstance(other, timedelta):
            return NotImplemented
        return date(*_from_ordinal(self.toordinal() + other.days))

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return date(*_from_ordinal(self.toordinal() - other.days))
        return timedelta(days=self.toordinal() - other.toordinal()) if isinstance(other, date) else NotImplemented

    def isoformat(self):
        return f"{self.year:04}-{self.month:02}-{self.day:02}"

    def __repr__(self):
        return f"datetime.date({self.year}, {self.month}, {self.day})"


class datetime(_Moment):
    def __init__(self, year, month, day, hour=0, minute=0, second=0, microsecond=0, tzinfo=None):
        self.year, self.month, self.day = year, month, day
        self.hour, self.minute, self.second, self.microsecond = hour, minute, second, microsecond

    @classmethod
    def fromtimestamp(cls, seconds, tz=None):
        return cls(1970, 1, 1) + timedelta(seconds=seconds)

    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(_time.time())

    @classmethod
    def utcnow(cls):
        return cls.now()

    @classmethod
    def today(cls):
        return cls.now()

    def _key(self):
        return (self.year, self.month, self.day, self.hour, self.minute, self.second, self.microsecond)

    def _since(self):
        """The time since the year 0."""
        return timedelta(self.toordinal(), self.hour * 3600 + self.minute * 60 + self.second, self.microsecond)

    def timestamp(self):
        return (self - datetime(1970, 1, 1)).total_seconds()

    def date(self):
        return date(self.year, self.month, self.day)

    def replace(self, **parts):
        names = ("year", "month", "day", "hour", "minute", "second", "microsecond")
        return datetime(*[parts.get(name, getattr(self, name)) for name in names])

    def __add__(self, other):
        if not isinstance(other, timedelta):
            return NotImplemented
        since = self._since() + other
        minutes, second = divmod(since.seconds, 60)
        return datetime(*_from_ordinal(since.days), minutes // 60, minutes % 60, second, since.microseconds)

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return self + -other
        return self._since() - other._since() if isinstance(other, datetime) else NotImplemented

    def isoformat(self, sep="T", timespec="auto"):
        text = f"{self.year:04}-{self.month:02}-{self.day:02}{sep}{self.hour:02}:{self.minute:02}"
        if timespec == "minutes":
            return text
        text += f":{self.second:02}"
        return text + f".{self.microsecond:06}" if self.microsecond and timespec != "seconds" else text

    def __str__(self):
        return self.isoformat(" ")

    def __repr__(self):
        key = self._key()
        shown = key if key[6] else key[:6] if key[5] else key[:5]
        return f"datetime.datetime({', '.join(map(str, shown))})"
