"""What docstrings and pages say is true: doctests run, parameters are those of the signature, examples have types."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hemlp
import hemlp.testing
from hemlp.measures.catalogue import NAMED
from hemlp.measures.naming import about_parameter
from hemlp.optimize.model import Model
from tests.test_project import PAGES, ROOT, blocks

PACKAGE = Path(hemlp.__file__).parent
MODULES = sorted(
    ".".join(("hemlp", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if path.stem != "__main__"
)


@pytest.mark.parametrize("name", MODULES)
def test_doctests_of_modules(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_there_are_doctests():
    finder = doctest.DocTestFinder(exclude_empty=True)
    tests = [test for name in MODULES for test in finder.find(importlib.import_module(name))]
    assert sum(len(test.examples) for test in tests) > 200


@pytest.mark.parametrize("name", MODULES)
def test_public_methods_are_explained_there_or_by_what_they_override(name):
    module = importlib.import_module(name)
    kinds = [kind for kind in vars(module).values() if inspect.isclass(kind) and kind.__module__ == name]
    for kind in kinds:
        inner = kind.__name__.startswith("_") or getattr(kind, "_is_protocol", False)
        for method, found in {} if inner else vars(kind).items():
            function = getattr(found, "fget", getattr(found, "__func__", found))
            own = inspect.isfunction(function) and function.__name__ == method and not method.startswith("_")
            assert not own or inspect.getdoc(getattr(kind, method)), f"{kind}.{method}"


ITSELF = {"self", "cls", "ev"}
"""What methods call the object that they belong to."""


def methods(kind):
    """Public methods of a class that take arguments, but for those that a base outside of hemlp brings."""
    for name in dir(kind):
        getattr(kind, name)  # what is loaded when it is asked for
        found = inspect.getattr_static(kind, name)
        function = getattr(found, "__func__", found)
        if name.startswith("_") or not inspect.isfunction(function) or not function.__module__.startswith("hemlp"):
            continue
        if set(inspect.signature(function).parameters) - ITSELF:
            yield f"{kind.__name__}.{name}", function


SHOWN = (
    hemlp.Evaluation, hemlp.Hierarchy, hemlp.Measure, hemlp.LabelSets, hemlp.Batch, Model, hemlp.ScoredSets,
    hemlp.Curve, hemlp.Cafa, hemlp.Tuned,
)  # fmt: skip
"""Classes whose methods users call."""
INNER = {
    "Evaluation": ("blocks",),
    "Hierarchy": ("ambiguous_label", "find", "from_data", "look_up", "numbers", "with_isolated", "up_distance_chunks"),
    "Measure": (),
    "LabelSets": ("place", "row_of"),
    "Batch": ("concatenate", "first", "over"),
    "ScoredSets": (
        "from_entries",
        "first",
        "look_up",
        "select",
        "over",
        "place",
        "ranking",
        "take_rows",
        "without_repeats",
    ),
    "Curve": (),
    "Cafa": (),
    "Tuned": ("rule", "rules", "kept"),
    "Model": (
        "certify",
        "check",
        "check_stage",
        "confirm",
        "failure",
        "infeasibility",
        "joined",
        "refute",
        "stage_words",
        "verify",
    ),
}
"""Methods that other parts of hemlp call, or that say in a line what they take."""
PUBLIC = {
    **{name: function for kind in SHOWN for name, function in methods(kind)
       if name.partition(".")[2] not in INNER[kind.__name__]},
    **{name: each for name in hemlp.__all__ if inspect.isfunction(each := getattr(hemlp, name))},
    **{name: getattr(hemlp.metrics, name) for name in hemlp.metrics.__all__},
    **{f.__name__: f for f in (hemlp.testing.check_solver, hemlp.testing.check_measure, hemlp.testing.assert_no_drop)},
    **{kind.__name__: kind for kind in (
        hemlp.PairMeasure, hemlp.PairScore, hemlp.SetMeasure, hemlp.SetScore, hemlp.Bounds, hemlp.ShortestPath,
        hemlp.costs.MatrixCost,
    )},
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_every_named_measure_says_where_it_was_published(name):
    reference = NAMED[name].reference
    assert re.search(r"\b(19|20)\d\d\b", reference), "no year"
    for doi in re.findall(r"doi:([^;]*)", reference):
        assert re.fullmatch(r"10\.\d{4,5}/[\w./-]+\w", doi), doi


@pytest.mark.parametrize("name", PUBLIC)
def test_parameters_are_those_of_the_signature(name):
    words = inspect.getdoc(PUBLIC[name])
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", words, re.M | re.S)
    assert section, f"{name} has no section Parameters"
    told = {each for line in re.findall(r"^(\w.*)$", section.group(1), re.M) for each in line.split(", ")}
    assert told == set(inspect.signature(PUBLIC[name]).parameters) - (ITSELF if "." in name else set())


@pytest.mark.parametrize("name", hemlp.__all__)
def test_whatever_is_public_is_explained(name):
    each = getattr(hemlp, name)
    if inspect.isfunction(each) or inspect.isclass(each):
        words = inspect.getdoc(each)
        assert words
        assert not words.startswith(f"{name}("), "the signature alone explains nothing"
        if inspect.isfunction(each):
            assert ">>>" in words, f"{name} has no example"


@pytest.fixture(scope="module")
def generate():
    """The module that makes pages from the code."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pages_that_are_made_from_the_code_are_those_of_the_code(generate):
    """Of measures, commands, study files, errata; and the pictures."""
    stale = [
        name
        for name, text in generate.pages().items()
        if not (ROOT / "docs" / name).exists() or (ROOT / "docs" / name).read_text(encoding="utf-8") != text
    ]
    assert not stale, "run python docs/generate.py"


def test_no_page_is_left_of_a_measure_that_is_gone(generate):
    kept = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs" / "measures").iterdir()}
    assert kept <= generate.pages().keys()


def test_every_parameter_is_explained():
    for named in NAMED.values():
        for key in named.template.parameters:
            assert about_parameter(named.template, key), f"{key} of {named.template.name}"


def test_the_reference_has_every_command_and_option(generate):
    """Also in the words of the study file, which are those of the options."""
    page = generate.reference.commands_page()
    for name, command in generate.reference.commands.commands.items():
        section = page.partition(f"\n## hemlp {name}\n")[2].partition("\n## ")[0]
        for param in command.params:
            assert (param.opts[-1] if param.param_type_name == "option" else param.make_metavar(None)) in section
            assert all(f" / {other}`" in section for other in param.secondary_opts)  # --no-intervals
    assert "| `cycles` | What to do with cycles of the hierarchy. One of `error`, `condense`, `break`. |" in (
        generate.reference.study_page()
    )


def test_the_gallery_shows_the_pictures_that_its_code_makes(tmp_path, monkeypatch):
    page = ROOT / "docs" / "gallery.md"
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks(page), str(page), "exec"), {"__name__": "__docs__"})
    shown = set(re.findall(r"\]\(pictures/(\w+\.svg)\)", page.read_text(encoding="utf-8")))
    assert {path.name for path in (tmp_path / "pictures").iterdir()} == shown
    for name in ("graphs.svg", "pairs.svg", "network.svg"):  # drawn by hemlp alone
        made, kept = (folder / "pictures" / name for folder in (tmp_path, ROOT / "docs"))
        assert made.read_text(encoding="utf-8") == kept.read_text(encoding="utf-8"), name


def test_the_first_number_of_the_readme(tmp_path, monkeypatch):
    """Its three files, side by side on the page, give what is shown below them."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```text\n(taxonomy.csv .*?)^```", page, re.M | re.S)
    head, *lines = shown.splitlines()
    starts = [found.start() for found in re.finditer(r"\S+", head)]
    for name, start, stop in zip(head.split(), starts, [*starts[1:], None], strict=True):
        cells = [line[start:stop].strip() for line in lines]
        (tmp_path / name).write_text("\n".join(filter(None, cells)) + "\n")
    monkeypatch.chdir(tmp_path)
    ev = hemlp.evaluate("taxonomy.csv", "gold.csv", {"predictions": "predictions.csv"}, ["F_H", "F_LCA"])
    assert "\n".join(str(ev.table()).splitlines()[:4]) in page


def test_links_of_the_documentation_lead_somewhere():
    """Also without a build: in the repository, or in the package of sources."""
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), ROOT / "CONTRIBUTING.md"]:
        if "_build" in page.parts:
            continue
        text = re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if not re.match(r"\w+:", target):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_formulas_of_pages_are_understood():
    """By what makes MathML of them: an environment that it does not know stays on one line, with its signs."""
    converter = pytest.importorskip("latex2mathml.converter")
    texts = [page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts]
    formulas = [formula for text in texts for formula in re.findall(r"\$\$(.*?)\$\$", text, re.S)]
    assert len(formulas) > 30
    for formula in formulas:
        made = converter.convert(formula, display="block")
        assert "<mi>&</mi>" not in made, formula
        assert "\\" not in made, formula


def test_rows_of_tables_have_the_cells_of_their_head():
    for page in (each for each in (ROOT / "docs").rglob("*.md") if "_build" not in each.parts):
        for table in re.findall(r"(?:^\|.*\n)+", page.read_text(encoding="utf-8"), re.M):
            cells = [len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()]
            assert len(set(cells)) == 1, (page.name, table.splitlines()[cells.index(max(cells))])


def test_the_api_page_has_all_public_functions_and_classes():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    places = {
        "hemlp": hemlp,
        **{f"hemlp.{name}": getattr(hemlp, name) for name in ("bounds", "costs", "solvers", "stats")},
    }
    public = {f"{place}.{name}": getattr(module, name) for place, module in places.items() for name in module.__all__}
    callables = [name for name, each in public.items() if inspect.isfunction(each) or inspect.isclass(each)]
    missing = [name for name in callables if not re.search(rf"[.]{name.rpartition('.')[2]}$", page, re.M)]
    assert missing == ["hemlp.HemlpError"]  # with all errors, by their module


def test_the_architecture_page_names_every_part():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    parts = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PACKAGE.rglob("*.py")}
    missing = [part for part in parts if not part.startswith("__") and f"`{part}`" not in page]
    assert not missing, missing


def test_examples_of_the_documentation_have_types(tmp_path):
    """All pages at once, each a module of its own, as their readers' type checkers would see them."""
    for page in PAGES:
        name = re.sub(r"\W", "_", page.stem)
        (tmp_path / f"page_{name}.py").write_text(blocks(page), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml"), str(tmp_path)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_glossary_is_in_order():
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = [word.lower().replace("`", "").replace("⊤", "top") for word in re.findall(r"^(.+)\n: ", page, re.M)]
    assert len(words) > 50
    assert words == sorted(words)


def test_the_table_of_the_front_page():
    """What its code prints first is what stands below the code."""
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```text\n(.*?)^```", page, re.M | re.S)
    scope: dict[str, object] = {}
    exec(blocks(ROOT / "docs" / "index.md"), scope)
    assert str(scope["ev"].table(intervals=False)).startswith(shown.rstrip("\n"))
