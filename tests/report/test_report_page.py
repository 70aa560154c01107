"""The page in a browser: no errors, no requests, no fault of access, no sideways scrolling; light, dark, print.

Tests `report/page.py`, `report/html_parts.py`, `report/charts.py`.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from report_models import MODELS, reported

import separatrix
from separatrix import SVC, report
from separatrix.svg import Plot

SCHEMES = [("light", 1280), ("dark", 1280), ("light", 360)]


def open_page(browser, text, tmp_path, scheme="light", width=1280):
    """The page of a report, and what went wrong while it opened."""
    path = tmp_path / "report.html"
    path.write_text(text, encoding="utf-8")
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page, faults = context.new_page(), []
    page.on(
        "console",
        lambda message: faults.append(message.text) if message.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on(
        "request",
        lambda request: (
            faults.append(request.url) if not request.url.startswith(("file:", "data:")) else None
        ),
    )
    page.goto(path.as_uri())
    return page, faults


def complaints(page):
    """What axe finds that would keep somebody from reading the page."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(page).response["violations"]
    return [(fault["id"], fault["nodes"][0]["html"]) for fault in found]


@pytest.mark.parametrize("name", ["kernel", "many", "inseparable"])
@pytest.mark.parametrize(("scheme", "width"), SCHEMES)
def test_a_browser_has_nothing_to_complain_of(browser, tmp_path, name, scheme, width):
    page, faults = open_page(browser, reported(name).html(), tmp_path, scheme, width)
    assert faults == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert complaints(page) == []
    page.context.close()


def test_every_drawing_is_seen_and_says_what_it_is(browser, tmp_path):
    page, faults = open_page(browser, reported("linear").html(), tmp_path)
    drawings = page.locator("svg[role=img]")
    assert drawings.count() >= 4
    for place in range(drawings.count()):
        box = drawings.nth(place).bounding_box()
        assert box["width"] > 200
        assert box["height"] > 30
        assert len(drawings.nth(place).get_attribute("aria-label")) > 20
    assert faults == []
    page.context.close()


CUT = """[...document.querySelectorAll('svg[role=img]')].flatMap(svg => {
    const frame = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('text')].filter(text => {
        const box = text.getBoundingClientRect();
        return box.left < frame.left - 1 || box.right > frame.right + 1
            || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
    }).map(text => text.textContent);
})"""
CLIPPED = """[...document.querySelectorAll('main *, header *')].filter(each =>
    each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0 && !each.closest('svg')
    && !['auto', 'scroll'].includes(getComputedStyle(each).overflowX)
    && getComputedStyle(each).overflowX !== 'visible').map(each => each.outerHTML.slice(0, 80))"""
#: Boxes that scroll sideways, and how visible the mark at their edge is at the start.
CUES = """[...document.querySelectorAll('.scroll')].filter(each => each.checkVisibility()).map(each => [
    each.scrollWidth > each.clientWidth,
    Number(getComputedStyle(each.parentElement, '::after').opacity)])"""

SCROLL = "document.querySelectorAll('.scroll').forEach(each => each.scrollTo({left: each.scrollWidth}))"


@pytest.fixture(scope="module", params=[2, 10, 26])
def page_of(request):
    """A page on so many classes with long names and long columns."""
    k = request.param
    rng = np.random.default_rng(k)
    codes = np.arange(30 * k) % k
    rows = rng.normal(scale=2.0, size=(k, 7))[codes] + rng.normal(size=(30 * k, 7))
    columns = [f"a rather long name of the column number {j} in the table" for j in range(7)]
    labels = np.array([f"kind {code} of irises" for code in range(k)])[codes]
    weights = np.where(np.arange(30 * k) % 4 == 0, 0.0, 1.0)
    return report.html(SVC().fit(rows, labels, weights), rows, labels, columns=columns)


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_and_what_scrolls_says_so(browser, tmp_path, page_of, scheme, width):
    page, faults = open_page(browser, page_of, tmp_path, scheme, width)
    assert faults == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert page.evaluate(CUT) == []
    assert page.evaluate(CLIPPED) == []
    marks = page.evaluate(CUES)
    assert [shown > 0.5 for _, shown in marks] == [scrolls for scrolls, _ in marks]
    if (scheme, width) in (("dark", 390), ("light", 1280)):
        assert complaints(page) == []
    if width == 390:
        assert any(scrolls for scrolls, _ in marks)
        page.evaluate(SCROLL)
        page.wait_for_timeout(200)
        after = [shown for scrolls, shown in page.evaluate(CUES) if scrolls]
        assert max(after) < 0.5, "at the end there is no more to scroll to"
    page.context.close()


@pytest.mark.parametrize("name", MODELS)
def test_no_label_of_any_model_is_cut(browser, tmp_path, name):
    page, _ = open_page(browser, reported(name).html(), tmp_path, width=390)
    assert page.evaluate(CUT) == []
    page.context.close()


def test_no_number_at_the_end_of_an_axis_is_cut(browser, tmp_path):
    """However long a fit took: seconds are numbers of every length."""
    plots = [Plot((0.0, float(last)), (1e-6, 1.0), log=True) for last in np.geomspace(1e-5, 100.0, 700)]
    for plot in plots:
        plot.axes("seconds", "relative gap")
    style = (Path(separatrix.__file__).parent / "report" / "page.css").read_text()
    body = "".join(plot.svg("a plot") for plot in plots)
    text = (
        f"<!doctype html><html lang='en'><title>plots</title><style>{style}</style><main>{body}</main></html>"
    )
    page, _ = open_page(browser, text, tmp_path, width=390)
    assert page.evaluate(CUT) == []
    page.context.close()


def test_the_certificate_can_be_saved_and_is_the_models(browser, tmp_path):
    made = reported("linear")
    page, _ = open_page(browser, made.html(), tmp_path)
    with page.expect_download() as waiting:
        page.get_by_text("Save certificate.json").click()
    waiting.value.save_as(tmp_path / "saved.json")
    from separatrix import Certificate

    assert Certificate.load(tmp_path / "saved.json").digest == made.proofs[0].digest
    page.context.close()


def test_it_prints_in_light_colours(browser, tmp_path):
    page, _ = open_page(browser, reported("linear").html(), tmp_path, scheme="dark")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)" != dark
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.context.close()


class Outline(HTMLParser):
    """Checks that tags close in order, and collects attributes that would load something."""

    void = frozenset({"meta", "link", "path"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.loads += [
            value for name, value in attrs if name in ("src", "href") and not value.startswith(("data:", "#"))
        ]
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        if tag not in self.void:
            assert self.open.pop() == tag


@pytest.mark.parametrize("name", MODELS)
def test_every_page_is_well_formed_and_loads_nothing(name):
    text = reported(name).html()
    outline = Outline()
    outline.feed(text)
    assert outline.open == []
    assert outline.loads == []
    assert not outline.tags & {"script", "iframe", "object", "embed", "img"}
    assert "url(" not in text.replace("url(#plane)", "")
    assert not re.search(r"\b(nan|inf)\b(?!<)", " ".join(re.findall(r' [dxy]="([^"]*)"', text)))


def test_names_cannot_break_out_of_the_page():
    bad = '<script>alert("1")</script>'
    X = np.random.default_rng(0).standard_normal((30, 2))
    y = np.where(X[:, 0] > 0, bad, 'b"> <img src=x>')
    text = report.html(SVC().fit(X, y), X, y, columns=[bad, "' onload='x"], title=bad, data_file=bad)
    outline = Outline()
    outline.feed(text)
    assert not outline.tags & {"script", "img"}
    assert "alert(&quot;1&quot;)" in text
