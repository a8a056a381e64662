"""Pages made from the code: measures, the command line, study files, errata of the paper; and pictures.

``python docs/generate.py`` writes all of them, and runs the notebook; tests say when that is needed.
"""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path
from textwrap import shorten

sys.path.insert(0, str(Path(__file__).parent))

import notebook
import phenomena
import reference

import hemlp
from hemlp import examples, paper
from hemlp.analysis.explain.explain import explain
from hemlp.escaping import markup
from hemlp.instances.batch import Batch
from hemlp.measures.base import Measure
from hemlp.measures.catalogue import NAMED
from hemlp.measures.catalogue_entry import CatalogueEntry
from hemlp.measures.invariants import INVARIANTS
from hemlp.measures.naming import about_parameter
from hemlp.measures.pair_measure import PairMeasure
from hemlp.measures.set_measure import SetMeasure
from hemlp.problems.pairing.costs import ShortestPath
from hemlp.text.tables import Table

MODELS = {
    "ancestors": "The smallest sets that hold the classes of each side and all their ancestors: z_parent ≥ z_child.",
    "descendants": "The smallest sets that hold the classes of each side and all their descendants: z_child ≥ z_parent.",
    "tolerant": "The closures with ancestors (Equations 2 and 3), then what is distant is dropped (Equations 4 and 5).",
    "none": "The sets themselves.",
    "lca": "Problem 2, in the stages `lcas`, `ratio` and `ties`: see {doc}`../formulation`.",
}


def write_pages(docs: Path) -> None:
    """Write all pages and pictures that have changed."""
    for name, text in pages().items():
        path = docs / name
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """All of them, by their paths within docs."""
    found = {
        "architecture.svg": architecture_picture(),
        "commands.md": reference.commands_page(),
        "study-files.md": reference.study_page(),
        "errata.md": errata_page(),
        "../hemlp/__init__.pyi": stub(),
        "../hemlp/measures/literals.py": literals_module(),
        **{f"pictures/{name}.svg": phenomena.phenomenon(name) for name in phenomena.PHENOMENA},
        **{f"pictures/{name}.svg": phenomena.small(name) for name in phenomena.SMALL},
    }
    rows = []
    for name, named in NAMED.items():
        each = named.template
        picture = case_picture(each, named.case)
        found[f"measures/{name}.md"] = measure_page(each, named, drawn=picture is not None)
        if picture is not None:
            found[f"measures/{name}.svg"] = picture
        low, high = each.range
        arrow = "↑" if each.greater_is_better else "↓"
        rows.append([f"[{name}]({name}.md)", named.title, f"{number(low)} to {number(high)} {arrow}"])
    index = listed(["measure", "title", "range"], rows)
    tree = "\n".join(["```{toctree}", ":hidden:", "", *NAMED, "```"])
    more = "[Which measure should I use?](../which-measure.md) compares them. ↑: greater is better. In formulas Y are "
    more += "the N true classes of an instance, Ŷ the M predicted ones; the rest is in [the formulation](../formulation.md)."
    found["measures/index.md"] = f"# Measures\n\n{index}\n{more}\n\n{tree}\n"
    return found


def literals_module() -> str:
    """The names of measures by their kind, for type checkers."""
    lines = ['"""Names of the catalogue for type checkers. Made by docs/generate.py: do not edit."""']
    lines += ["# ruff: noqa: E501", "# fmt: off", "", "from typing import Literal", ""]
    for kind in ("PairMeasure", "SetMeasure"):
        names = ", ".join(f'"{name}"' for name, named in NAMED.items() if named.kind == kind)
        lines += [f"{kind.removesuffix('Measure')}Name = Literal[{names}]"] if names else []
    return "\n".join(lines) + "\n"


def stub() -> str:
    """The names of hemlp for type checkers, who do not see what is loaded later."""
    places = [("hemlp", module) for module in hemlp.MODULES] + [("hemlp.version", "__version__")]
    for table in (hemlp.NAMES, hemlp.ALSO, hemlp.MOVED, hemlp.FORMER):
        places += [(f"hemlp.{module}", name) for module, names in table.items() for name in names.split()]
    imported = "".join(f"from {module} import {name} as {name}\n" for module, name in sorted(places))
    listed = "".join(f'    "{name}",\n' for name in sorted(hemlp.__all__, key=lambda name: (not name.isupper(), name)))
    return f"# Made by docs/generate.py: do not edit.\n{imported}\n__all__ = [\n{listed}]\n"


def listed(columns: list[str], rows: list[list[str]]) -> str:
    """A table whose cells are Markdown already: links and code."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def measure_page(each: Measure, entry: CatalogueEntry, *, drawn: bool) -> str:
    """Formula, model, parameters, promises, advice, and a case."""
    needed = entry.needed
    made = "".join(f", {key}={what}" for key, what in needed.items())
    define = f'm = measure("{each.name}"{made})'
    if needed:  # what h and corpus are is not said, so it cannot be run
        define = f"```text\n{define}\n```"
    else:
        define = f'```python\nfrom hemlp import measure\n\n{define}\nassert str(m) == "{each}"\n```'
    parameters = [[f"`{key}`", f"`{value!r}`", about_parameter(each, key)] for key, value in each.parameters.items()]
    shown = listed(["parameter", "default", "what it does"], parameters) if parameters else "None.\n"
    promises = "".join(f"- {INVARIANTS[name].words}\n" for name in sorted(each.invariants))
    low, high = each.range
    better = "greater is better" if each.greater_is_better else "less is better"
    return f"""# {each.name}: {entry.title}

$$
{entry.formula}
$$

From {number(low)} to {number(high)}; {better}. Defined as

{define}

## Model

{model_words(each)}

## When to use it

{entry.use}

## When not

{entry.avoid}

## Parameters

{shown}
## Reference

{link_dois(entry.reference)}

## What holds on every instance

{promises}
## {"The example" if entry.case == "dag" else "Case " + entry.case} of the paper

{case_words(each, entry.case, drawn)}
"""


def link_dois(reference: str) -> str:
    """With links to what has a DOI."""
    return re.sub(r"doi:(\S+?)(?=;|$)", r"[doi:\1](https://doi.org/\1)", reference) + "."


def number(value: float) -> str:
    """As a page shows it."""
    return f"{value:g}".replace("inf", "∞").replace("-", "−")


def model_words(each: Measure) -> str:
    """What is optimised."""
    if isinstance(each, PairMeasure) and "predicted_error" in each.columns:
        return (
            "Two pairings without default classes: bounds (1, 1) on predicted and (0, ALL) on true classes, and the same the "
            f'other way round. `measure("{each.name}").model(h, true, pred)` prints both; `model.parts` holds them.'
        )
    if isinstance(each, PairMeasure) and each.pairing == "transport":
        return (
            'A transport in units of mass, lcm(M, N) on each side, spread evenly: `measure("transport").model(h, true, pred)` '
            "prints, exports and solves it."
        )
    if isinstance(each, PairMeasure):
        defaults = (
            "no default class" if each.default_cost is None else f"default classes at a cost of {each.default_cost}"
        )
        costs = "shortest paths" if isinstance(each.cost, ShortestPath) else f"`{each.cost}`"
        return (
            f"Problem 1 with bounds {each.bounds.predicted} on predicted and {each.bounds.true} on true classes, "
            f"{defaults}, and {costs} as costs. `measure(\"{each.name}\").model(h, true, pred)` prints, exports and "
            "solves it."
        )  # fmt: skip
    assert isinstance(each, SetMeasure)
    return MODELS[each.augment.name]


def weighed(each: Measure, name: str) -> Measure:
    """The measure with what it needs to score a case: each class weighs 1."""
    classes = examples.case(name).hierarchy
    return each.changed(**{key: dict.fromkeys(classes, 1.0) for key in NAMED[each.name].needed})


def case_words(each: Measure, name: str, drawn: bool) -> str:
    """The case with its value, and what the paper prints."""
    case = examples.case(name)
    value = weighed(each, name).score(case.hierarchy, case.true, case.pred, undefined="nan")
    true, pred = (", ".join(sorted(side)) for side in (case.true, case.pred))
    words = f"True {{{true}}}, predicted {{{pred}}}: {each.name} is "
    words += "undefined." if value != value else f"{float(value):.4g}."
    words += " (Each class weighs 1 here.)" if NAMED[each.name].needed else ""
    for line in paper.compare_case(case):
        if line.value == each.name:
            words += f" The paper prints {line.printed}" + (f": {line.reason}." if line.reason else ".")
    return f"{words}\n\n![The case, drawn]({each.name}.svg)" if drawn else words


def case_picture(each: Measure, name: str) -> str | None:
    """The drawing of a case, None where there is nothing to draw."""
    case = examples.case(name)
    batch = Batch.of(case.hierarchy, [list(case.true)], [list(case.pred)])
    try:
        return explain(batch, {each.name: weighed(each, name)}).picture().to_svg()
    except ValueError:
        return None


def errata_page() -> str:
    """Cases and correlation cells that differ from what the paper prints."""
    cases = [
        [case.name, line.value, str(line.printed), f"{line.ours:.4g}", line.reason]
        for case in examples.cases()
        for line in paper.compare_case(case)
        if line.reason
    ]
    cells = [
        [table.title, f"{cell.first}, {cell.second}", f"{cell.printed:.3f}", f"{cell.ours:.3f}"]
        for table in paper.rankings()
        for cell in table.cells
        if cell.differs
    ]
    agreements = "; ".join(f"{table.agreements} of {len(table.cells)} in {table.title}" for table in paper.rankings())
    return f"""# Errata of the paper

Where the tables of Kosmopoulos et al. do not follow from the paper's own definitions. `hemlp cases` prints all case tables beside
ours, `python scripts/paper_rankings.py` all correlation tables. MGIA_error is the total cost of the pairs of MGIA.

## Case tables

{Table(["case", "measure", "printed", "ours", "why"], cases).to_markdown()}
## Kendall's τ between measures

Computed from the scores that the paper prints, as many equal the printed ones: {agreements}. These differ:

{Table(["table", "measures", "printed", "ours"], cells).to_markdown()}
## Slips in the text, harmless once known

- The inequality in Definition 2 is reversed.
- The sum of Problem 1 swaps M and N.
- The text on Equation 4 says that a class is removed from Ŷ_aug and means Y_aug.
- The figure of GIE swaps P_N and T_M.
- The ∩ in GetBestPaths of Algorithm 1 is a misprint for ∪.
- Each class cannot be paired on its own in MGIA: see {{doc}}`choices`.
- There is no case 5, and the GIE columns of the two DBpedia Large tables with different maximum paths are identical.
"""


PACKAGE = Path(hemlp.__file__).parent
STEP, LETTER = 24, 7
"""Of the picture of the packages: the size of a cell, and the room for a letter."""


def architecture_picture() -> str:
    """Who imports whom: one row a part of the library, the top first, with a dot above each part that it imports."""
    files = [path for path in sorted(PACKAGE.rglob("*.py")) if path.parent != PACKAGE or path.stem[:2] != "__"]
    imported: dict[str, set[str]] = {_part(path): set() for path in files}
    for path in files:
        imported[_part(path)] |= set(_imports(path)) & imported.keys() - {_part(path)}

    @cache
    def level(part: str) -> int:
        return 1 + max(map(level, imported[part]), default=-1)

    parts = sorted(imported, key=lambda part: (level(part), part))
    height = STEP * len(parts)
    grid, lines = [], []
    for k, part in enumerate(parts):
        x, y = STEP * k + STEP // 2, height - STEP * k - STEP // 2
        grid.append(f'<path d="M{x} {y} V{STEP // 2} M{x} {y} H{STEP // 2}" class="line"/>')
        dots = (STEP * parts.index(other) + STEP // 2 for other in imported[part])
        lines += [f'<circle cx="{dot}" cy="{y}" r="4"/>' for dot in sorted(dots)]
        lines.append(f'<rect x="{x - 6}" y="{y - 6}" width="12" height="12" rx="3"/>')
        lines.append(
            f'<text x="{x + 12}" y="{y + 4}"><tspan class="name">{part}</tspan> {markup(_purpose(part))}</text>'
        )
    width = max(STEP * (k + 2) + LETTER * len(f"{part} {_purpose(part)}") for k, part in enumerate(parts))
    style = (
        "text{font:12px sans-serif;fill:#555}.name{font-weight:bold;fill:#222}circle{fill:#1f6f8b}"
        "rect{fill:#e07b39}.line{stroke:#e4e4e4;fill:none}"
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    back = f'<rect width="{width}" height="{height}" style="fill:#fff"/>'
    return "\n".join([head, f"<style>{style}</style>", back, *grid, *lines, "</svg>", ""])


def _part(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _imports(path: Path) -> list[str]:
    """The parts that a file imports when it is imported or used, not those that only type checkers see."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hidden = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    seen = [node for node in ast.walk(tree) if id(node) not in hidden]
    names = [f"{n.module}.{alias.name}" for n in seen if isinstance(n, ast.ImportFrom) for alias in n.names]
    names += [alias.name for n in seen if isinstance(n, ast.Import) for alias in n.names]
    return [name.split(".")[1] for name in names if name.startswith("hemlp.")]


def _purpose(part: str) -> str:
    """The first sentence of what a part says about itself."""
    path = PACKAGE / part / "__init__.py" if (PACKAGE / part).is_dir() else PACKAGE / f"{part}.py"
    words = " ".join((ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n\n")[0].split())
    return shorten(words.partition(". ")[0].rstrip(".").replace("``", ""), 90, placeholder=" …")


if __name__ == "__main__":
    write_pages(Path(__file__).parent)
    notebook.refresh()
