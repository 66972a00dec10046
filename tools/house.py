"""Counts what tires a reader of the house; `python tools/house.py` prints it, and a test holds the bounds.

Everything is read from the source text in `src/confide`; nothing of ours is imported. Definitions:

lines, modules      all lines of all .py files; the number of files; the lines of the longest one
written options     calls of click.option and click.argument: options that are not derived from a request
participles         functions whose first word is a participle (`made`, `settled`), of all functions
messages            errors of ours raised with a value, of all that are raised with a text; it stands
                    in the text, beside it as a field, or is the file (or place in it) the error names as its source
refusals            errors about settings (UsageError, RequirementError, CannotMeetError and their kind) that say as a
                    field which parameter was refused
options in core     texts of errors outside `cli` that name an --option
widest folder       modules of the largest package, kernels counted; how many packages have more than twelve
wide kernels        functions in _*kernels*.py with more than eight arguments
inner imports       imports of another package's _private module
engine questions    isinstance(..., Stored...) in mining and the stages
hidden settings     ContextVars: cores of a process, who hears progress, the engine that a script asks for
twin modules        names of modules that exist more than once (`jobs`, `requests` and `_kernels` left out)
twin classes        names of classes that exist more than once, private ones left out
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

__all__ = ["count_house"]

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src" / "confide"
STAGES = ("mining", "collect", "publish", "share", "join", "stream", "search")
MOST_MODULES, MOST_ARGUMENTS = 12, 8
IRREGULAR = set(
    re.findall(r"\w+", "said told made held found kept left taken given shown known drawn sent seen met put")
)
VERBS = set(re.findall(r"\w+", "feed need seed embed exceed proceed succeed shed speed"))  # no participles
ROOM_NAMES = {"__init__", "__main__", "jobs", "requests", "_kernels"}
OPTION = re.compile(r"(?<![\w-])--[a-z]")


def count_house(src: Path = SRC) -> dict[str, float]:
    """Every count by its name."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(src.rglob("*.py"))}
    functions = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)]
    texts = [(path, call) for path, tree in trees.items() for call in _raised(tree)]
    folders = Counter(path.parent for path in trees if path.stem != "__init__")
    kernels = [node for path, tree in trees.items() if "kernels" in path.stem for node in _functions(tree)]
    modules = Counter(path.stem for path in trees if path.stem not in ROOM_NAMES)
    return {
        "lines": sum(len(path.read_text(encoding="utf-8").splitlines()) for path in trees),
        "modules": len(trees),
        "written options": sum(_written_options(tree) for tree in trees.values()),
        "participles, %": _percent(sum(_is_participle(node.name) for node in functions), len(functions)),
        "messages with a value, %": _percent(sum(_has_value(call) for _, call in texts), len(texts)),
        "refusals with a parameter, %": _percent(
            sum(_has_parameter(call) for _, call in texts if _is_refusal(call)),
            sum(_is_refusal(call) for _, call in texts),
        ),
        "options in core": sum(_names_option(call) for path, call in texts if path.relative_to(src).parts[0] != "cli"),
        "widest folder": max(folders.values()),
        "wide folders": sum(number > MOST_MODULES for number in folders.values()),
        "wide kernels": sum(_arguments(node) > MOST_ARGUMENTS for node in kernels),
        "inner imports": sum(_inner_imports(tree, path, src) for path, tree in trees.items()),
        "engine questions": sum(
            _engine_questions(tree) for path, tree in trees.items() if path.relative_to(src).parts[0] in STAGES
        ),
        "hidden settings": sum(_hidden_settings(tree) for tree in trees.values()),
        "longest file": max(len(path.read_text(encoding="utf-8").splitlines()) for path in trees),
        "twin modules": sum(number > 1 for number in modules.values()),
        "twin classes": sum(number > 1 for number in Counter(_classes(trees)).values()),
    }


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS))


def _percent(part: int, whole: int) -> float:
    return round(100 * part / max(whole, 1), 1)


def _is_participle(name: str) -> bool:
    word = name.strip("_").split("_")[0].lower()
    return word in IRREGULAR or (word.endswith("ed") and word not in VERBS)


def _written_options(tree: ast.AST) -> int:
    calls = (ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call))
    return sum(call in ("click.option", "click.argument") for call in calls)


def _raised(tree: ast.AST) -> Iterator[ast.Call]:
    """Errors of ours that are raised with a text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            name = ast.unparse(node.exc.func)
            texts = (part for part in node.exc.args if isinstance(part, ast.JoinedStr | ast.Constant | ast.BinOp))
            if name.endswith("Error") and name not in ("ValueError", "TypeError", "KeyError") and any(texts):
                yield node.exc


def _has_value(call: ast.Call) -> bool:
    """A value stands in the text, beside it as a field, or is what the error names as its source."""
    named = {keyword.arg for keyword in call.keywords if not isinstance(keyword.value, ast.Constant)}
    request = ast.unparse(call.func).endswith("RequestError")
    parts = (part for argument in call.args for part in ast.walk(argument))
    return (
        request
        or bool(named & {"value", "line", "column", "source"})
        or any(isinstance(p, ast.FormattedValue) for p in parts)
    )


def _is_refusal(call: ast.Call) -> bool:
    return ast.unparse(call.func) in ("UsageError", "RequestError", "RequirementError", "CannotMeetError")


def _has_parameter(call: ast.Call) -> bool:
    named = {keyword.arg for keyword in call.keywords}
    return ast.unparse(call.func) == "RequestError" or "parameter" in named


def _names_option(call: ast.Call) -> bool:
    parts = (part for argument in call.args for part in ast.walk(argument))
    return any(isinstance(p, ast.Constant) and isinstance(p.value, str) and OPTION.search(p.value) for p in parts)


def _arguments(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return len(node.args.posonlyargs) + len(node.args.args) + len(node.args.kwonlyargs)


def _inner_imports(tree: ast.AST, path: Path, src: Path) -> int:
    own = ".".join(("confide", *path.parent.relative_to(src).parts))
    found = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("confide."):
            package, _, last = node.module.rpartition(".")
            found += last.startswith("_") and package != own
    return found


def _engine_questions(tree: ast.AST) -> int:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance")
    return sum(bool(re.search(r"\bStored[A-Z]", ast.unparse(call.args[1]))) for call in calls if len(call.args) == 2)


def _hidden_settings(tree: ast.AST) -> int:
    calls = (ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call))
    return sum(call.rpartition(".")[2] == "ContextVar" for call in calls)


def _classes(trees: dict[Path, ast.Module]) -> Iterator[str]:
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name


if __name__ == "__main__":
    width = max(map(len, count_house()))
    for name, number in count_house().items():
        print(f"{name:<{width}}  {number:>9,}", file=sys.stdout)
