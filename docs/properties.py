"""The page of properties: all named measures by all properties, with every smallest counter-example drawn.

``python docs/properties.py`` writes docs/properties.md and docs/properties/*.svg; it takes about a minute.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hemlp.analysis.properties.catalogue import PROPERTIES, THEOREMS, Property
from hemlp.analysis.properties.check import MOST_EXHAUSTIVE, Properties, check_properties
from hemlp.analysis.properties.counterexamples import Counterexample, braces
from hemlp.analysis.properties.losses import Variant, shapes_up_to
from hemlp.measures.catalogue import NAMED
from hemlp.measures.factory import measure
from hemlp.text.tables import plural

DOCS = Path(__file__).parent
LABELS = 3
FURTHER = ("MGIA(normalizer='union')",)
"""Measures on the page beside the named ones."""
PROBLEMS = (
    ("pairing", "− + + + +", "a hit never hurts"),
    ("alternative paths", "+ + − − +", "nearer is never worse"),
    ("multiple counting", "− − + + +", "edges never reverse"),
    ("long distance", "+ + * * *", "roots do not matter"),
    ("over- and under-specialisation", "+ + + + +", "nearer is never worse, on trees"),
)
"""The paper's problems, what its summary says of ``COMPARED`` (*: if modified), and the property that is nearest."""
COMPARED = ("GIE", "MGIA", "F_H", "SDL", "F_LCA")
INTRODUCTION = """# Properties of the measures

Is it a metric? Can a correct class make it worse? For each measure and each property this page has the smallest instance on which
the property does not hold, or says that there is none of that size. It is made by the library, and so is such a list for a measure
of your own:

```python
import hemlp

mine = hemlp.PairMeasure("mine", hemlp.Bounds((1, 2), (1, 2)), default_cost=3)
found = hemlp.properties(mine, classes=3)
assert found.proved == {{"symmetric": "symmetric bounds and costs"}}
example = found.refuted["triangle"]
assert str(example) == "0>1: ∅ {{0}} {{0,1}}: 3 + 1 < 6"
assert (example.true, example.pred, example.other, example.values) == ((), (0,), (0, 1), (3, 1, 6))
example.picture()  # draws itself in a notebook
```

On the command line: `hemlp properties GIE F_LCA "PairMeasure('mine', Bounds((1, 2), (1, 2)), default_cost=3)" --classes 5 --svg DIR`.

d(T, P) is the error of a measure for the true classes T and the predicted classes P, or what its score is below that of the perfect
prediction, m(T, T) − m(T, P). A hierarchy is written by its edges: `0>1,2 1>3` has the edges 0>1, 0>2 and 1>3, and a number by
itself is a class without edges.

**How it is found.** All {shapes} hierarchies of at most {classes} classes are tried, one of each isomorphism class, with all label sets
of at most {labels} labels, the empty one included. The smallest counter-example comes first in this order: number of classes; trees,
other DAGs with one root, other DAGs; number of edges; list of edges; number of labels; label sets; added class, neighbour or edge.
Undefined values are left out, and values count as different beyond 1e-9. Every counter-example is scored again by a solver of
linear programs. *Proved* is what a theorem says:
"""


def results() -> list[Properties]:
    """Of all measures of the page."""
    measures = [measure(name) for name in (*NAMED, *FURTHER)]
    return check_properties(measures, MOST_EXHAUSTIVE, LABELS)


def cell(found: Properties, name: str) -> str:
    """One verdict: proved, the classes of the smallest counter-example, or nothing found."""
    verdict, trees = found.verdict(name), (found.on_trees or found).verdict(name)
    if verdict == "refuted":
        size = len(found.refuted[name].hierarchy)
        return f"✗ {size}" + ("" if trees == "refuted" else ", trees proved" if trees == "proved" else ", trees –")
    return {"proved": "proved", "none found": "–", "no case": "no case"}[verdict]


def table(every: Sequence[Properties]) -> str:
    """Measures by properties."""
    head = ["measure", *(f"[{each.name}](#{anchor(each.name)})" for each in PROPERTIES)]
    rows = [[_linked(found), *(cell(found, each.name) for each in PROPERTIES)] for found in every]
    return _table(head, rows)


def problems_table(every: Sequence[Properties]) -> str:
    """The paper's problems beside the properties."""
    named = {found.measure.display_name: found for found in every}
    head = ["problem", *(f"{name}: paper, here" for name in COMPARED), "the property that is nearest"]
    rows = []
    for problem, signs, words in PROBLEMS:
        name, _, trees = words.partition(", on ")
        known = [named[of].on_trees if trees else named[of] for of in COMPARED]
        beside = [f"{sign}, {cell(found, name)}" for sign, found in zip(signs.split(), known, strict=True)]
        rows.append([problem, *beside, f"[{words}](#{anchor(name)})"])
    return _table(head, rows)


def section(each: Property, every: Sequence[Properties], pictures: dict[str, str]) -> str:
    """A property: its words, who has it, and each counter-example with the measures whose smallest one it is."""
    lines = [f"## {each.name[0].upper()}{each.name[1:]}", "", f"{each.words[0].upper()}{each.words[1:]}.", ""]
    for verdict, words in (("proved", "Proved for"), ("none found", "None found for"), ("no case", "No case for")):
        which = [found for found in every if found.verdict(each.name) == verdict]
        if which:
            cases = f" ({_cases(which, each.name)})" if verdict == "none found" else ""
            lines += [f"{words} {', '.join(map(_linked, which))}{cases}.", ""]
    groups: dict[str, list[Properties]] = {}
    for found in every:
        if each.name in found.refuted:
            groups.setdefault(instance(found.refuted[each.name]), []).append(found)
    for number, (words, which) in enumerate(groups.items(), 1):
        file = f"properties/{anchor(each.name)}-{number}.svg"
        pictures[file] = drawn(which[0].refuted[each.name])
        lines += [f"![{words}]({file})", "", *(f"- {sentence(found, each.name)}" for found in which), ""]
    return "\n".join(lines)


def sentence(found: Properties, name: str) -> str:
    """As for a paper, and what is known of trees where that is something else."""
    trees, words = found.on_trees, found.refuted[name].sentence
    if trees is None or name in trees.refuted:
        return words
    return f"{words} On trees: {'proved by ' * (name in trees.proved)}{trees.words(name)}."


def instance(example: Counterexample) -> str:
    """Hierarchy, sets and change, without values."""
    text = str(example)
    return text[: text.rindex(": ")]


def drawn(example: Counterexample) -> str:
    """The picture of an instance that several measures may share: its title names the label sets."""
    picture = example.picture()
    change = f", {example.witness}" if isinstance(example.witness, Variant) else ""
    picture.title = ", ".join(f"{mark} = {braces(each)}" for mark, each in example.label_sets.items()) + change
    return picture.to_svg()


def page(every: Sequence[Properties]) -> tuple[str, dict[str, str]]:
    """The page, and its pictures by their paths within docs."""
    pictures: dict[str, str] = {}
    shapes = sum(1 for _ in shapes_up_to(MOST_EXHAUSTIVE))
    words = INTRODUCTION.format(shapes=shapes, classes=MOST_EXHAUSTIVE, labels=LABELS)
    theorems = "\n".join(f"- *{each.name}*: {each.words}." for each in THEOREMS)
    parts = [
        words + "\n" + theorems,
        "## All measures",
        f"✗ n: refuted, by a hierarchy of n classes. –: none up to {MOST_EXHAUSTIVE} classes and {LABELS} labels. "
        "proved: by a theorem above. no case: the measure is undefined on all of them. "
        '"trees": what is known of trees, where that is something else. ICM and simGIC have the weights of a corpus in '
        "which each class is the label of one instance.",
        table(every),
        "## The paper's problems",
        "Kosmopoulos et al. judge five measures by five problems ([drawn here](which-measure.md)): + is what they want, "
        "− what they do not, * what a horizon helps. Each is a question about certain instances, so no property is the "
        "same; beside each sign stands the verdict on the property that is nearest.",
        problems_table(every),
        *(section(each, every, pictures) for each in PROPERTIES),
        "## Two measures",
        "Two measures can order two predictions differently. `hemlp.counterexample` finds the smallest such instance, and "
        "says how often it happens on your own data:\n\n```python\nfrom hemlp import examples\n\n"
        'apart = hemlp.counterexample("F_LCA", "MGIA")\n'
        "assert apart is not None  # None if there is none of that size\n"
        'assert str(apart) == "0>1: true {1}, predicted {0} or {0,1}: F_LCA 0.667 < 1, MGIA 0.9 > 0.8"\n\n'
        'mesh = examples.mesh_mini()\nev = hemlp.evaluate(mesh.hierarchy, mesh.true, mesh.systems, ["F_LCA", "MGIA"])\n'
        "apart.frequency(ev)  # for each two systems: instances, and how many of them the measures order differently\n```",
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n", pictures


def anchor(name: str) -> str:
    """A heading as a link."""
    return name.replace(" ", "-")


def _cases(which: Sequence[Properties], name: str) -> str:
    numbers = sorted({found.cases[name] for found in which})
    return plural(numbers[0], "case") if len(numbers) == 1 else f"{numbers[0]:,} to {numbers[-1]:,} cases"


def _linked(found: Properties) -> str:
    name = found.measure.name
    return f"[{found.measure.display_name}](measures/{name}.md)" if name in NAMED else found.measure.display_name


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *rows))


if __name__ == "__main__":
    text, images = page(results())
    (DOCS / "properties").mkdir(exist_ok=True)
    for old in (DOCS / "properties").glob("*.svg"):
        old.unlink()
    for path, image in images.items():
        (DOCS / path).write_text(image, encoding="utf-8")
    (DOCS / "properties.md").write_text(text, encoding="utf-8")
