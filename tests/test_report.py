"""Plots and the report page, the page in a real browser."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pytest

from hemlp import Evaluation, Hierarchy, evaluate, examples
from hemlp.errors import InvalidOption, MissingDependency
from hemlp.report import plots
from hemlp.statistics.exact_greedy import compare_exact_greedy

SCRIPT = "<script>alert('x')</script>"
H = Hierarchy.from_edges([("animal", "mammal"), ("mammal", SCRIPT), ("mammal", "cow"), ("animal", "bird")])


@pytest.fixture(scope="module")
def mini() -> Evaluation:
    example = examples.mesh_mini()
    return evaluate(
        example.hierarchy, example.true, example.systems, ["accuracy", "F", "GIE", "F_LCA"], names=example.names
    )


@pytest.fixture(scope="module")
def page_file(mini, tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "report.html"
    mini.to_html(file, "MEDLINE, <five> systems")
    return file


def test_every_plot_is_drawn(mini):
    example = examples.mesh_mini()
    gap = compare_exact_greedy(example.hierarchy, example.true, example.systems["knn30"], sample=40)
    figures = [
        plots.rank_chart(mini),
        plots.kendall_heat_map(mini),
        plots.distribution(mini, "F_LCA"),
        plots.distribution(mini, "GIE"),
        plots.score_by_depth(mini, "F_LCA"),
        plots.exact_minus_greedy([("knn30", gap)]),
    ]
    for k, figure in enumerate(figures):
        ET.fromstring(plots.svg(figure, str(k)))
    assert plots.svg(plots.rank_chart(mini), "a") == plots.svg(plots.rank_chart(mini), "a")


def test_ties_stand_side_by_side(mini):
    """All five systems share rank 1 by accuracy: five points, none on another."""
    lines = plots.rank_chart(mini).axes[0].get_lines()
    points = {(line.get_xdata()[0], line.get_ydata()[0]) for line in lines}
    assert len(points) == 5
    assert {y for _, y in points} == {1}


def test_scores_by_depth_are_means(mini):
    batch = mini.inputs.take("knn30", range(200))
    deepest = np.array([batch.hierarchy.unit_depths[batch.true[i]].max(initial=-1) for i in range(len(batch))])
    (line,) = [
        each for each in plots.score_by_depth(mini, "F_LCA").axes[0].get_lines() if each.get_label() == "knn30"
    ]  # fmt: skip
    for depth, value in zip(line.get_xdata(), line.get_ydata(), strict=True):
        assert value == pytest.approx(mini.per_instance("knn30", "F_LCA")[deepest == depth].mean())


def test_plots_say_what_is_missing(mini, monkeypatch, tmp_path):
    mini.to_json(tmp_path / "e.json")
    with pytest.raises(InvalidOption, match="read from a file"):
        plots.score_by_depth(Evaluation.from_json(tmp_path / "e.json"), "F_LCA")
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingDependency, match="hemlp\\[plot\\]"):
        plots.rank_chart(mini)


class Tags(HTMLParser):
    """Counts tags, and checks that they are closed in order."""

    void = ("meta", "link", "br", "input")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count: dict[str, int] = {}

    def handle_starttag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        for name, value in attrs:
            if name in ("src", "href") and value:
                assert value.startswith(("#", "data:", "http://www.w3.org")), value
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_one_file_and_whole(page_file):
    tags = Tags()
    text = page_file.read_text(encoding="utf-8")
    tags.feed(text)
    assert not tags.open
    assert tags.count["details"] == 5 * 50
    assert tags.count["figure"] == 5
    assert "MEDLINE, &lt;five&gt; systems" in text
    assert "doi:10.1007" in text
    assert "F_LCA|horizon:None" in text


def test_labels_are_text_on_the_page(tmp_path):
    systems = {"<b>": ["cow", SCRIPT], "B": [SCRIPT, "bird"]}
    ev = evaluate(H, [SCRIPT, "cow"], systems, ["F_LCA", "TIE"], names={"cow": "<i>Cow</i>"})
    ev.to_html(tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text()
    assert SCRIPT not in text
    assert "<i>Cow" not in text
    assert "<b>: the" not in text
    assert text.count("<script>") == 1


def test_names_that_mean_something_elsewhere(tmp_path):
    """Mathematics of matplotlib, and characters that XML does not have."""
    h = Hierarchy.from_edges([("a", "b\x07\x1b"), ("a", "\ufffe")])
    ev = evaluate(h, ["b\x07\x1b"], {r"$\frac{$": ["\ufffe"], "a$_$b": ["a"]}, ["F_LCA", "GIE"])
    ev.to_html(tmp_path / "r.html")
    assert "\x07" not in (tmp_path / "r.html").read_text()
    ET.fromstring(ev.explain("a$_$b", 0).picture().to_svg())
    ev.explain("a$_$b", 0).picture().to_png(tmp_path / "picture.any")
    assert (tmp_path / "picture.any").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize("measures", [["TIE"], ["GIE", "F_H"]])
def test_small_evaluations_have_a_page(tmp_path, measures):
    evaluate(H, ["cow"], {"only": ["bird"]}, measures).to_html(tmp_path / "r.html")
    assert "nothing to compare" in (tmp_path / "r.html").read_text()


def test_an_evaluation_from_a_file_has_a_page_without_instances(mini, tmp_path):
    mini.to_json(tmp_path / "e.json")
    Evaluation.from_json(tmp_path / "e.json").to_html(tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text()
    assert "<details" not in text
    assert "knn30" in text


def test_values_and_ranks_are_apart_in_the_text_of_the_page(mini, page_file):
    """What is copied from the page is its text: 0.4346 (1), not 0.43461."""
    text = page_file.read_text(encoding="utf-8")
    body = re.search("<tbody>(.*?)</tbody>", text).group(1)
    rows = [re.findall("<td.*?>(.*?)</td>", row) for row in re.findall("<tr>(.*?)</tr>", body)]
    table = mini.table(intervals=False)
    assert [[re.sub("<.*?>", "", cell) for cell in row] for row in rows] == table.rows
    first = re.sub("<.*?>", "", re.search("<summary>(.*?)</summary>", text).group(1))
    assert re.match(r"knn30, instance \d+ F_LCA [\d.]+ predicted: .* true: ", first)
    assert "summary tests plots worst cite" in re.sub("<.*?>", "", text)


# ---- in a browser


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


def test_the_page_sorts_searches_and_opens(browser, page_file):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    def column(k: int) -> list[str]:
        cells = browser.find_elements(By.CSS_SELECTOR, f"table.sorts:first-of-type tbody tr td:nth-child({k})")
        return [cell.text for cell in cells[:5]]

    browser.get(page_file.as_uri())
    head = browser.find_elements(By.CSS_SELECTOR, "table.sorts th button")
    before = column(1)
    head[3].click()
    assert (means := [float(text.split()[0]) for text in column(4)]) == sorted(means)
    head[3].send_keys(Keys.ENTER)  # by the keyboard, and the other way round
    assert (means := [float(text.split()[0]) for text in column(4)]) == sorted(means, reverse=True)
    head[0].click()
    assert column(1) == sorted(before)
    assert head[0].find_element(By.XPATH, "..").get_attribute("aria-sort") == "ascending"

    search = browser.find_element(By.ID, "search")
    search.send_keys("nitroglycerin knn30")
    shown = [e for e in browser.find_elements(By.CSS_SELECTOR, "details.instance") if e.is_displayed()]
    assert 0 < len(shown) < 50
    assert all("itroglycerin" in e.text for e in shown)
    assert f"{len(shown)} of 250" in browser.find_element(By.ID, "found").text
    shown[0].find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)
    assert shown[0].find_element(By.CSS_SELECTOR, "svg.hemlp").is_displayed()
    search.clear()
    search.send_keys("no such thing", Keys.TAB)
    assert not [e for e in browser.find_elements(By.CSS_SELECTOR, "section.system") if e.is_displayed()]
    assert browser.get_log("browser") == []


def test_a_copied_table_has_the_values_of_the_page(browser, page_file, mini):
    browser.get(page_file.as_uri())
    select = "getSelection().selectAllChildren(document.querySelector('table.sorts tbody'))"
    copied = browser.execute_script(f"{select}; return getSelection().toString()")
    rows = [line.strip().split("\t") for line in copied.strip().splitlines()]
    assert rows == mini.table(intervals=False).rows


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone_in_light_and_dark(browser, page_file, scheme):
    metrics = {"width": 380, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    browser.get(page_file.as_uri())
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 380
    colour = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, colour[4:-1].split(","))) > 380) == (scheme == "light")
    assert browser.get_log("browser") == []
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_label_called_script_does_nothing(browser, tmp_path):
    evaluate(H, [SCRIPT, "cow"], {"A": ["cow", SCRIPT]}, ["F_LCA"]).to_html(tmp_path / "r.html", SCRIPT)
    browser.get((tmp_path / "r.html").as_uri())
    assert browser.title == SCRIPT
    assert browser.get_log("browser") == []
