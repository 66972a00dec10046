"""Errors in the words of the command line: a function speaks of `min_support=0`, a command of `--min-support 0`.

One error serves both, so that they cannot come to differ.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import click

__all__ = ["for_the_command", "in_options", "invoked", "out_of_memory"]

_SWITCHED_ON = re.compile(r"(?<![-\w.])([A-Za-z_]\w*)=True\b")
_NAMED = re.compile(r"(?<![-\w.])([A-Za-z_]\w*)=(?=[\w.+'\"\[(-])")
_BY_COLUMN = re.compile(r"(?<![-\w.])([A-Za-z_]\w*)=\{'([^']*)': ([^{},]*)\}")
_BARE = re.compile(r"(?<![-\w.])([A-Za-z_]\w*)=(?=[\s,;:)]|$)")
_WORD = re.compile(r"(?<![-\w.'\"])[a-z]+(?:_[a-z0-9]+)+(?![\w(.='\"])")
_QUOTED = re.compile(r"'([^']+)'")
_ALSO = {"min_support": "nugget_support"}
"""What a command calls otherwise than the function beneath it does."""


def for_the_command(message: str, arguments: Sequence[str]) -> str:
    """The message with options in place of a function's arguments.

    >>> for_the_command("k=1 protects nobody; use k=2 or more", ["publish", "transactions"])
    '--k 1 protects nobody; use --k 2 or more'
    """
    command = invoked(arguments)
    return _blamed(in_options(message, command), _list_options(command, arguments))


def in_options(message: str, command: click.Command) -> str:
    """The message with options of this command in place of arguments; for what is no error, too."""
    options = _options(command)
    plain = _BY_COLUMN.sub(lambda found: f"{found[1]}={found[2]}={found[3]}", message)
    plain = _SWITCHED_ON.sub(lambda found: _switch(found, command), plain)
    plain = _NAMED.sub(lambda found: _shown(found, options, end=" "), plain)
    plain = _BARE.sub(lambda found: _shown(found, options), plain)
    return _WORD.sub(lambda found: options.get(found[0], found[0]), plain)


def out_of_memory(arguments: Sequence[str]) -> str:
    """What to do where memory ran out: options that help, if the command has them.

    >>> out_of_memory(["verify", "baskets.passport.json"])
    'not enough memory for this input; close other programs, or use a machine with more memory'
    """
    command = invoked(arguments)
    ways = [
        "--engine stream"
        for option in command.params
        if option.name == "engine" and isinstance(option.type, click.Choice) and "stream" in option.type.choices
    ]
    options = _options(command)
    ways += [f"a higher {options[name]}" for name in ("min_support", "nugget_support") if name in options][:1]
    more = "a machine with more memory"
    advice = f"try {', '.join(ways)} or {more}" if ways else f"close other programs, or use {more}"
    return f"not enough memory for this input; {advice}"


def _blamed(message: str, given: Sequence[tuple[str, str]]) -> str:
    """The message with the option in front whose value it complains of, where it is clear which one that is."""
    for option, value in given:
        if value and re.match(rf"{re.escape(value)}(?:: |; | exists)", message):
            return f"{option} {message}"
        folder = str(Path(value).parent)
        if folder != "." and message.startswith(f"the folder {folder} does not exist"):
            return f"{option} {value}: {message}"
    quoted = _QUOTED.search(message)
    if quoted is None or re.search(r"(?<!\w)--[a-z]", message):
        return message
    blamed = {pair for pair in given if pair[1] == quoted[1] or quoted[1] in re.split("[=,]", pair[1])}
    if len(blamed) != 1:
        return message
    option, value = blamed.pop()
    return f"{option} {value.rstrip(':')}: {message}"


def _list_options(command: click.Command, arguments: Sequence[str]) -> list[tuple[str, str]]:
    """(option, value) as they stand on the command line; not what is drawn into it from elsewhere."""
    names = {
        opt: max(option.opts, key=len)
        for option in command.params
        if isinstance(option, click.Option) and not option.is_flag
        for opt in option.opts
    }
    found = []
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        name, sign, value = word.partition("=")
        if name in names:
            found.append((names[name], value if sign else following))
    return found


def _shown(found: re.Match[str], options: dict[str, str], *, end: str = "") -> str:
    option = options.get(found[1]) or options.get(_ALSO.get(found[1], ""))
    return found[0] if option is None else option + end


def _switch(found: re.Match[str], command: click.Command) -> str:
    """`replace=True` as the option alone, where it is one that takes no value."""
    switches = {option.name: option for option in command.params if isinstance(option, click.Option) and option.is_flag}
    option = switches.get(found[1])
    return found[0] if option is None else max(option.opts, key=len)


def invoked(arguments: Sequence[str]) -> click.Command:
    """The command that these words call."""
    from confide.cli.root import confide

    command: click.Command = confide
    for word in arguments:
        if not isinstance(command, click.Group):
            break
        found = command.get_command(click.Context(command), word)
        command = found if found is not None else command
    return command


def _options(command: click.Command) -> dict[str, str]:
    """Each option by the name of its argument, which is that of the function's as a rule."""
    found = {}
    for option in command.params:
        if isinstance(option, click.Option) and option.name is not None:
            shown = max(option.opts, key=len)
            found[option.name] = shown
            found.setdefault(shown.lstrip("-").replace("-", "_"), shown)
    return found
