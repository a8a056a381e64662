"""`hemlp play` in a real browser: a case of the paper built by clicks, a measure by sliders, and the keyboard."""

from __future__ import annotations

import threading

import pytest

from hemlp import Batch, examples, measure
from hemlp.play.server import OwnData, PlayServer
from tests.test_browser import PHONE, browser, until  # noqa: F401


@pytest.fixture
def page(browser):  # noqa: F811
    server = PlayServer(OwnData(None), idle=600)
    threading.Thread(target=server.serve, daemon=True).start()
    browser.get(server.address)
    until(lambda: text(browser, "result"))
    until(lambda: browser.execute_script("return document.getElementById('measure').value") == "GIE")
    yield browser
    server.shutdown()
    assert not [
        line for line in browser.get_log("browser") if line["level"] == "SEVERE" and "favicon" not in line["message"]
    ]


def text(page, name):
    return page.find_element("id", name).text


def node(page, label):
    found = page.find_elements("css selector", f'#tree g[data-label="{label}"]')
    return found[0] if found else None


def click(page, label):
    """In one step: the page may draw the class again between two."""
    page.execute_script(
        "document.querySelector(`#tree g[data-label='${arguments[0]}']`)"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true}))", label,
    )  # fmt: skip


def role(page, label):
    return page.execute_script(
        "return document.querySelector(`#tree g[data-label='${arguments[0]}']`)?.classList[1] ?? null", label
    )


def turn(page, label, roles):
    """Click until a class has had all these roles, one after the other."""
    for each in roles:
        click(page, label)
        until(lambda: role(page, label) == each)  # noqa: B023


def choose(page, select, words):
    from selenium.webdriver.support.ui import Select

    Select(page.find_element("id", select)).select_by_visible_text(words)


def slide(page, name, value):
    page.execute_script(
        "const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('input'))",
        name, value,
    )  # fmt: skip


def values(page):
    """At one moment: the page may draw them again while they are read one by one."""
    rows = page.execute_script("return [...document.querySelectorAll('#values tbody tr')].map((row) => row.innerText)")
    return {cells[0].split()[0]: cells[1] for cells in (row.split("\t") for row in rows)}


def add(page, parent, label):
    if parent is not None:
        page.execute_script("select(arguments[0])", parent)
    field = page.find_element("id", "name")
    field.clear()
    field.send_keys(label)
    page.find_element("id", "add").click()
    until(lambda: node(page, label))


def build_case_2b(page):
    choose(page, "start", "an empty table")
    until(lambda: node(page, "root"))
    page.execute_script("select('root')")
    field = page.find_element("id", "name")
    field.clear()
    field.send_keys("A")
    page.find_element("id", "rename").click()
    until(lambda: node(page, "A"))
    for parent, label in ("AB", "AC", "BD", ("B", "P1"), "DE", ("D", "TP")):
        add(page, parent, label)
    turn(page, "TP", ["true", "predicted", "both"])
    turn(page, "P1", ["true", "predicted"])


def test_case_2b_by_clicks_and_lenient_by_sliders(page):
    build_case_2b(page)
    case = examples.case("2b")
    until(lambda: "GIE = 5" in text(page, "result"))
    shown = values(page)
    for name in ("GIE", "MGIA", "F_H", "SDL", "F_LCA"):
        assert float(shown[name]) == pytest.approx(
            float(measure(name).score(case.hierarchy, case.true, case.pred)), abs=1e-3
        )
    name = page.find_element("id", "own-name")
    name.clear()
    name.send_keys("lenient\t")
    slide(page, "at", 0)
    slide(page, "bt", 6)
    until(lambda: values(page).get("lenient") == "3")
    page.find_element("id", "tab-copy").click()
    until(lambda: "Bounds(predicted=(1, 1), true=(0, ALL))" in text(page, "view-copy"))
    page.find_element("id", "undo").click()  # the whole state, the measure and its name included
    page.find_element("id", "undo").click()
    until(lambda: page.find_element("id", "bt-box").get_attribute("value") == "1")


def test_a_cycle_is_refused_in_the_words_of_the_library(page):
    page.execute_script("select('cow')")
    page.find_element("id", "connect").click()
    click(page, "animal")
    until(lambda: "cycle" in text(page, "message"))
    assert text(page, "result").startswith("GIE")
    assert len(page.find_elements("css selector", "#tree path.edge")) == 5


def test_by_keyboard_alone(page):
    from selenium.webdriver.common.keys import Keys

    page.execute_script("arguments[0].focus()", node(page, "bird"))
    page.switch_to.active_element.send_keys(Keys.ENTER)
    until(lambda: role(page, "bird") == "true")
    until(lambda: page.switch_to.active_element.get_attribute("data-label") == "bird")
    page.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    assert page.switch_to.active_element.get_attribute("data-label") == "mammal"
    page.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    assert page.switch_to.active_element.get_attribute("data-label") in ("cow", "sheep")
    page.switch_to.active_element.send_keys(Keys.ARROW_UP)
    page.switch_to.active_element.send_keys("a")
    until(lambda: node(page, "class 1"))
    page.switch_to.active_element.send_keys(Keys.CONTROL, "z")
    until(lambda: node(page, "class 1") is None)


def test_rename_and_connect_by_keyboard(page):
    from selenium.webdriver.common.keys import Keys

    page.execute_script("arguments[0].focus()", node(page, "owl"))
    page.switch_to.active_element.send_keys("r")
    page.switch_to.active_element.send_keys("barn owl", Keys.ENTER)
    until(lambda: role(page, "barn owl") == "true")
    page.execute_script("arguments[0].focus()", node(page, "bird"))
    page.switch_to.active_element.send_keys("c")
    page.execute_script("arguments[0].focus()", node(page, "cow"))
    page.switch_to.active_element.send_keys(Keys.ENTER)
    until(lambda: len(page.find_elements("css selector", "#tree path.edge")) == 6)


def test_a_name_that_is_taken_is_refused(page):
    field = page.find_element("id", "name")
    field.send_keys("cow")
    page.find_element("id", "add").click()
    until(lambda: text(page, "message") == "There is a class “cow” already.")
    assert len(page.find_elements("css selector", "#tree g[data-label]")) == 6
    click(page, "cow")
    page.find_element("id", "add").click()  # below the selected one, whose name stands there
    until(lambda: node(page, "class 1"))


def box(page, name):
    return page.find_element("id", f"{name}-box").get_attribute("value")


def test_boxes_and_a_default_cost_for_each_side(page):
    page.execute_script(
        "const b = document.getElementById('dc-box'); b.value = '37.25'; b.dispatchEvent(new Event('change'))"
    )
    until(lambda: "mine = 39.25" in text(page, "result"))
    page.execute_script(
        "const b = document.getElementById('dc-box'); b.value = 'x'; b.dispatchEvent(new Event('change'))"
    )
    until(lambda: text(page, "message").startswith("Nothing has changed: "))
    assert (box(page, "dc"), "mine = 39.25" in text(page, "result")) == ("37.25", True)
    assert page.find_element("id", "own-name").get_attribute("value") == "mine"
    page.find_element("id", "apart").click()
    until(lambda: page.find_element("id", "dt").is_displayed())
    slide(page, "dt", 3)
    until(lambda: "mine = 5 " in text(page, "result"))
    page.find_element("id", "dt-none").click()
    until(lambda: text(page, "result").startswith("mine: "))  # nobody is left for one true class
    slide(page, "at", 6)  # the upper bound goes along
    until(lambda: (box(page, "at"), box(page, "bt")) == ("ALL", "ALL"))
    choose(page, "measure", "F_H")
    until(lambda: page.find_element("id", "fixed").is_displayed())
    assert not page.find_element("id", "ap").is_enabled()
    assert "F_H = 0.5" in text(page, "result")


def test_counterexamples_and_the_legend(page):
    assert "true and predicted" in text(page, "legend")
    choose(page, "start", "counter-examples of this measure …")
    until(lambda: text(page, "note"))
    choose(page, "start", "GIE: a hit never hurts?")
    until(lambda: text(page, "note").startswith("A correct class can make GIE worse"))
    assert "GIE = 1 " in text(page, "result")
    assert not page.find_elements("css selector", "tr.changed")  # another instance is no move


def test_own_files_are_where_one_starts(browser):  # noqa: F811
    mesh = examples.mesh_mini()
    server = PlayServer(OwnData(None, mesh.hierarchy), idle=600)
    threading.Thread(target=server.serve, daemon=True).start()
    browser.get(server.address)
    until(lambda: "classes are shown" in text(browser, "note"))
    label = mesh.hierarchy.labels[100]
    browser.execute_script(
        "const i = document.getElementById('own'); i.value = arguments[0]; i.dispatchEvent(new Event('change'))", label
    )
    until(lambda: node(browser, label))
    assert not browser.find_element("id", "next").is_displayed()
    server.shutdown()


def test_own_instances_one_after_the_other(browser):  # noqa: F811
    mesh = examples.mesh_mini()
    server = PlayServer(OwnData(Batch.of(mesh.hierarchy, mesh.true, mesh.systems["knn30"])), idle=600)
    threading.Thread(target=server.serve, daemon=True).start()
    browser.get(server.address)
    until(lambda: text(browser, "note").startswith("Row 1 of 200. "))
    assert browser.find_element("id", "own").get_attribute("value") == "1"
    browser.find_element("id", "next").click()
    until(lambda: text(browser, "note").startswith("Row 2 of 200. "))
    assert browser.find_element("id", "own").get_attribute("value") == "2"
    frame, root = (
        browser.find_element("css selector", each).rect for each in ("#drawing", '#tree g[data-label="MeSH"]')
    )
    assert frame["x"] <= root["x"] <= root["x"] + root["width"] <= frame["x"] + frame["width"]
    choose(browser, "start", "animals")
    until(lambda: node(browser, "cow"))
    assert browser.find_element("id", "own").get_attribute("value") == ""
    server.shutdown()


def hover(page, line):
    page.execute_script("arguments[0].dispatchEvent(new MouseEvent('mouseenter'))", line)


def lit(page):
    lines = page.execute_script("return [...document.querySelectorAll('#lp span.lit')].map((line) => line.textContent)")
    nodes = page.execute_script(
        "return [...document.querySelectorAll('#tree g.lit')].map((node) => node.dataset.label)"
    )
    return [line.strip() for line in lines], set(nodes)


def test_rules_light_their_rows_and_classes(page):
    page.find_element("id", "tab-program").click()
    rules = page.find_elements("css selector", "#algebra span[data-group]")
    starts = {rule.text.split()[0]: rule for rule in rules}
    hover(page, starts["(iii)"])
    lines, nodes = lit(page)
    assert [line for line in lines if line.startswith("t_")] == ["t_0: x_0_0 + v_0 = 1", "t_1: x_0_1 + v_1 = 1"]
    assert nodes == {"owl", "sheep"}
    hover(page, starts["(ii)"])
    lines, nodes = lit(page)
    assert "p_0: x_0_0 + x_0_1 + u_0 = 1" in lines
    assert not any(line.startswith("t_") for line in lines)
    assert nodes == {"cow"}
    hover(page, starts["min"])
    assert lit(page)[0] == ["obj: 4 x_0_0 + 2 x_0_1 + 5 u_0 + 5 v_0 + 5 v_1"]
    (pair,) = (line for line in page.find_elements("css selector", "#lp span") if line.text == "\\ x_0_1: cow ~ sheep")
    hover(page, pair)
    lines, nodes = lit(page)
    assert len(lines) == 6  # its name, the objective, two rows, its bounds, and that it is an integer
    assert nodes == {"cow", "sheep"}


@pytest.mark.parametrize("width", [400, 500, 820])
def test_views_on_small_screens(page, width):
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {**PHONE, "width": width})
    try:
        for tab, wanted in (
            ("flow", "#network svg"), ("lca", "#lca svg"), ("program", "#lp span[data-group]"), ("copy", "pre")
        ):  # fmt: skip
            page.find_element("id", f"tab-{tab}").click()
            until(lambda: page.find_elements("css selector", wanted))  # noqa: B023
            assert page.execute_script("return [document.documentElement.scrollWidth, innerWidth]") == [width, width]
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_classes_that_nothing_joins(page):
    choose(page, "measure", "distance")
    choose(page, "start", "an empty table")
    until(lambda: node(page, "root") and node(page, "cow") is None)
    page.execute_script("select(null)")
    add(page, None, "alone")
    turn(page, "alone", ["true", "predicted"])
    turn(page, "root", ["true"])
    until(lambda: "distance = ∞" in text(page, "result"))


def test_quick_clicks_are_all_taken(page):
    for label in ("bird", "bird", "cow", "animal"):  # none waits for an answer
        click(page, label)
    until(lambda: [role(page, label) for label in ("bird", "cow", "animal")] == ["predicted", "both", "true"])
