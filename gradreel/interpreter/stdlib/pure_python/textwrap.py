"""textwrap, in Python."""


def dedent(text):
    lines = text.split("\n")
    margin = None
    for line in lines:
        if line.strip():
            indent = len(line) - len(line.lstrip())
            margin = indent if margin is None else min(margin, indent)
    return "\n".join([line[margin:] if line.strip() else "" for line in lines])


def indent(text, prefix, predicate=None):
    chosen = predicate or (lambda line: line.strip())
    return "".join([prefix + line if chosen(line) else line for line in text.splitlines(True)])


def wrap(text, width=70, **rest):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line] if line else lines


def fill(text, width=70, **rest):
    return "\n".join(wrap(text, width))


def shorten(text, width, placeholder=" [...]"):
    words = " ".join(text.split())
    return words if len(words) <= width else words[: width - len(placeholder)].rstrip() + placeholder
