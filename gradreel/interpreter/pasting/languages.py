"""Text that is no Python: other languages and frameworks, shells, settings, what tools print. Tables of marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from .parsing import regex


def table(rows: Mapping[str, str]) -> dict[str, re.Pattern[str]]:
    return {name: regex(marks) for name, marks in rows.items()}


LANGUAGES = table(
    {
        "JavaScript": r"\s*(?:const|let(?!\s+mut)|var)\s+[\w$,\s{}\[\]]{1,80}=|.*\bconsole\.\w+\(|.*[!=]=="
        r"|\s*(?:async\s+)?function\b\s*\w*\s*\(|.*\brequire\(|.*=>\s*\{|\s*import\s.{1,80}\sfrom\s+['\"]",
        "TypeScript": r"\s*(?:const|let|var)\s+\w+\s*:\s*\w+|\s*interface\s+\w+\s*\{"
        r"|\s*(?:export\s+)?function\s+\w+\(\w+\s*:\s*\w+",
        "C++": r"\s*#\s*include\s*[<\"]|.*\b(?:std|torch|at|thrust)::\w|\s*(?:int|void)\s+main\s*\("
        r"|\s*using\s+namespace\b|.*__global__|\s*template\s*<|\s*(?:auto|float|double|int)\s+\*?\w+\s*=.*;\s*$",
        "Java": r"\s*public\s+(?:static\s+|final\s+)*(?:class|void|int|interface)\b|.*\bSystem\.out\."
        r"|\s*import\s+(?:java|javax|org|ai|com)\.[\w.*]+;",
        "C#": r"\s*using\s+System|.*\bConsole\.Write|\s*namespace\s+[\w.]+|\s*using\s+[A-Z][\w.]*;"
        r"|\s*using\s+static\b",
        "R": r"\s*[\w.$\[\]\"]+\s*<-\s*\S|\s*library\([\w\"']+\)|.*%(?:>|\*)%",
        "Julia": r"\s*using\s+[A-Z][\w.]*|\s*julia>|.*\bprintln\(|\s*@(?:show|btime)\s"
        r"|\s*function\s+\w+[!\w]*\(.*\)\s*$|\s*\w+\(\w+\)\s*=\s*\S",
        "MATLAB": r"\s*[\w.]+\s*=\s*\[[^\],()]*\d\s+-?[\d.][^\],]*\]|.*\w\.[\^*/]\s?\w|\s*(?:clc|close all"
        r"|clear all)\b|.*\b(?:disp|fprintf)\(|\s*function\s+(?:\[.*\]|\w+)\s*=\s*\w+"
        r"|\s*for\s+\w+\s*=\s*\d+\s*:|.*\bdlarray\(",
        "Rust": r".*\blet\s+mut\b|\s*(?:pub\s+)?fn\s+\w+\s*[(<]|.*\b(?:println|vec)!|\s*use\s+\w+(?:::[\w{},* ]+)+;",
        "Go": r"\s*package\s+\w+\s*$|\s*func\s+(?:\(\w+\s+\*?\w+\)\s*)?\w+\(.*\{|.*\bfmt\.\w+\("
        r"|\s*\w+(?:,\s*\w+)*\s*:=\s",
        "Lua": r"\s*local\s+\w+\s*=|\s*local\s+function|\s*require\s*\(?\s*['\"]|.*\w:(?:add|forward|backward"
        r"|zeroGradParameters)\(",
        "Swift": r"\s*import\s+(?:Foundation|UIKit|TensorFlow|CoreML|SwiftUI)\s*$|\s*func\s+\w+\(.*->"
        r"|\s*(?:let|var)\s+\w+\s*:\s*\[?\w+",
        "Kotlin": r"\s*(?:private\s+|override\s+|suspend\s+)*fun\s+\w+\(|\s*val\s+\w+\s*(?::\s*[\w<>]+\s*)?=",
        "Scala": r"\s*(?:case\s+)?object\s+\w+|\s*def\s+\w+.*=\s*\{\s*$|\s*import\s+scala\.",
        "PHP": r"\s*<\?php|\s*\$\w+\s*=|.*\$this->",
        "Perl": r"\s*my\s+[$@%(]|\s*use\s+(?:strict|warnings)",
        "Ruby": r"\s*puts\s|.*\bdo\s*\|\w+|\s*require\s+['\"]|\s*def\s+[\w?!]+(?:\([\w, ]*\))?\s*$",
        "Haskell": r"\s*\w+\s*::\s*\S|\s*main\s*=\s*do|\s*import\s+qualified|\s*module\s+\w+.*where",
        "Fortran": r"(?i)\s*(?:implicit\s+none|end\s+program|integer\s*::|real\s*::|subroutine\s+\w+)",
        "SQL": r"(?i)\s*(?:select\s.{1,200}\sfrom\s|select\s+(?:\*|\w+(?:,\s*\w+)*)\s*$|insert\s+into"
        r"|create\s+table|delete\s+from|update\s+\w+\s+set)",
        "HTML": r"(?i)\s*<(?:!doctype|html|body|head|script|div|table|p|form|title)\b",
        "XML": r"\s*<\?xml|\s*<(\w[\w:.-]*)(?:\s[^<>]{0,200})?>.{0,200}</",
        "CSS": r"\s*[.#@]?[\w.#:>, -]+\{\s*$",
        "LaTeX": r"\s*\\(?:begin|documentclass|usepackage|section|\[)|.*\\(?:frac|nabla|partial|mathbf|mathcal)\b",
    }
)
"""What only that language has. One is enough where most other lines look alike."""
DATA = ("HTML", "XML", "CSS", "LaTeX", "SQL")
"""Those in which no program for PyTorch can be written."""
BRACED = regex(r".*[;{}]\s*(?://.*)?$|\s*(?://|/\*|\*\s|#)|\s*[)\]]+[;,]?\s*$")
ENDED = regex(r"\s*(?:end|else|do|then)\b|.*(?:;|\bdo|\bthen)\s*$|\s*(?:--|%|#)")
TAGGED = regex(r"\s*<.*>\s*$|\s*\\|.*\\\w|\s*\$|.*[;:{}]\s*$|\s{2,}")
ALIKE = {
    **dict.fromkeys(("Julia", "MATLAB", "Lua", "Ruby", "Fortran", "Haskell"), ENDED),
    **dict.fromkeys(DATA, TAGGED),
}
"""How other lines look, of languages without braces."""

SHELL_PROMPT = regex(
    r"\s*(?:\([\w.-]+\)\s*)?(?:[\w.-]+@[\w.-]+[:\s][^$#%]{0,60}[$#%]\s|\[[\w.@ ~-]{1,60}\][$#]\s|\$\s+\w|❯|➜"
    r"|PS [A-Z]:\\|[A-Z]:\\[^>]{0,100}>\s?\w|~[\w/ ]{0,60}[$%]\s)"
)
SHELL = regex(
    r"\s*(?:sudo\s+)?(?:pip3?|python[\d.]*|conda|mamba|git|cd|ls|cat|mkdir|rm|cp|mv|echo|export|source|wget"
    r"|curl|docker|sbatch|srun"
    r"|torchrun|apt(?:-get)?|brew|npm|ssh|scp|rsync|tar|unzip|chmod|nvidia-smi|jupyter|kaggle|bash|uv|poetry"
    r"|accelerate|ps|kill|nohup"
    r"|module|which|grep|sed|awk|tail|head|htop|[A-Z_]+=\S+\s+\w+)(?:\s+(?![=.(\[])\S|\s*$)"
    r"|\s*#!.{0,80}\b(?:ba|z|k)?sh\b|\s*(?:done|fi|esac|do|then)\s*$|.*;\s*(?:do|then)\s*$|\s*#SBATCH"
)

NVIDIA_SMI = regex(r".*NVIDIA-SMI|\s*\+-{4,}|\s*\|[=\-+\s]{4,}|.*\bMiB\s*/\s*\d+MiB|.*\bDriver Version|\s*\|.*\|\s*$")
GIT_LOG = regex(
    r"[\s*|\\/]*+(?:commit [0-9a-f]{6,40}\b|Author: |Date: |Merge: "
    r"|[0-9a-f]{7,40} (?:\(.{1,80}\) )?[A-Za-z])|\s*On branch |\s*(?:modified|deleted|new file|renamed):"
    r"|\s*Changes (?:not staged|to be committed)|\s*Untracked files"
)
REQUIREMENT = regex(
    r"\s*(?:-[ref] \S|-e |--[\w-]+|#|[A-Za-z][\w.-]*(?:\[[\w, -]+\])?\s*(?:(?:==|>=|<=|~=|!=|>|<"
    r"|@)\s*\S.*)?(?:;.*)?$)"
)
PINNED = regex(
    r"\s*[A-Za-z][\w.-]*(?:\[[\w, -]+\])?\s*(?:==|>=|<=|~="
    r"|!=)\s*v?\d[\w.*+!-]*(?:\s*,\s*[<>=!~]+\s*[\w.*+!]+)*\s*(?:[;#].*)?$"
)
SECTION = regex(r"\s*\[\[?[A-Za-z_][\w.\"' -]*\]\]?\s*(?:[#;].*)?$")
SETTING = regex(r"\s*+[\w.\"'-]++\s*+=|\s{2,}\S|\s*[#;]|\s*[\"'\w].*,\s*$|\s*\]\s*$")
YAML = regex(
    r"\s*(?:-\s+)?[\"']?[A-Za-z_][\w .\"'/-]{0,60}:(?:\s+(?![^#'\"]*\):?\s*$)\S.*)?\s*$|\s*-\s+\S|\s*#|---\s*$"
    r"|\.\.\.\s*$|\s*[\]}],?\s*$"
)
STATEMENT_HEAD = regex(r"\s*(?:def|class|if|else|elif|for|while|try|except|finally|with|lambda|match|case)\b")
DOCKER = regex(
    r"\s*(?:FROM|RUN|COPY|WORKDIR|CMD|ENTRYPOINT|ENV|ARG|EXPOSE|ADD|USER|LABEL|VOLUME)\s+\S|\s*(?:#|&&)|.*\\\s*$"
)
MAKE = regex(r"[\w.%/$()-]+\s*:(?!=)[^=:]*$|\t\S|\s*\.PHONY|[A-Z_]+\s*[:?]?=\s|\s*#")
PIP_LIST = regex(r"\s*[A-Za-z][\w.-]*\s+\d+(?:\.\w+)+(?:\s+\S+)?\s*$|Package\s+Version|-{3,}\s+-{3,}|#")
INSTALLER = regex(
    r"\s*(?:Collecting \w|Downloading \S|Requirement already satisfied|Installing (?:collected|build)"
    r"|Successfully (?:un)?installed|Solving environment|ERROR: (?:Could not find a version|No matching)"
    r"|Building wheel|Using cached \S|Looking in|(?:Resolved|Installed) \d+ packages"
    r"|Found existing installation|PackagesNotFoundError|Preparing metadata)"
)
SCORE = regex(
    r"(?i)\s*(?:\w+[\s_-])?(?:loss|acc|accuracy|error)\s*[:=]?\s*-?\d.*|.*\b(?:loss|acc|accuracy)\b\s*[:=]\s*-?[\dn]"
)
LOG = regex(
    r"\s*(?:wandb: |slurmstepd|.{0,60}\d{1,3}%\||\d+/\d+ \[[=>.]|(?:[Tt]rain|[Tt]est|[Vv]al\w*)\s+[Ee]poch"
    r"|\[\d+,\s+\d+\]\s+\w|\[?\d{4}[-/]\d\d[-/]\d\d|\[?\d\d:\d\d:\d\d|(?:INFO|DEBUG|WARNING|ERROR|CRITICAL)\b|\[(?:INFO|DEBUG"
    r"|WARN|ERROR)|[Ee]poch:?\s*\[?\d+|(?:step|iter|iteration|batch)\s*[:=]?\s*\d+|\d{1,3}%\|)"
)

PACKAGES = frozenset(
    [
        "torch",
        "torchvision",
        "torchaudio",
        "numpy",
        "scipy",
        "pandas",
        "matplotlib",
        "scikit-learn",
        "sklearn",
        "tqdm",
        "pillow",
        "opencv-python",
        "tensorboard",
        "wandb",
        "jupyter",
        "transformers",
        "datasets",
        "pytest",
        "seaborn",
        "requests",
        "pyyaml",
        "einops",
        "lightning",
        "pytorch-lightning",
        "accelerate",
        "tensorflow",
        "jax",
    ]
)
FRAMEWORKS: dict[str, tuple[str, str]] = {
    "TensorFlow": (r"\btf\.|\btensorflow\b", "tf tensorflow tensorflow_probability"),
    "Keras": (r"\bkeras\b", "keras"),
    "JAX": (r"\bjax\b|\bjnp\.|\bflax\b|\boptax\b|\bhaiku\b|\bhk\.", "jax jnp flax optax haiku equinox"),
    "MXNet": (r"\bmx\.|\bmxnet\b|\bgluon\b", "mxnet mx gluon"),
    "PaddlePaddle": (r"\bpaddle\b", "paddle"),
    "Theano": (r"\btheano\b|\baesara\b|\bpytensor\b", "theano aesara pytensor"),
    "Chainer": (r"\bchainer\b", "chainer"),
    "MLX": (r"\bmlx\b", "mlx"),
    "tinygrad": (r"\btinygrad\b", "tinygrad"),
    "HIPS autograd": (r"\bfrom autograd import\b|\bimport autograd\b", "autograd"),
    "MindSpore": (r"\bmindspore\b", "mindspore"),
}
"""Frameworks beside PyTorch: what they are known by in a text, and their modules and usual names."""

COUNTERPARTS = (
    (
        r"GradientTape|autograd\.record|value_and_grad|\bjax\.grad\b|\bgrad\(|mx\.grad",
        "`loss.backward()` gives the gradients, each leaf's in `.grad`",
    ),
    (r"\bgradients\(|\.tape\b", "`torch.autograd.grad(y, x)` gives gradients"),
    (r"\bvmap\b", "`torch.func.vmap` is its vmap"),
    (r"\bjacobian\b|\bjacfwd\b|\bjacrev\b|\bhessian\b", "`torch.func.jacrev` and `torch.func.hessian` are there"),
    (r"\.fit\(|\.compile\(", "a loop of `loss.backward()` and `optimizer.step()` takes the place of `fit`"),
    (r"\bSequential\b|\bDense\(|\blayers\.", "`torch.nn.Sequential` and `torch.nn.Linear` make layers"),
    (r"\bplaceholder\(|\bSession\(", "tensors hold their values at once, without placeholder or session"),
    (r"\bVariable\(|\bParameter\(|attach_grad", "`torch.tensor(value, requires_grad=True)` makes a variable"),
    (r"\bstop_gradient\b", "`x.detach()` stops the gradient"),
    (r"\bjit\b|\bfunction\b", "programs run as they are written, without `jit`"),
    (
        r"\bconstant\(|\bconvert_to_tensor\(|\bjnp\.array\(|\bnd\.array\(|\bto_tensor\(|\barray\(",
        "`torch.tensor(value)` makes a tensor",
    ),
)
"""What is written for it in PyTorch; the first that occurs in the text is told."""
ELSE = "`torch.tensor(value, requires_grad=True)` and `loss.backward()` do it"


def language_of(lines: Sequence[str], least: float) -> str | None:
    """The language with the most marks, if so many lines have one or look like that language."""
    filled = [line for line in lines if line.strip()]
    best, most = None, 0
    for name, marks in LANGUAGES.items():
        strong = sum(marks.match(line) is not None for line in filled)
        if strong <= most:
            continue
        alike = ALIKE.get(name, BRACED)
        if sum(bool(marks.match(line) or alike.match(line)) for line in filled) >= least * len(filled):
            best, most = name, strong
    return best


def counterpart(text: str) -> str:
    return next((said for mark, said in COUNTERPARTS if re.search(mark, text)), ELSE)


def framework_in(text: str) -> str | None:
    """The framework whose names occur in the text, where PyTorch's do not."""
    if re.search(r"\btorch\b", text):
        return None
    return next((name for name, (mark, _) in FRAMEWORKS.items() if re.search(mark, text)), None)


def framework_of(names: Iterable[str]) -> str | None:
    """The framework that the first of `names` belongs to that does to any."""
    known = {module: name for name, (_, modules) in FRAMEWORKS.items() for module in modules.split()}
    return next((known[name] for name in names if name in known), None)


def most(lines: Sequence[str], pattern: re.Pattern[str], least: float = 0.8) -> bool:
    """Whether so many of the lines with something on them begin with `pattern`."""
    filled = [line for line in lines if line.strip()]
    return bool(filled) and sum(pattern.match(line) is not None for line in filled) >= least * len(filled)


def some(lines: Sequence[str], pattern: re.Pattern[str]) -> bool:
    return any(pattern.match(line) for line in lines)


def format_of(lines: Sequence[str]) -> str | None:
    """Which file of settings or output of a tool it is, as a noun."""
    if some(lines, re.compile(r".*NVIDIA-SMI|.*\d+MiB\s*/\s*\d+MiB")) and most(lines, NVIDIA_SMI, 0.5):
        return "what nvidia-smi prints"
    if some(
        lines, re.compile(r"\s*[*|\\/ ]*(?:commit [0-9a-f]{6,40}\b|[0-9a-f]{7,40} \S|Author: )|\s*On branch ")
    ) and most(lines[:3], GIT_LOG, 0.6):
        return "what git prints"
    if some(lines, SECTION) and all(SECTION.match(line) or SETTING.match(line) for line in lines if line.strip()):
        return "a file of settings (TOML or INI)"
    if some(lines, PINNED) and most(lines, REQUIREMENT, 1.0):
        return "a list of packages (requirements)"
    if (
        some(lines, re.compile(r"\s*FROM\s+\S+"))
        and some(lines, re.compile(r"\s*(?:RUN|CMD|COPY|WORKDIR|ENTRYPOINT|ENV)\s"))
        and most(lines, DOCKER, 0.7)
    ):
        return "a Dockerfile"
    if len(lines) > 1 and all(line.strip().lower() in PACKAGES for line in lines):
        return "a list of packages (requirements)"
    if most(lines, PIP_LIST, 1.0):
        return "a list of installed packages"
    if (
        some(lines, re.compile(r"\t\S"))
        and some(lines, re.compile(r"[\w.%/-]+\s*:(?!=)[^=:]*$"))
        and most(lines, MAKE, 0.9)
        and not some(lines, STATEMENT_HEAD)
    ):
        return "a Makefile"
    if most(lines, LOG, 0.6) or (most(lines, SCORE, 0.6) and not some(lines, LOGGED_BY)):
        return "a log"
    if is_yaml(lines):
        return "a file of settings (YAML)"
    return "a table of values (CSV)" if is_csv(lines) else None


LOGGED_BY = regex(r".*(?:\w\(|\w\.\w+\(|^\s*(?:import|def|class|for|from)\b)")


def is_yaml(lines: Sequence[str]) -> bool:
    keys = regex(r"\s*(?:-\s+)?[\"']?[A-Za-z_][\w.\"'/-]*:(?:\s|$)")
    return some(lines, keys) and most(lines, YAML, 1.0) and most(lines, keys, 0.4) and not some(lines, STATEMENT_HEAD)


def is_csv(lines: Sequence[str]) -> bool:
    filled = [line for line in lines if line.strip()]
    if len(filled) < 2 or any("=" in line or "(" in line for line in filled):
        return False
    for mark in ",\t;":
        counts = {line.count(mark) for line in filled}
        if len(counts) == 1 and counts.pop() >= 1:
            return True
    return False


def is_shell(lines: Sequence[str]) -> bool:
    filled = [line for line in lines if line.strip()]
    commands = sum(SHELL.match(line) is not None or SHELL_PROMPT.match(line) is not None for line in filled)
    first = (
        bool(filled)
        and (SHELL_PROMPT.match(filled[0]) or re.match(r"#!.{0,80}\b(?:ba|z|k)?sh\b", filled[0])) is not None
    )
    return first or 2 * commands > len(filled)


def is_installer(lines: Sequence[str]) -> bool:
    return sum(INSTALLER.match(line) is not None for line in lines) >= 2 or some(lines[:1], INSTALLER)
