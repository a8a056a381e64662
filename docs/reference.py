"""The reference of the command line and of study files, made from the code that reads them."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator

import click

from hemlp.cli.main import commands
from hemlp.run import study
from hemlp.run.study_keys import KEYS, TABLES, Key


def commands_page() -> str:
    """One section per command: what it does, how it is called, and its options; those of many commands once."""
    context = click.Context(commands, info_name="hemlp")
    parts = [
        "# Command line\n",
        "Made from the code; `hemlp COMMAND --help` says the same. Results go to standard output, progress and warnings to "
        "standard error.\n",
        _rows(
            ["command", "what it does"],
            [[f"[`hemlp {name}`](#{_anchor(name)})", _first(each)] for name, each in _all()],
        ),
        _exit_codes(),
        "## Common options\n\nMany commands have these; each lists the ones that it has by name.\n",
        _rows(["option", "what", "default"], list(map(list, _common()))),
    ]
    for name, each in _all():
        parts.append(_command(name, each, click.Context(each, info_name=f"hemlp {name}", parent=context)))
    return _options_as_code("\n".join(parts))


def _row(option: click.Option) -> tuple[str, str, str]:
    return _spelled(option), _cell(_help(option)), _default(option)


def _options(each: click.Command) -> list[click.Option]:
    return [p for p in each.params if isinstance(p, click.Option) and not p.hidden]


def _common() -> list[tuple[str, str, str]]:
    """The rows of options that at least eight commands have."""
    seen = Counter(_row(option) for _, each in _all() for option in _options(each))
    return [row for row, commands_with in seen.items() if commands_with >= 8]


def _all() -> Iterator[tuple[str, click.Command]]:
    yield from sorted(commands.commands.items())


def _anchor(name: str) -> str:
    return f"hemlp-{name}"


def _first(each: click.Command) -> str:
    """The first paragraph of the help text."""
    return " ".join((each.help or "").split("\n\n")[0].split())


def _exit_codes() -> str:
    codes = [
        ["0", "every value is defined, or `--undefined nan` was chosen"],
        ["1", "the environment: a full disk, a cluster that does not answer"],
        ["2", "bad input, and the message says where"],
        ["3", "with `--strict`: a score is not proved optimal"],
        ["4", "worse than the baseline, see [a gate](gate.md)"],
    ]
    return "## Exit codes\n\n" + _rows(["code", "what"], codes)


def _command(name: str, each: click.Command, context: click.Context) -> str:
    """The section of a command."""
    words = inspect.cleandoc(each.help or "").split("\n\n")
    prose = [" ".join(part.split()) for part in words]
    example = [part.removeprefix("Example: ") for part in prose if part.startswith("Example: ")]
    shown = "\n\n".join(part for part in prose if not part.startswith("Example: "))
    usage = " ".join(["hemlp", name, *each.collect_usage_pieces(context)])
    lines = [
        f"## hemlp {name}\n",
        shown + "\n",
        "```console",
        f"$ {usage}",
        *(f"$ {line}" for line in example),
        "```\n",
    ]
    common = _common()
    own = [list(_row(option)) for option in _options(each) if _row(option) not in common]
    shared = [f"`{', '.join(option.opts)}`" for option in _options(each) if _row(option) in common]
    lines += [_rows(["option", "what", "default"], own)] if own else []
    lines += [f"[Common options](#common-options): {', '.join(shared)}.\n"] if shared else []
    return "\n".join(lines if own or shared else [*lines, "It has no options.\n"])


def _spelled(option: click.Option) -> str:
    """As it is written, with what it takes."""
    flags = ", ".join(option.opts)
    if option.is_flag:
        return f"`{' / '.join([flags, *option.secondary_opts])}`"
    kind = "|".join(option.type.choices) if isinstance(option.type, click.Choice) else option.metavar
    return f"`{flags}` {_cell(kind or option.type.name.upper().removesuffix(' RANGE'))}"


def _help(option: click.Option) -> str:
    """What an option does, the example in code."""
    return re.sub(r": (--?\w[^.]*?(?:\.\w+[^.]*?)*)\.(?=$| )", r": `\1`.", option.help or "", count=1)


def _default(option: click.Option) -> str:
    if option.secondary_opts:
        return "on" if option.default else "off"
    usual = option.default
    shown = usual is not None and not option.is_flag and usual != () and option.show_default
    return f"`{usual}`" if shown else ""


FIRST_STUDY = """## A first study

Save this as `study.toml` in `hemlp/data/mesh_mini` of the sources, or change the names to those of your files:

```toml
hierarchy = "hierarchy.txt"
true = "gold.txt"
measures = ["F_H", "F_LCA", "F_LCA(method='greedy')"]     # exact and approximate F_LCA side by side

[systems]
knn = "pred_knn30.txt"
topdown = "pred_topdown_lcpn.txt"

[outputs]
json = "study.json"
```

```console
$ hemlp run study.toml
…
system              F_H ↑           F_LCA ↑  F_LCA(method='greedy') ↑  labels
knn            0.5829 (1)        0.3627 (1)                0.3604 (1)    9.62
         [0.5619, 0.6041]  [0.3463, 0.3798]          [0.3442, 0.3773]
topdown        0.5242 (2)        0.3487 (2)                0.3457 (2)   13.04
         [0.5045, 0.5444]  [0.3345, 0.3628]          [0.3309, 0.3600]
…
$ hemlp run study.toml --set 'measures=["GIE"]' --set outputs.html=report.html
```

`--set` changes a setting for one run. The study ends with code 2 if anything in the file is not understood, before anything is read.
"""


def study_page() -> str:
    """An example with everything, then a table of keys for each table of the file."""
    example = inspect.cleandoc(study.__doc__ or "").partition("\n\n")[2]
    parts = [
        "# Study files\n",
        "`hemlp run study.toml` runs a study from a file: what to read, compute and write, in one file that "
        "can be kept under version control. Made from the code; a key that is not listed here is an error.\n",
        FIRST_STUDY,
        f"## Everything in one file\n\n```toml\n{example.strip()}\n```\n",
        "## At the top\n",
        _rows(["key", "what"], [[f"`{name}`", KEYS[""][name].help] for name in ("hierarchy", "true", "measures")]),
        "## [systems]\n\nThe name of each system, and its file; `FILE@0.3`, `FILE@top5`, `FILE@tuned` or `FILE@thresholds.json` of a "
        "file of scores.\n",
        "## [[measure]]\n\nA measure of your own: `name` and the arguments of its class (see [defining a new measure](new-measure.md)). "
        "`predicted` and `true` are the bounds of a pair-based one (`[1, 1]` if left out), `augment` makes it a set-based one; `kind` names another class.\n",
    ]
    for table in TABLES:
        rows = [[f"`{name}`", _cell(_about(key)), _usual(key)] for name, key in KEYS[table].items()]
        parts += [f"## [{table}]\n", _rows(["key", "what", "default"], rows)]
    return _options_as_code("\n".join(parts))


def _about(key: Key) -> str:
    """What a key does, without the example for the command line."""
    choices = ", ".join(f"`{value}`" for value in key.kind.choices)
    words = re.sub(r": --?\w.*?\.(?=$| [A-Z])", ".", key.help, count=1)
    words = re.sub(r"--(\w+)", r"`\1`", words)
    return f"{words} One of {choices}." if choices else words


def _usual(key: Key) -> str:
    if key.default is None or key.default == ():
        return ""
    return f"`{str(key.default).lower()}`" if isinstance(key.default, bool) else f"`{key.default!r}`".replace("'", '"')


def _options_as_code(page: str) -> str:
    """A page whose options in prose are code: else their dashes would be set as one."""
    parts = page.split("`")
    parts[::2] = [re.sub(r"(?<![\w-])--[a-z][a-z-]*", r"`\g<0>`", prose) for prose in parts[::2]]
    return "`".join(parts)


def _cell(text: str) -> str:
    """Within a table, where a bar ends a cell and < would begin a tag."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def _rows(columns: list[str], rows: list[list[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
