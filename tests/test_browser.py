"""The report page in a real browser: it sorts, searches, draws and copies, light and dark, on a phone and on paper."""

from __future__ import annotations

import random
import shutil
import time
from itertools import combinations, pairwise

import numpy as np
import pytest

from hemlp import Evaluation, Hierarchy, evaluate, examples
from hemlp.report.history import add_to_history
from hemlp.text.tables import format_number
from tests.test_page import SCRIPT, H

PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}


@pytest.fixture(scope="module")
def browser():
    if shutil.which("chromedriver") is None or shutil.which("chromium") is None:
        pytest.skip("chromium and chromedriver are not installed: the report page is NOT tested in a browser")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for switch in (
        "headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
        "disable-component-update", "disable-sync", "disable-dev-shm-usage", "window-size=1200,1000",
    ):  # fmt: skip
        options.add_argument(f"--{switch}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, Service(shutil.which("chromedriver")))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def mini() -> Evaluation:
    example = examples.mesh_mini()
    return evaluate(example.hierarchy, example.true, example.systems, ["F", "GIE", "F_LCA"], names=example.names)


@pytest.fixture(scope="module")
def mini_file(mini, tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "report.html"
    mini.to_html(file, "MEDLINE, <five> systems")
    return file


def until(condition):
    """What a condition gives as soon as that is true; the test fails where it never is."""
    for _ in range(600):
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("this never came true")


class Page:
    """A page that is open, and was without errors when it was left."""

    def __init__(self, browser, file) -> None:
        self.browser = browser
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
        browser.get_log("browser")
        browser.get(file.as_uri())
        assert self.js("return document.querySelectorAll('#list summary').length")  # only then it counts as loaded

    def settled(self) -> None:
        until(lambda: self.js("return document.querySelectorAll('#list summary').length"))

    def __enter__(self) -> Page:
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            assert self.browser.get_log("browser") == []

    def js(self, script: str, *values):
        return self.browser.execute_script(script, *values)

    def all(self, selector: str):
        return self.browser.find_elements("css selector", selector)

    def one(self, selector: str):
        return self.browser.find_element("css selector", selector)

    def choose(self, key: str, value: str) -> None:
        self.js("const [k, v] = arguments; const e = document.getElementById(k); e.value = v;"
                "e.dispatchEvent(new Event('change'))", key, value)  # fmt: skip

    def found(self) -> int:
        return int(self.one("#found").text.split()[0].replace(",", ""))

    def searched(self, text: str, number: int) -> None:
        """Type a text; so many instances are found."""
        self.one("#search").clear()
        self.one("#search").send_keys(text, keys("ENTER"))
        assert self.found() == number

    def listed(self) -> list[str]:
        return [each.text for each in self.all("#list summary")]

    def phone(self) -> None:
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)

    def scheme(self, name: str, media: str = "") -> None:
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})


def keys(*names: str):
    from selenium.webdriver.common.keys import Keys

    return "".join(getattr(Keys, name) if hasattr(Keys, name) else name for name in names)


def test_the_first_click_sorts_the_best_first(browser, mini_file, mini):
    with Page(browser, mini_file) as page:
        table = "#result .card:nth-of-type(2) table"
        heads = page.all(f"{table} th")
        for column, name in ((2, "GIE"), (3, "F_LCA")):
            heads[column].find_element("tag name", "button").click()
            best = sorted(mini.systems, key=lambda s: mini.mean(s, name) * (1 if name == "GIE" else -1))
            assert [cell.text for cell in page.all(f"{table} tbody td:first-child")] == best
            assert heads[column].get_attribute("aria-sort") == ("ascending" if name == "GIE" else "descending")
            heads[column].find_element("tag name", "button").send_keys(keys("ENTER"))  # by the keyboard, the other way
            assert [cell.text for cell in page.all(f"{table} tbody td:first-child")] == best[::-1]
        assert sum(head.get_attribute("aria-sort") is not None for head in heads) == 1


def test_a_copied_table_has_the_values_of_the_page(browser, mini_file, mini):
    with Page(browser, mini_file) as page:
        select = "getSelection().selectAllChildren(document.querySelectorAll('#result table')[1].tBodies[0])"
        copied = page.js(f"{select}; return getSelection().toString()")
        rows = [line.strip().split("\t") for line in copied.strip().splitlines()]
        for row, system in zip(rows, mini.systems, strict=True):
            values = [
                f"{format_number(mini.mean(system, name))} ({mini.ranks(name)[system]}) "
                + "".join(mini.groups(name)[system])
                for name in mini.measures
            ]
            assert [cell.split(" [")[0] for cell in row[:-1]] == [system, *values]
            assert all(character.isascii() for cell in row[1:] for character in cell)


def test_buttons_copy_bibtex_and_signatures(browser, mini_file, mini):
    with Page(browser, mini_file) as page:
        page.js("window.copied = []; navigator.clipboard.writeText = async (text) => { copied.push(text); }")
        for button in page.all("[data-copy]"):
            page.js("arguments[0].click()", button)
        bibtex, signatures = until(lambda: len(found := page.js("return copied")) == 2 and found)
        assert bibtex.startswith("@article{kosmopoulos2015evaluation,\n")
        assert signatures.split("\n") == [mini.scores["knn30"][name].signature for name in mini.measures]
        until(lambda: page.all("[data-copy]")[1].text == "Copied")


def labels_of(mini, system, i) -> set[str]:
    batch = mini.inputs.take(system, [i])
    return {batch.hierarchy.labels[c] for side in batch.sides for c in side[0]}


def test_instances_are_searched_and_filtered_as_a_plain_loop_does(browser, mini_file, mini):
    names = mini.inputs.names

    def count(systems, wanted):
        return sum(1 for system in systems for i in range(200) if wanted(system, i))

    def has(word, system, i):
        texts = [text.lower() for label in labels_of(mini, system, i) for text in (label, names.get(label, ""))]
        return any(word in text for text in texts)

    with Page(browser, mini_file) as page:
        page.choose("system", "")
        assert page.found() == 1000
        expected = count(mini.systems, lambda s, i: has("nitroglycerin", s, i))
        page.searched("NitroGlycerin", expected)
        assert 0 < expected < 200
        assert all("itroglycerin" in text for text in page.listed())
        both = count(mini.systems, lambda s, i: has("humans", s, i) and has("d00", s, i))
        page.searched("humans d00", both)
        page.searched("#17", 5)
        page.searched("no such thing", 0)
        page.searched("", 1000)
        knn = mini.systems.index("knn30")
        page.choose("system", str(knn))
        page.choose("measure", "1")
        values = mini.per_instance("knn30", "GIE")
        page.one("#least").send_keys("20")
        page.one("#most").send_keys("30.5")
        until(lambda: page.found() == int(((values >= 20) & (values <= 30.5)).sum()))
        assert page.listed()[0].startswith(f"knn30, instance {1 + worst_within(values, 20, 30.5)} GIE ")


def worst_within(values, low, high) -> int:
    """The first of the instances with the greatest error of those."""
    return int(np.argmax(np.where((values >= low) & (values <= high), values, -1)))


def test_instances_by_kind_of_error(browser, mini_file, mini):
    from hemlp.analysis.diagnosis.error_kinds import ERROR_KINDS, classify_errors

    batch = mini.inputs.take("topdown_lcpn", range(200))
    of_pred, of_true = classify_errors(batch)
    with Page(browser, mini_file) as page:
        page.choose("system", str(mini.systems.index("topdown_lcpn")))
        for k in range(1, len(ERROR_KINDS)):
            page.choose("kind", str(k))
            slices = [
                np.concatenate([of_pred[batch.pred.ptr[i] : batch.pred.ptr[i + 1]],
                                of_true[batch.true.ptr[i] : batch.true.ptr[i + 1]]]) for i in range(200)
            ]  # fmt: skip
            assert page.found() == sum(k in each for each in slices)


def test_all_pages_together_show_every_instance_in_order(browser, mini_file, mini):
    with Page(browser, mini_file) as page:
        s = mini.systems.index("svm_ovr_freq60")
        page.choose("system", str(s))
        seen: list[str] = []
        while True:
            seen += page.listed()
            if page.one("#next").get_attribute("disabled"):
                break
            page.js("document.getElementById('next').click()")
        values = mini.per_instance("svm_ovr_freq60", "F_LCA")
        order = np.argsort(values, kind="stable")
        heads = [text.splitlines()[0] for text in seen]
        assert heads == [f"svm_ovr_freq60, instance {i + 1} F_LCA {format_number(values[i])}" for i in order]
        page.choose("order", "best")
        assert page.listed()[0].splitlines()[0].endswith(format_number(values.max()))
        page.choose("order", "row")
        assert page.listed()[0].startswith("svm_ovr_freq60, instance 1 ")


def test_an_opened_instance_is_drawn(browser, mini_file, mini):
    with Page(browser, mini_file) as page:
        s = mini.systems.index("knn30")
        page.choose("system", str(s))
        page.searched("#42", 1)
        page.one("#list summary").send_keys(keys("ENTER"))
        until(lambda: page.all("svg.drawing"))
        batch = mini.inputs.take("knn30", [41])
        predicted, true = ({batch.hierarchy.labels[c] for c in side[0]} for side in batch.sides)
        titles = [each.get_attribute("textContent") for each in page.all("svg.drawing g title")]
        for role, labels in (("predicted class", predicted - true), ("true class", true - predicted),
                             ("true and predicted", predicted & true)):  # fmt: skip
            shown = {t.rsplit(": ", 1)[0] for t in (t.split("; without")[0] for t in titles) if t.endswith(f": {role}")}
            assert len(shown) == len(labels)
            assert all(any(f"({label})" in t or t == label for t in shown) for label in labels)
        check_drawing(page)
        box = page.one(".picture input")  # with all ancestors, or without those that only pass on
        before = len(page.all("svg.drawing rect"))
        page.js("arguments[0].click()", box)
        until(lambda: len(page.all("svg.drawing rect")) != before)
        up = {a for c in predicted | true for a in batch.hierarchy.ancestors(c)} | predicted | true
        assert len(up) in (before, len(page.all("svg.drawing rect")))
        check_drawing(page)
        pairs = [each for each in mini.explain("knn30", 41, ["GIE"]).parts[0].pairs if each.predicted != each.true]
        assert len(page.all("svg.drawing path.pair")) == sum(None not in (p.predicted, p.true) for p in pairs)


def test_lca_graphs_of_an_opened_instance_are_drawn(browser, mini_file, mini):
    with Page(browser, mini_file) as page:
        page.choose("system", str(mini.systems.index("knn30")))
        page.searched("#42", 1)
        page.one("#list summary").send_keys(keys("ENTER"))
        until(lambda: page.all("svg.drawing path.pair"))
        before = len(page.all("svg.drawing rect"))
        page.js("arguments[0].click()", page.one(".picture input.lca"))
        until(lambda: not page.all("svg.drawing path.pair"))
        part = mini.explain("knn30", 41, ["F_LCA"]).parts[0]
        batch = mini.inputs.take("knn30", [41])
        classes = {batch.hierarchy.labels[c] for side in batch.sides for c in side[0]}
        assert len(page.all("svg.drawing rect")) == len(part.predicted | part.true | classes)
        assert len(page.all("svg.drawing rect.chosen")) == len(part.lcas)
        links = {side: {link for of, path in part.paths if of == side for link in pairwise(path)}
                 for side in ("predicted", "true")}  # fmt: skip
        both = links["predicted"] & links["true"]
        for kind, of in (("predicted", links["predicted"] - both), ("true", links["true"] - both), ("both", both)):
            assert len(page.all(f"svg.drawing path.on-{kind}")) == len(of)
        check_drawing(page)
        assert "chosen lowest common ancestor" in page.one(".picture .legend").text
        assert page.js("return document.activeElement.className") == "lca"
        page.js("arguments[0].click()", page.one(".picture input.lca"))
        until(lambda: page.all("svg.drawing path.pair"))
        assert len(page.all("svg.drawing rect")) == before


def check_drawing(page: Page) -> None:
    """Boxes do not overlap, and are within a picture that keeps its size."""
    boxes = page.js("return [...document.querySelectorAll('svg.drawing rect')].map(r => [r.x, r.y, r.width, r.height]"
                    ".map(v => v.baseVal.value))")  # fmt: skip
    size = page.js("const r = document.querySelector('svg.drawing').viewBox.baseVal; return [r.width, r.height]")
    for x, y, w, h in boxes:
        assert x >= 0
        assert y >= 0
        assert x + w <= size[0]
        assert y + h <= size[1]
    for a, b in combinations(boxes, 2):
        apart = a[0] + a[2] <= b[0] or b[0] + b[2] <= a[0] or a[1] + a[3] <= b[1] or b[1] + b[3] <= a[1]
        assert apart
    wide = page.js("return document.querySelector('svg.drawing').getBoundingClientRect().width")
    assert wide >= size[0] - 1  # it is scrolled where it is wider than its place, and never shrunk


def test_other_systems_of_an_opened_instance(browser, mini_file, mini):
    with Page(browser, mini_file) as page:
        page.searched("#3", 1)
        page.one("#list summary").send_keys(keys("ENTER"))
        until(lambda: page.all("svg.drawing"))
        rows = [
            [cell.text for cell in row.find_elements("tag name", "td")] for row in page.all(".opened > .card tbody tr")
        ]
        assert rows == [[s, *(format_number(mini.per_instance(s, m)[2]) for m in mini.measures)] for s in mini.systems]
        other = mini.systems.index("lexical_match")
        page.js("arguments[0].click()", page.all(".opened [aria-pressed]")[other])
        until(
            lambda: (
                (found := page.all("svg.drawing")) and found[0].get_attribute("aria-label").startswith("lexical_match")
            )
        )
        assert page.all(".opened [aria-pressed]")[other].get_attribute("aria-pressed") == "true"


def test_a_confusion_leads_to_its_instances(browser, mini_file, mini):
    with Page(browser, mini_file) as page:
        link = page.one("#confusions details[open] [data-open]")
        s, row = map(int, link.get_attribute("data-open").split(":"))
        page.js("arguments[0].click()", link)
        until(lambda: page.all("#list details[open] svg.drawing"))
        assert page.found() == 1
        assert page.listed()[0].startswith(f"{mini.systems[s]}, instance {row + 1} ")


def test_the_keyboard_reaches_the_search_the_list_and_the_tree(browser, mini_file):
    with Page(browser, mini_file) as page:
        page.one("body").send_keys("/")
        assert page.js("return document.activeElement.id") == "search"
        page.one("#search").send_keys("a/b")
        assert page.one("#search").get_attribute("value") == "a/b"
        until(lambda: page.found() == 0)  # without the enter key, too
        page.searched("", 200)
        first, second = page.all("#list summary")[:2]
        first.send_keys(keys("ARROW_DOWN"))
        assert page.js("return document.activeElement") == second
        tree = page.all("#tree [role=treeitem]")
        assert sum(each.get_attribute("tabindex") == "0" for each in tree) == 1
        top = tree[0]
        assert top.get_attribute("aria-expanded") == "true"
        top.send_keys(keys("ARROW_LEFT"))
        assert len(page.all("#tree [role=treeitem]")) == 1
        top.send_keys(keys("ENTER"))
        top.send_keys(keys("ARROW_RIGHT"))
        focused = page.js("return document.activeElement")
        assert focused == page.all("#tree [role=treeitem]")[1]
        focused.send_keys(keys("ARROW_RIGHT"))
        level = page.all("#tree [role=treeitem]")[2].get_attribute("aria-level")
        assert level == "3"


def test_the_tree_and_the_map_show_branches(browser, mini_file, mini):
    with Page(browser, mini_file) as page:
        page.choose("tree-first", str(mini.systems.index("knn30")))
        page.choose("tree-second", "")
        table = {row[0]: row for row in mini.branches("knn30", "F_LCA").rows}
        rows = page.all("#tree [role=treeitem]")
        top = next(row for row in table.values() if row[2] == 200)
        cells = [cell.get_attribute("textContent") for cell in rows[0].find_elements("class name", "cell")]
        low, high = map(format_number, top[5])
        assert cells == ["200", f"{format_number(top[3])} [{low},\u00a0{high}]", "100.00%"]
        shares = [float(row.find_elements("class name", "cell")[2].text.rstrip("%")) for row in rows[1:]]
        assert shares == sorted(shares, reverse=True)
        assert shares[0] == round(100 * max(row[4] for row in mini.branches("knn30", "F_LCA", level=1).rows), 2)
        areas = page.js("return [...document.querySelectorAll('#treemap .area .cell')].map(c => {"
                        "const r = c.getBoundingClientRect(); return r.width * r.height})")  # fmt: skip
        assert areas[0] / sum(areas) == pytest.approx(shares[0] / sum(shares), abs=0.01)
        whole = page.js("const r = document.querySelector('#treemap .area').getBoundingClientRect();"
                        "return r.width * r.height")  # fmt: skip
        assert sum(areas) == pytest.approx(whole, rel=0.01)
        page.js("arguments[0].click()", page.all("#treemap .area .cell")[0])
        assert len(page.all("#treemap .way button")) == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone_in_light_and_dark(browser, mini_file, scheme):
    """Nothing scrolls sideways, neither the page nor any part of it, so no column is hidden."""
    with Page(browser, mini_file) as page:
        page.phone()
        page.scheme(scheme)
        page.js("document.querySelectorAll('details.more').forEach(d => d.open = true)")
        page.js("document.querySelector('#list details').open = true")
        until(lambda: page.all("svg.drawing"))
        until(
            lambda: page.js(
                "return [...document.querySelectorAll('svg.plot')].every(s => +s.getAttribute('width') < 390)"
            )
        )
        assert page.js("return document.documentElement.scrollWidth") <= 390
        wide = page.js("return [...document.querySelectorAll('main *')].filter(e => !e.closest('svg, button.cell') && "
                       "!e.closest('.scroll') && "
                       "getComputedStyle(e).display !== 'inline' && "
                       "e.scrollWidth > e.clientWidth + 1).map(e => e.outerHTML.slice(0, 80))")  # fmt: skip
        assert wide == []
        colour = page.js("return getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, colour[4:-1].split(","))) > 380) == (scheme == "light")


CONTRAST = """
const luminance = (colour) => {
  const linear = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map(linear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const parsed = (name) => { const p = document.createElement("i"); p.style.color = style(name); document.body.append(p);
  const c = getComputedStyle(p).color; p.remove(); return c; };
const [x, y] = arguments;
const [a, b] = [luminance(parsed(x)), luminance(parsed(y))].sort((p, q) => q - p);
return (a + 0.05) / (b + 0.05);
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_and_lines_have_contrast(browser, mini_file, scheme):
    """4.5 for texts and 3 for shapes, as WCAG asks for."""
    with Page(browser, mini_file) as page:
        page.scheme(scheme)
        for ink in ("--ink", "--soft", "--accent", "--yes", "--no", "--pair"):
            for back in ("--paper", "--back"):
                assert page.js(CONTRAST, ink, back) >= 4.5, (ink, back)
        for ink in (*(f"--s{k}" for k in range(8)), *(f"--k{k}" for k in range(6))):
            assert page.js(CONTRAST, ink, "--paper") >= 3, ink
        for back in ("--true", "--predicted", "--both", "--shared", "--true-side", "--predicted-side"):
            assert page.js(CONTRAST, "--ink", back) >= 4.5, back


def test_the_page_prints_in_black_on_white(browser, mini_file):
    with Page(browser, mini_file) as page:
        page.scheme("dark", "print")
        assert page.js("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert not page.one(".bar").is_displayed()
        style = "return getComputedStyle(document.querySelector(arguments[0])).getPropertyValue(arguments[1])"
        for what in ("thead", "tr", "figure", ".treemap .area"):
            assert page.js(style, what, "break-inside") == "avoid", what
        assert page.js(style, "th button", "display") == "contents", "else the repeated head of a table is empty"
        below = """const ends = document.querySelector("#result table td small");
            const range = document.createRange(); range.selectNode(ends.parentNode.firstChild);
            return range.getBoundingClientRect().bottom <= [...ends.getClientRects()].at(-1).top + 2"""
        assert page.js(below), "intervals stand below their values"
        assert browser.print_page()


def test_everything_has_a_name(browser, mini_file):
    """Controls have labels, charts and sections names, headings are in order."""
    with Page(browser, mini_file) as page:
        unnamed = page.js("return [...document.querySelectorAll('input, select')].filter(e => !e.labels.length).length")
        assert unnamed == 0
        assert page.js("return [...document.querySelectorAll('button')].every(b => b.textContent.trim())")
        levels = page.js("return [...document.querySelectorAll('h1, h2, h3')].map(h => h.tagName)")
        assert levels == ["H1", *["H2"] * (len(levels) - 1)]
        assert page.js("return [...document.querySelectorAll('[role=img]')].every(e => e.getAttribute('aria-label'))")


def test_figures_are_those_of_python(browser, mini_file):
    """Four decimals, half to even: 1/32 is 0.0312 there and here."""
    rng = random.Random(1)
    values = [
        0.0,
        1.0,
        1 / 32,
        3 / 32,
        -5 / 32,
        12.00005,
        0.12345,
        0.00123,
        9.9999e-3,
        0.01,
        1e-9,
        -2.5e-12,
        123456.78125,
    ]
    values += [rng.random() for _ in range(300)] + [rng.randint(0, 99) / rng.choice([32, 64, 96]) for _ in range(300)]
    with Page(browser, mini_file) as page:
        assert page.js("return arguments[0].map((v) => figure(v))", values) == [
            format_number(value) for value in values
        ]
        assert page.js("return [figure(NaN), figure(Infinity), figure(-Infinity)]") == ["undefined", "inf", "-inf"]


def test_a_label_called_script_does_nothing(browser, tmp_path):
    ev = evaluate(H, [SCRIPT, "cow"], {"A": ["cow", SCRIPT], "<b>B": ["bird", "bird"]}, ["F_LCA", "GIE"])
    ev.to_html(tmp_path / "r.html", SCRIPT)
    with Page(browser, tmp_path / "r.html") as page:
        assert browser.title == SCRIPT
        page.js("document.querySelector('#list details').open = true")
        until(lambda: page.all("svg.drawing"))
        assert page.js("return document.querySelectorAll('script').length") == 3
        assert SCRIPT in page.one("#list").text


def test_a_sample_and_instances_with_ids(browser, mini, tmp_path, monkeypatch):
    monkeypatch.setattr("hemlp.report.page.MOST", 100)
    mini.to_html(tmp_path / "r.html")
    with Page(browser, tmp_path / "r.html") as page:
        assert page.one("#found").text == "20 of 20 of the sample found"
        page.searched("#201", 0)
        assert page.js("return [...document.querySelectorAll('#instances .note')][0].textContent").startswith(
            "A sample"
        )
    true, pred = {"P<1>": ["cow"], "P2": ["bird"]}, {"P2": ["cow"], "P<1>": ["cow"]}
    evaluate(H, true, {"A": pred}, ["F_H"]).to_html(tmp_path / "ids.html")
    with Page(browser, tmp_path / "ids.html") as page:
        assert page.listed()[0].startswith("A, instance 2 (P2) F_H ")
        page.searched("p<1", 1)


def test_more_classes_than_can_be_drawn(browser, tmp_path):
    """Ancestors that only pass on are left out, and said to be; many classes are not drawn at all."""
    h = Hierarchy.from_edges([*((f"p{k:04}", "gate") for k in range(3000)), *(("gate", f"c{k}") for k in range(500))])
    evaluate(h, [["c1"], [f"c{k}" for k in range(450)]], {"A": ["c2", "c3"]}, ["F_H"]).to_html(tmp_path / "r.html")
    with Page(browser, tmp_path / "r.html") as page:
        for row, words in (
            (1, "3000 ancestors that only pass on are left out; dashed lines lead past them"),
            (2, "451 classes are too many to draw (400 at most)."),
        ):
            page.searched(f"#{row}", 1)
            page.js("document.querySelector('#list details').open = true")
            told = until(lambda: page.all(".picture p"))
            assert told[0].text == words


def test_a_page_without_data_shows_the_scores(browser, mini, tmp_path):
    mini.to_json(tmp_path / "e.json")
    Evaluation.from_json(tmp_path / "e.json").to_html(tmp_path / "r.html")
    browser.get_log("browser")
    browser.get((tmp_path / "r.html").as_uri())
    until(lambda: browser.find_elements("css selector", "svg.plot"))
    assert browser.get_log("browser") == []


def test_the_policy_lets_no_other_script_run(browser, mini_file, tmp_path):
    """Markup that got into the page would do nothing: neither scripts, nor attributes, nor addresses."""
    text = mini_file.read_text().replace(
        "<footer>",
        "<script>window.bad = 1</script><img src='x:' onerror='window.bad = 2'>"
        "<img src='http://127.0.0.1:9/x.png'><b id='styled' style='color: rgb(1, 2, 3)'>b</b><footer>",
    )
    (tmp_path / "bad.html").write_text(text)
    browser.get((tmp_path / "bad.html").as_uri())
    until(lambda: browser.execute_script("return document.querySelectorAll('#list summary').length"))
    assert browser.execute_script("return window.bad === undefined")
    script = "return getComputedStyle(document.getElementById('styled')).color"
    assert browser.execute_script(script) != "rgb(1, 2, 3)"
    log = " ".join(entry["message"] for entry in browser.get_log("browser"))
    assert "Content Security Policy" in log


def test_many_systems_are_filtered_and_a_history_is_drawn(browser, tmp_path):
    true = ["cow", "bird"] * 12
    systems = {f"s{k:02}": [*true[:k], *["mammal"] * (24 - k)] for k in range(25)}
    ev = evaluate(H, true, systems, ["F_H", "GIE"])
    for _ in range(2):
        add_to_history(tmp_path, ev)
    ev.to_html(tmp_path / "r.html", history=tmp_path)
    with Page(browser, tmp_path / "r.html") as page:
        page.one("[data-filter]").send_keys("S1")
        assert [row.text.split()[0] for row in page.all("#means tbody tr") if row.is_displayed()] == [
            f"s{k}" for k in range(19, 9, -1)
        ]
        assert page.one("#filtered").text == "10 of 25 rows"
        until(lambda: page.all("#history svg.plot"))
        # of each system a line, and for each of two runs a bar from end to end of its interval
        assert len(page.all("[data-chart=history0] svg.plot path.line")) == 20 * 3
