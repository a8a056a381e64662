"""Texts and files that hold names of any kind: terminals, Markdown, LaTeX, CSV, HTML, SVG, LP, MPS, JSON, messages."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import pickle
import pty
import re
import shutil
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from hemlp import Evaluation, Hierarchy, evaluate, examples, measure
from hemlp.cli.main import commands
from hemlp.errors import HemlpError, InvalidOption
from hemlp.escaping import csv_cell, csv_value, json_text, latex, markdown, markup, printable
from hemlp.measures.factory import shorten
from hemlp.report.outputs import _csv_lines, tables_text, write_per_instance
from hemlp.text.tables import Table

SCHEMA = Path(__file__).parent.parent / "docs" / "evaluation.schema.json"
NASTY = [
    "a\nb", "a\r\nb", "a\tb", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x9b31m", "a\x00b", "\x7f", "\u202egnp.exe",
    "\u2066x\u2069", "line\u2028end", "a|b", "a\\|b", "back\\", "<script>alert(1)</script>", "<img src=x onerror=y>",
    "&lt;", "[x](javascript:y)", "![x](y)", "`code`", "*bold*", "__init__", "$x$", "~~gone~~", "# head", "- item",
    "1. one", "> quote", "+ plus", "---", ":::note", r"\input{/etc/passwd}", r"\end{tabular}", "50%", "a & b", "{x}",
    "x^2", "~", "C #", "#", "[2pt]", "*", "=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "'=1", "-0.5", "-5", "a,b",
    'a"b', "a\ud800b", "\ufffe", "", " ", "  lead",
]  # fmt: skip
anything = st.one_of(
    st.sampled_from(NASTY),
    st.text(max_size=12),
    st.text(st.sampled_from("|\\`*_[]<>&$#-+=@'\t\r\n\x1b~{}%^"), max_size=8),
)
STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def shown(text: str) -> str:
    """What a reader sees of a name: control characters as Python writes them."""
    return STEERING.sub(lambda found: found.group().encode("unicode_escape", "surrogatepass").decode(), text)


# ---- one function for each kind of text


@given(anything)
def test_printable_texts_are_one_line_that_steers_nothing(name):
    assert printable(name) == shown(name)
    assert not STEERING.search(printable(name))
    assert printable(printable(name)) == printable(name)
    assert len(printable(name).splitlines()) <= 1


def test_different_control_characters_stay_different():
    names = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), 0x202E, 0xD800)]
    assert len({printable(name) for name in names}) == len(names)


def rendered(text: str) -> tuple[str, list[str]]:
    """The text of a Markdown document as HTML shows it, and its tags."""
    words, tags = [], []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            tags.append(tag)

        def handle_data(self, data):
            words.append(data)

    Reader().feed(MarkdownIt("gfm-like", {"linkify": False}).render(text))
    return "".join(words), tags


@given(st.tuples(anything, anything.filter(bool)), anything)
def test_markdown_shows_names_as_they_are(cells, note):
    table = Table(["system", "x"], [cells], [note])
    text = table.to_markdown()
    assert len(text.splitlines()) == 5
    words, tags = rendered(text)
    assert [tag for tag in tags if tag not in ("p",)] == [
        "table",
        "thead",
        "tr",
        "th",
        "th",
        "tbody",
        "tr",
        "td",
        "td",
        "ul",
        "li",
    ]
    seen = [word.strip() for word in words.split("\n") if word.strip()]
    assert seen == ["system", "x", *(shown(name).strip() for name in (*cells, note) if shown(name).strip())]


@given(anything)
def test_titles_in_markdown_are_shown_as_they_are(name):
    text = tables_text([(f"a and {name}", Table(["x"], [["y"]]))], ".md")
    words, tags = rendered(text.split("\n\n")[0])
    assert tags == ["h2"]
    assert words.strip() == f"a and {shown(name)}".strip()


def test_usual_names_are_not_changed_in_markdown():
    for name in ("F_LCA ↑", "svm_ovr_freq60", "0.4346 (1)", "-0.5", "MGIA(default_cost=4)"):
        assert markdown(name) == name


@given(anything)
def test_latex_holds_no_command_but_ours(name):
    text = latex(name)
    assert "\n" not in text
    assert "\r" not in text
    left = re.sub(
        r"\\text(backslash|asciitilde|asciicircum|less|greater|bar)\{\}|\\[_%&#${}]|\$-\$|\$\\(uparrow|downarrow|tau)\$",
        "",
        text,
    )
    assert not set(left.replace("-{}-", "--").removeprefix("{}")) & set("\\_%&#${}~^<>|")
    assert not text.startswith(("[", "*"))


@pytest.mark.parametrize("name", NASTY)
def test_notes_and_titles_stay_in_latex_comments(name):
    text = tables_text([(f"{name} and b", Table(["x"], [[name]], [f"{name}: a note"]))], ".tex")
    lines = text.split("\n")
    assert [line[:1] for line in lines[:3]] == ["%", "%", "%"]
    assert lines[3] == r"\begin{tabular}{l}"
    assert len(lines) == 11
    assert not STEERING.search(text.replace("\n", ""))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX here")
def test_latex_compiles(tmp_path):
    names = [name for name in NASTY if name.isascii()]
    marks = {(k, k % 2): "best" if k % 3 else "equal" for k in range(len(names))}
    table = Table(["system", "F_LCA ↑"], [[name, "-0.5"] for name in names], names, marks).to_latex()
    rules = r"\let\toprule\hline\let\midrule\hline\let\bottomrule\hline"  # where the package is not installed
    head = rf"\documentclass{{article}}\IfFileExists{{booktabs.sty}}{{\usepackage{{booktabs}}}}{{{rules}}}"
    (tmp_path / "t.tex").write_text(rf"{head}\begin{{document}}{chr(10)}{table}\end{{document}}")
    subprocess.run(["pdflatex", "-interaction=batchmode", "-halt-on-error", "t.tex"], cwd=tmp_path, check=True)


@given(
    anything
    | st.builds(
        "{}{}{}".format,
        st.text(" \t\r\n\xa0\u3000\ufeff\xad\u200e\u2060'"),
        st.sampled_from("=+-@＝＋－＠−﹦﹢"),
        anything,
    )
)
def test_csv_cells_are_no_formulas_and_can_be_read_back(name):
    cell = csv_cell(name)
    number = re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", name, re.ASCII)
    shown = unicodedata.normalize(
        "NFKC", re.sub(r"^[\s\ufeff\u200b\x00-\x1f\xad\u200e\u2060]+", "", cell)
    )  # full-width signs count
    assert number or not shown.startswith(("=", "+", "-", "@"))
    assert number or not cell.startswith(("\t", "\r", "\n"))
    assert not number or cell == name
    if not re.search("[\ud800-\udfff]", name):
        assert csv_value(cell) == name
    (row,) = csv.reader(io.StringIO(_csv_lines([[name, -0.5, math.nan, -7]]), newline=""))
    assert row == [cell, "-0.5", "", "-7"]


@given(anything)
def test_json_texts_are_read_back_and_steer_nothing(name):
    assert json.loads(json_text({name: [name]})) == {name: [name]}
    assert not STEERING.search(json_text(name))
    json_text(name).encode("utf-8")


@given(anything)
def test_markup_is_text(name):
    assert ET.fromstring(f"<a b='{markup(name)}'>{markup(name)}</a>").text in (shown(name), None)


# ---- every output of an evaluation, with every kind of name


@pytest.fixture(scope="module")
def nasty() -> Evaluation:
    labels = [name for name in NASTY if name.strip()]
    h = Hierarchy.from_edges([("root", label) for label in labels])
    true = {label: [label] for label in labels}
    systems = {f"{name}!": {label: ["root"] for label in labels} for name in labels[::3]}
    return evaluate(h, true, systems, ["F_H", "GIE", "F_LCA", "TIE"], names={labels[0]: "\x1b[1m<b>|\n"}, rows="sets")


def test_texts_of_an_evaluation_steer_nothing(nasty):
    first, second = nasty.systems[:2]
    texts = [
        str(nasty), str(nasty.compare(first, second)), str(nasty.significance("F_H")), str(nasty.kendall(5)),
        str(nasty.explain(first, 0)), str(nasty.explain(second, 5)),
        str(measure("GIE").model(nasty.inputs.given, ["a\nb"], ["\x1b[31mred\x1b[0m"])),
    ]  # fmt: skip
    for text in texts:
        assert not STEERING.search(text.replace("\n", ""))
    assert len(texts[0].split("\n\n")[1].splitlines()) == 1 + 2 * len(nasty.systems)  # intervals below means


def test_exports_hold_labels_in_comments_only(nasty):
    h = nasty.inputs.given
    labels = [label for label in h if label != "root"]
    model = measure("GIE").model(h, labels[:20], labels[20:])
    for text, sign, end in ((model.to_lp(), "\\", "Minimize"), (model.to_mps(), "*", "NAME hemlp")):
        comments, body = text.split(f"{end}\n", 1)
        assert all(line.startswith(f"{sign} ") for line in comments.splitlines())
        assert re.fullmatch(r"[\w\s.:<>=+'-]*", body, re.ASCII)
        assert text.isascii()
        assert not STEERING.search(text.replace("\n", ""))


def test_report_page_and_drawings_hold_names_as_text(nasty, tmp_path):
    nasty.to_html(tmp_path / "r.html", "a\x1b\u202e<i>\nb")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert not STEERING.search(text.replace("\n", ""))
    assert "<script>alert" not in text
    assert "<img" not in text
    explanation = nasty.explain(nasty.systems[0], 2)
    ET.fromstring(explanation.picture().to_svg())
    explanation.picture().to_png(tmp_path / "x.png")
    network = nasty.explain(nasty.systems[1], 3, ["GIE"]).picture().to_svg()
    assert not STEERING.search(network.replace("\n", ""))
    assert not STEERING.search(nasty._repr_html_())


def test_rows_of_any_id_are_read_back(nasty, tmp_path):
    usual = Evaluation(
        {f"s{k}": scores for k, scores in enumerate(nasty.scores.values())}, nasty.greater_is_better,
        {f"s{k}": facts for k, facts in enumerate(nasty.facts.values())}, nasty.inputs,
    )  # fmt: skip
    write_per_instance(usual, tmp_path)
    with (tmp_path / "s0.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    expected = [name if name != "a\ud800b" else "a\\ud800b" for name in nasty.inputs.ids]
    assert [csv_value(row["id"]) for row in rows] == expected
    assert [float(row["GIE"]) for row in rows] == usual.per_instance("s0", "GIE").tolist()
    assert not [row["id"] for row in rows if row["id"].startswith(("=", "+", "@", "\t", "\r"))]


def test_names_that_no_file_can_have(nasty, tmp_path):
    ev = evaluate(Hierarchy.from_edges([("a", "b")]), ["b"], {"x\ud800": ["b"]}, ["F"])
    with pytest.raises(InvalidOption, match="cannot be the name of a file"):
        write_per_instance(ev, tmp_path)


def test_json_of_any_name_is_read_back(nasty, tmp_path):
    nasty.to_json(tmp_path / "e.json")
    again = Evaluation.from_json(tmp_path / "e.json")
    assert again.to_dict() == nasty.to_dict()
    assert again.systems == nasty.systems
    assert str(again) == str(nasty)


def test_messages_are_one_line_that_steers_nothing(tmp_path):
    for name in NASTY:
        if "\0" in name or "/" in name or "\ud800" in name or name in ("", " "):
            continue
        with pytest.raises(HemlpError) as caught:
            Evaluation.from_json(tmp_path / name / "none.json")
        assert not STEERING.search(str(caught.value)), name
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    with pytest.raises(HemlpError) as caught:
        evaluate(Hierarchy.from_edges([("a", "b")]), [["b"]], {"\x1b[2J": [["b"], ["b"]]}, ["F"])
    assert "\\x1b[2J" in str(caught.value)


# ---- a terminal


def on_terminal(*arguments: str, cwd: Path | None = None) -> tuple[int, str]:
    """Exit code and output of a command whose standard output and error are a terminal."""
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "hemlp", *arguments]
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd=cwd, env=environment) as process:
        os.close(slave)
        data = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            data += piece
    os.close(master)
    return process.returncode, data.decode("utf-8")


FOLDER = examples.DATA / "mesh_mini"
FILES = [str(FOLDER / name) for name in ("hierarchy.txt", "gold.txt", "pred_knn30.txt")]


def test_tables_on_a_terminal(tmp_path):
    name = "\x1b[31mknn\u202e"
    code, text = on_terminal(
        "evaluate", *FILES[:2], f"{name}={FILES[2]}", f"svm={FOLDER / 'pred_svm_ovr_freq60.txt'}", "-m", "F",
        "--compare", name, "svm", "--json", "a\x1b[31m.json", cwd=tmp_path,
    )  # fmt: skip
    assert code == 0, text
    assert "\x1b[31m" not in text
    assert "\u202e" not in text
    assert "\\x1b[31mknn\\u202e and svm" in re.sub("\x1b\\[[0-9;]*m", "", text)
    assert "─" in text
    assert "\x1b[1m" in text
    assert "\x1b[2m" in text
    assert "written: a\\x1b[31m.json" in text
    plain = subprocess.run(
        [sys.executable, "-m", "hemlp", "evaluate", *FILES, "-m", "F"], capture_output=True, text=True, check=True
    )
    assert "\x1b" not in plain.stdout
    assert "─" not in plain.stdout


def test_errors_on_a_terminal(tmp_path):
    code, text = on_terminal("run", "a", "\x1b[31mb", cwd=tmp_path)
    assert code == 2
    assert "unexpected extra argument (\\x1b[31mb)" in text
    code, text = on_terminal("evaluate", *FILES[:2], "\x1b[31mnone\r.txt", cwd=tmp_path)
    assert code == 2
    assert "cannot read \\x1b[31mnone\\r.txt: no such file" in text
    assert "\x1b[31m" not in text


# ---- tables


def test_the_best_of_a_column_is_told():
    ev = evaluate(
        Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x")]),
        ["x"] * 30,
        {"good": ["x"] * 29 + ["b"], "same": ["x"] * 28 + ["b", "a"], "bad": ["b"] * 30},
        ["F_LCA", "GIE"],
    )
    table = ev.table()
    assert table.emphasis == {(0, 1): "best", (1, 1): "equal", (0, 2): "best", (1, 2): "equal"}
    text = table.to_latex()
    assert r"system & $F_{\mathrm{LCA}}$ $\uparrow$ & GIE $\downarrow$ & labels \\" in text
    assert rf"good & \textbf{{{ev.mean('good', 'F_LCA'):.4f} (1) a}} [" in text
    assert r"% bold: best; \dagger: not significantly different" in text
    assert rf"same & {ev.mean('same', 'F_LCA'):.4f} (2) a$^\dagger$ [" in text
    assert text.count("rule") == 3
    for other in (ev.compare("good", "same"), ev.significance(None), ev.kendall()):
        assert "\n$F_{\\mathrm{LCA}}$ & " in other.to_latex()
    low, high = ev.interval("good", "F_LCA")
    assert rf"| **{ev.mean('good', 'F_LCA'):.4f} (1) a** \[{low:.4f}, {high:.4f}] |" in table.to_markdown()
    assert f"| **{ev.mean('good', 'F_LCA'):.4f} (1) a** |" in ev.table(intervals=False).to_markdown()
    assert "<b>" in table._repr_html_()
    assert table.head(1).emphasis == {(0, 1): "best", (0, 2): "best"}
    table.head(1).to_markdown()


def test_on_a_terminal_intervals_stand_below_their_means():
    from rich.console import Console

    table = Table(["system", "F [odd]"], [["A [x]", "0.5000 (1) [0.2500, 0.7500]"]], [], {(0, 1): "best"})
    with (console := Console(width=80)).capture() as told:
        console.print(table.to_rich())
    lines = [line.split() for line in told.get().splitlines() if line.strip()]
    assert lines[0] == ["system", "F", "[odd]"]
    assert lines[2:] == [["A", "[x]", "0.5000", "(1)"], ["[0.2500,", "0.7500]"]]
    assert len(list(table.split_to_width(27))) == 1
    wide = Table(["system", "a", "b"], [["A", "0.5000 (1) [0.2500, 0.7500]", "0.5000 (1) [0.2500, 0.7500]"]])
    assert [len(list(wide.split_to_width(width))) for width in (47, 46, 27)] == [1, 1, 2]


def test_rows_that_go_on_with_nothing_are_left_out():
    table = Table(["system", "F", "remark"], [["A", 0.0, ""], ["B", 0.5, "wins fewer instances"]])
    assert [[row[0] for row in part.rows] for part in table.split_to_width(20)] == [["A", "B"], ["B"]]


def test_parts_of_a_wide_table_say_what_their_rows_are():
    table = Table(["better", "worse", "p", "corrected"], [["A", "B", 0.5, 1.0], ["A", "C", 0.5, 1.0]])
    wide = [part.columns for part in table.split_to_width(34)]
    assert wide == [["better", "worse", "p"], ["better", "worse", "corrected"]]
    narrow = [part.columns for part in table.split_to_width(20)]
    assert narrow == [["better", "worse"], ["better", "p"], ["better", "corrected"]]


def test_a_lone_system_has_no_rank():
    ev = evaluate(Hierarchy.from_edges([("r", "a"), ("r", "b")]), ["a"], {"A": ["b"]}, ["F_H"])
    assert ev.table().rows == [["A", "0.5000 [0.5000, 0.5000]", "1.00"]]
    assert ev.table(intervals=False).rows == [["A", "0.5000", "1.00"]]
    assert ev.table().notes[0] == "1 instance"
    assert ev.table().emphasis == {}
    assert ev.table(digits=2).rows == [["A", "0.50 [0.50, 0.50]", "1.00"]]
    with pytest.raises(InvalidOption, match="digits=-1"):
        ev.table(digits=-1)


def test_notes_are_short_unless_asked_otherwise():
    ev = evaluate(Hierarchy.from_edges([("r", "a"), ("r", "b")]), ["a"], {"A": ["b"], "B": ["a"]}, ["F_H", "GIE"])
    assert all(len(note) <= 80 for note in ev.table().notes)
    assert len(ev.table().notes) == 7
    assert len(ev.table(intervals=False).notes) == 6
    full = [ev.scores["A"][name].signature for name in ev.measures]
    assert ev.table(verbose=True).notes[-2:] == full
    assert ev.table().notes[-2:] == [shorten(signature) for signature in full]
    lines = str(ev.table(verbose=True)).splitlines()
    assert max(map(len, lines)) <= 100
    assert all(signature in "".join(line.strip() for line in lines) for signature in full)  # broken behind |
    assert len(full[1]) > 100


def test_small_and_large_numbers_of_a_column():
    table = Table(["x", "share"], [["a", 0.5], ["b", 0.0004], ["c", 0.0], ["d", 1e-9], ["e", math.nan]])
    assert [row[1] for row in table.cells] == ["0.5000", "0.0004", "0.0000", "1.00e-09", "undefined"]
    table = Table(["x", "cost"], [["a", 12.25], ["b", 3.0], ["c", math.inf]])
    assert [row[1] for row in table.cells] == ["12.25", "3.00", "inf"]


@given(st.lists(st.integers(1, 30), min_size=1, max_size=9), st.integers(20, 90))
def test_tables_fit_a_terminal(widths, width):
    table = Table(["x" * n for n in widths], [["y" * n for n in widths]], ["a note"], {(0, len(widths) - 1): "best"})
    parts = list(table.split_to_width(width))
    columns = [column for part in parts for column in part.columns[1:]]
    assert columns == table.columns[1:]
    assert [list(part.notes) for part in parts] == [[]] * (len(parts) - 1) + [["a note"]]
    assert list(parts[-1].emphasis.values()) == ["best"]
    for part in parts:
        lines = str(part).splitlines()[:2]
        assert max(map(len, lines)) <= width or len(part.columns) <= 2


def test_the_command_line_says_as_much_as_it_is_asked(tmp_path):
    for name, text in (("h", "r a\nr b\n"), ("gold", "a\n"), ("A", "b\n")):
        (tmp_path / f"{name}.txt").write_text(text)
    files = ["evaluate", *(str(tmp_path / f"{name}.txt") for name in ("h", "gold", "A")), "-m", "F_H"]

    def told(*options):
        return CliRunner().invoke(commands, [*files, *options])

    plain = "system   F_H ↑  labels\nA       0.5000    1.00\n\n"
    assert told("--quiet", "--no-intervals").stdout == plain
    assert told("-q", "--digits", "1").stdout.splitlines()[1].split() == ["A", "0.5", "[0.5,", "0.5]", "1.00"]
    both = told(f"B={tmp_path / 'gold.txt'}", "--quiet").stdout.splitlines()
    assert both[4:] == ["1 instance; (place) by mean", ""]
    assert told().stdout.splitlines()[0] == "F_H of A is 0.5000 [0.5000, 0.5000] on 1 instance."
    assert told("--no-intervals").stdout.splitlines()[0] == "F_H of A is 0.5000 on 1 instance."
    assert told().stdout.splitlines()[5] == "1 instance"
    assert "|horizon:None" in told("--verbose").stdout.replace("top:False,", "|")
    both = told("--verbose", "--quiet")
    assert isinstance(both.exception, InvalidOption)
    study = 'hierarchy = "h.txt"\ntrue = "gold.txt"\nmeasures = ["F_H"]\n[systems]\nA = "A.txt"\n[outputs]\ndigits = '
    for digits, good in (("2", True), ("-1", False), ('"2"', False), ("true", False)):
        (tmp_path / "s.toml").write_text(study + digits)
        run = CliRunner().invoke(commands, ["run", str(tmp_path / "s.toml"), "-q"])
        assert ("0.50 " in run.stdout) == good
        assert good or "digits = " in str(run.exception)
    for intervals in ("true", "false", "1"):
        (tmp_path / "s.toml").write_text(study + f"4\nintervals = {intervals}")
        run = CliRunner().invoke(commands, ["run", str(tmp_path / "s.toml"), "-q"])
        assert ("[" in run.stdout) == (intervals == "true")
        assert (run.stdout == plain) == (intervals == "false")
        assert intervals != "1" or "intervals = 1 is neither true nor false" in str(run.exception)


def test_a_wide_table_on_a_terminal_is_cut_between_columns(tmp_path):
    """In a terminal of 80 columns no line is longer, and no cell is broken."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "TERM": "dumb"}
    folder = examples.DATA / "mesh_mini"
    files = [str(folder / name) for name in ("hierarchy.txt", "gold.txt", "pred_knn30.txt", "pred_prior_top8.txt")]
    measures = ["accuracy", "P", "R", "F", "F_H", "SDL", "jaccard", "GIE"]
    command = [sys.executable, "-m", "hemlp", "evaluate", *files, *(word for name in measures for word in ("-m", name))]
    process = subprocess.Popen(command, stdout=follower, stderr=subprocess.DEVNULL, env=environment)
    os.close(follower)
    text = b""
    while True:
        try:
            text += os.read(leader, 4096)
        except OSError:
            break
    assert process.wait() == 0
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text.decode()).splitlines()
    assert max(len(line.rstrip()) for line in lines if "|hemlp:" not in line) <= 80
    assert sum("pred_knn30" in line for line in lines) > 1
    assert all(any(f"{name} " in line for line in lines) for name in measures)


def test_text_leaves_out_columns_without_content():
    table = Table(["measure", "p", "remark"], [["F", 0.5, ""], ["F_H", 0.25, ""]])
    assert str(table) == "measure       p\nF        0.5000\nF_H      0.2500"
    assert str(Table(["D", "below"], [])) == "D  below"
    for text in (table.to_markdown(), table.to_latex(), table._repr_html_()):
        assert "remark" not in text
    assert "remark" in str(Table(["measure", "remark"], [["F", ""], ["F_H", "equal means"]]))
