"""Commands made of functions: each parameter is a flag, and typed settings are a flag a field.

    @dataclass(frozen=True, kw_only=True)
    class Saving(Checked):
        every: Annotated[int, Flag("how often the run is saved", "STEPS"), Range(1)] = 250

    def coarse(config: Annotated[str, Flag("the recipe", "NAME")], saving: Saving) -> None:
        '''Train on reports.'''

    add(app, "coarse", coarse)              # python -m train coarse --config NAME --every STEPS
    arguments(Saving(every=10))             # ["--every", "10"]

Nothing stands between a flag and its parameter, so that a flag that nobody reads cannot be.
"""

import dataclasses
import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import GenericAlias, NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import typer
from safetensors import SafetensorError
from typer.core import TyperCommand

from focal_app.errors import DISK_IS_FULL, ConfigError, FocalError
from train import extra
from train.checked import Refused, check

T = TypeVar("T")
UNKNOWN = 2
"""Exit code of a command that cannot be run as it was asked for."""


@dataclass(frozen=True)
class Flag:
    """What `--help` says of a flag, what stands for its value, and its name if not the field's."""

    help: str
    metavar: str | None = None
    name: str | None = None


@dataclass(frozen=True)
class Place(Flag):
    """The same for a value that is given by its place on the command line."""


@dataclass(frozen=True)
class Prefix:
    """Settings whose flags carry the name of what they are for: `--verify.score`."""

    name: str


@dataclass(frozen=True)
class Parameter:
    """A parameter of a command: its type and its default, `...` where it must be given.

    Settings under a `prefix` are asked for as `--prefix.field`.
    """

    kind: Any
    default: Any = ...
    prefix: str = ""


def parameters_of(function: Callable[..., Any]) -> dict[str, Parameter]:
    """Parameters by name."""
    return {
        name: _prefixed(one.annotation, ... if one.default is one.empty else one.default)
        for name, one in inspect.signature(function).parameters.items()
    }


def _prefixed(kind: Any, default: Any, prefix: str = "") -> Parameter:  # noqa: ANN401
    for said in getattr(kind, "__metadata__", ()):
        if isinstance(said, Prefix):
            return Parameter(get_args(kind)[0], default, said.name)
    return Parameter(kind, default, prefix)


def new_app(help: str) -> typer.Typer:
    """A command line, or a group of commands in one."""
    return typer.Typer(
        help=help,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )


def add(app: typer.Typer, name: str, function: Callable[..., Any]) -> None:
    """Add a function as a command; its docstring is the help."""
    help = inspect.cleandoc(function.__doc__ or "")
    add_call(app, name, help, parameters_of(function), function)


def add_call(
    app: typer.Typer,
    name: str,
    help: str,
    parameters: Mapping[str, Parameter],
    call: Callable[..., Any],
) -> None:
    """Add a command with these parameters that makes this call."""
    made = app.command(name, cls=_Repeating, help=help, short_help=help.split("\n\n")[0])
    made(_flattened(parameters, call))


def run(app: typer.Typer, arguments: Sequence[str] | None, *, name: str) -> int:
    """Run a command; an error that a user can mend is one line and exit code 2."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        _command(app)(args=given, prog_name=name)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except FocalError as error:
        print(f"error: {error}", file=sys.stderr)
        return UNKNOWN
    except ModuleNotFoundError as error:
        if error.name not in extra.PACKAGES:
            raise
        print(f"error: {extra.missing(error.name)}", file=sys.stderr)
        return UNKNOWN
    except (FileExistsError, NotADirectoryError) as error:
        named = Path(str(error.filename))
        lies = next((one for one in (named, *named.parents) if one.is_file()), None)
        if lies is None:
            raise
        print(f"error: found a file {lies.name!r}; needed a folder there", file=sys.stderr)
        return UNKNOWN
    except (OSError, SafetensorError) as error:  # the latter has no number, but the words
        if not any(os.strerror(number) in str(error) for number in DISK_IS_FULL):
            raise
        print(f"error: found no room on the disk ({error}); make room", file=sys.stderr)
        return UNKNOWN
    return 0


_command = functools.cache(typer.main.get_command)
"""All commands and their flags, read once."""


def arguments(settings: Any) -> list[str]:  # noqa: ANN401
    """The flags that ask for these settings; what is as it would be without any is left out."""
    made: list[str] = []
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        if value == field.default:
            continue
        flag = _flag_of(field.name, field.type, "")
        values = value if isinstance(value, tuple) else (value,)
        made += [flag] if isinstance(value, bool) else [flag, *map(str, values)]
    return made


def part(kind: type[T], settings: Any) -> T:  # noqa: ANN401
    """Those of wider settings that `kind` has."""
    fields = dataclasses.fields(kind)  # pyrefly: ignore[bad-argument-type]
    return kind(**{field.name: getattr(settings, field.name) for field in fields})


def refuse(
    settings: Any,  # noqa: ANN401
    why: str,
    names: Iterable[str] | None = None,
    *,
    prefix: str = "",
) -> None:
    """Refuse, by name, those of these settings (or all) that were asked for and do nothing."""
    fields = {field.name: field for field in dataclasses.fields(settings)}
    names = fields if names is None else names
    asked = [name for name in names if getattr(settings, name) != fields[name].default]
    if asked:
        flags = " and ".join(_flag_of(name, fields[name].type, prefix) for name in asked)
        raise ConfigError(f"found {flags}, without effect {why}; leave it out")


class _Repeating(TyperCommand):
    """Takes `--shards A B C` for `--shards A --shards B --shards C`: shells expand DIR/* so."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        several = {o for p in self.params if getattr(p, "multiple", False) for o in p.opts}
        return super().parse_args(ctx, list(_repeated(args, several)))


def _repeated(given: Sequence[str], several: set[str]) -> Iterator[str]:
    """The arguments with the name of a flag that takes several values before each of them."""
    flag, values = "", 0
    for one in given:
        if one.startswith("--"):
            flag, values = one, 0
        elif flag in several:
            values += 1
            if values > 1:
                yield flag
        yield one


def _flattened(
    parameters: Mapping[str, Parameter], call: Callable[..., Any]
) -> Callable[..., None]:
    """A function of single values, as typer takes it, that makes the settings and the call."""
    taken = [option for name, one in parameters.items() for option in _options(name, one)]

    def run(**given: Any) -> None:  # noqa: ANN401
        values = {
            key: tuple(value) if isinstance(value, list) else value for key, value in given.items()
        }
        call(**{name: _made(name, one, values) for name, one in parameters.items()})

    run.__annotations__ = {option.name: option.annotation for option in taken}
    run.__signature__ = inspect.Signature(taken)  # pyrefly: ignore[missing-attribute]
    return run


def _options(name: str, one: Parameter) -> Iterator[inspect.Parameter]:
    """The flags of a parameter: itself, or each field of its settings."""
    if not _is_settings(one.kind):
        yield _option(name, one)
        return
    for inner, field in _fields(one).items():
        yield from _options(inner, field)


def _fields(settings: Parameter) -> dict[str, Parameter]:
    """Every field of settings as a parameter, under their prefix if it has none of its own."""
    return {
        field.name: _prefixed(
            field.type,
            ... if field.default is dataclasses.MISSING else field.default,
            settings.prefix,
        )
        for field in dataclasses.fields(settings.kind)
    }


def _made(name: str, one: Parameter, given: Mapping[str, Any]) -> Any:  # noqa: ANN401
    if _is_settings(one.kind):
        return one.kind(**{key: _made(key, field, given) for key, field in _fields(one).items()})
    value = given[_key(name, one.prefix)]
    try:
        check(value, one.kind, name)
    except Refused as error:
        raise ConfigError(f"{_flag_of(name, one.kind, one.prefix)}: {error.reason}") from None
    return value


def _option(name: str, one: Parameter) -> inspect.Parameter:
    plain, said, default = _plain(one.kind), _said(one.kind), one.default
    metavar = said.metavar or ("|".join(_choices(one.kind)) or None)
    if isinstance(said, Place):
        info = typer.Argument(help=said.help, metavar=metavar, show_default=False)
    else:
        flag = _flag_of(name, one.kind, one.prefix)
        info = typer.Option(flag, help=said.help, metavar=metavar, show_default=False)
    if default is ...:
        default = inspect.Parameter.empty
    elif isinstance(default, tuple) and get_origin(plain) is list:
        default = list(default)
    return inspect.Parameter(
        _key(name, one.prefix),
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[plain, info],
    )


def _plain(kind: Any) -> Any:  # noqa: ANN401
    """The type as the command line reads it: choices as texts, which the settings check."""
    if get_origin(kind) is Annotated:
        return _plain(get_args(kind)[0])
    if get_origin(kind) is Literal:
        return str
    if get_origin(kind) in (Union, UnionType):
        [inner] = [one for one in get_args(kind) if one is not NoneType]
        return _plain(inner) | None
    if get_origin(kind) is tuple:
        inner, *others = get_args(kind)
        return GenericAlias(list, _plain(inner)) if others == [...] else kind
    return kind


def _choices(kind: Any) -> tuple[str, ...]:  # noqa: ANN401
    if get_origin(kind) is Literal:
        return get_args(kind)
    return next(filter(None, map(_choices, get_args(kind))), ()) if get_args(kind) else ()


def _said(kind: Any) -> Flag:  # noqa: ANN401
    found = [one for one in getattr(kind, "__metadata__", ()) if isinstance(one, Flag)]
    if not found:
        raise TypeError(f"found a setting of type {kind} without a Flag")
    return found[-1]


def _flag_of(name: str, kind: Any, prefix: str) -> str:  # noqa: ANN401
    """`--name`, with the settings' prefix."""
    named = _said(kind).name or name.replace("_", "-")
    return f"--{prefix}.{named}" if prefix else f"--{named}"


def _key(name: str, prefix: str) -> str:
    return f"{prefix}__{name}" if prefix else name


def _is_settings(kind: Any) -> bool:  # noqa: ANN401
    return dataclasses.is_dataclass(kind)
