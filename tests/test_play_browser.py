"""`hemlp play` in a real browser: a case of the paper built by clicks, a measure by sliders, and the keyboard."""

from __future__ import annotations

import threading

import pytest

from hemlp import examples, measure
from hemlp.play.server import PlayServer
from hemlp.play.starts import OwnData
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
    page.execute_script("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", node(page, label))


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
    return {cells[0][:-2]: cells[1] for cells in (row.split("\t") for row in rows)}


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
    assert page.switch_to.active_element.get_attribute("data-label") == "cow"
    page.switch_to.active_element.send_keys("a")
    until(lambda: node(page, "class 1"))
    page.switch_to.active_element.send_keys(Keys.CONTROL, "z")
    until(lambda: node(page, "class 1") is None)


def test_views_and_a_tablet(page):
    for tab, wanted in (("flow", "#network svg"), ("lca", "#lca svg"), ("program", "#lp span[data-side]")):
        page.find_element("id", f"tab-{tab}").click()
        until(lambda: page.find_elements("css selector", wanted))  # noqa: B023
    page.execute_script("document.querySelector('#lp span[data-side=p]').dispatchEvent(new MouseEvent('mouseenter'))")
    until(lambda: page.find_elements("css selector", "#tree g.lit"))
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    try:
        assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth + 1")
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_quick_clicks_are_all_taken(page):
    for label in ("bird", "bird", "cow", "animal"):  # none waits for an answer
        click(page, label)
    until(lambda: [role(page, label) for label in ("bird", "cow", "animal")] == ["predicted", "both", "true"])
