"""csv, in Python."""

QUOTE_MINIMAL, QUOTE_ALL, QUOTE_NONNUMERIC, QUOTE_NONE = 0, 1, 2, 3


class Error(Exception):
    pass


def _fields(lines, delimiter, quotechar, skipinitialspace):
    """The fields of the next row; StopIteration if there is none."""
    line = next(lines)
    fields, field, quoted, start, at = [], "", False, True, 0
    while True:
        if at == len(line):
            if not quoted:
                break
            line += next(lines, '"')
        letter = line[at]
        at += 1
        if quoted:
            if letter != quotechar:
                field += letter
            elif line[at : at + 1] == quotechar:
                field += letter
                at += 1
            else:
                quoted = False
        elif letter == quotechar and start:
            quoted, start = True, False
        elif letter == delimiter:
            fields.append(field)
            field, start = "", True
        elif letter in "\r\n":
            break
        elif not (start and skipinitialspace and letter == " "):
            field, start = field + letter, False
    return [*fields, field] if fields or field or not start else []


class reader:
    def __init__(self, csvfile, dialect="excel", *, delimiter=None, quotechar='"', skipinitialspace=False, **rest):
        self._lines = iter(csvfile)
        self._how = delimiter or ("\t" if dialect == "excel-tab" else ","), quotechar, skipinitialspace
        self._numbers = rest.get("quoting") == QUOTE_NONNUMERIC
        self.line_num = 0

    def __iter__(self):
        return self

    def __next__(self):
        found = _fields(self._lines, *self._how)
        self.line_num += 1
        return [float(field) for field in found] if self._numbers else found


class writer:
    def __init__(self, csvfile, dialect="excel", *, delimiter=None, quotechar='"', lineterminator="\r\n", quoting=0):
        self._file, self._end, self._quote, self._quoting = csvfile, lineterminator, quotechar, quoting
        self._delimiter = delimiter or ("\t" if dialect == "excel-tab" else ",")

    def _field(self, value, alone):
        text = "" if value is None else repr(value) if isinstance(value, float) else str(value)
        special = any(letter in text for letter in (self._delimiter, self._quote, "\n", "\r")) or (alone and not text)
        words = self._quoting == QUOTE_NONNUMERIC and not isinstance(value, (int, float))
        if (special or words or self._quoting == QUOTE_ALL) and self._quoting != QUOTE_NONE:
            return self._quote + text.replace(self._quote, self._quote * 2) + self._quote
        return text

    def writerow(self, row):
        row = list(row)
        made = self._delimiter.join([self._field(value, len(row) == 1) for value in row]) + self._end
        return self._file.write(made)

    def writerows(self, rows):
        for row in rows:
            self.writerow(row)


class DictReader:
    def __init__(self, f, fieldnames=None, restkey=None, restval=None, dialect="excel", **how):
        self.reader = reader(f, dialect, **how)
        self._names, self.restkey, self.restval = fieldnames, restkey, restval

    @property
    def fieldnames(self):
        if self._names is None:
            self._names = next(self.reader, None)
        return self._names

    def __iter__(self):
        return self

    def __next__(self):
        names = self.fieldnames
        row = next(self.reader)
        while not row:
            row = next(self.reader)
        made = dict(zip(names, row, strict=False))
        if len(row) > len(names):
            made[self.restkey] = row[len(names) :]
        for name in names[len(row) :]:
            made[name] = self.restval
        return made


class DictWriter:
    def __init__(self, f, fieldnames, restval="", extrasaction="raise", dialect="excel", **how):
        self.writer = writer(f, dialect, **how)
        self.fieldnames, self.restval, self.extrasaction = fieldnames, restval, extrasaction

    def writeheader(self):
        return self.writerow({name: name for name in self.fieldnames})

    def writerow(self, rowdict):
        wrong = [name for name in rowdict if name not in self.fieldnames]
        if wrong and self.extrasaction == "raise":
            raise ValueError("dict contains fields not in fieldnames: " + ", ".join(map(repr, wrong)))
        return self.writer.writerow([rowdict.get(name, self.restval) for name in self.fieldnames])

    def writerows(self, rowdicts):
        for row in rowdicts:
            self.writerow(row)
