"""The notebook of sliders and toggles, served as a page and played with in a real headless browser.

A server and a browser are started on this machine and ended with the last test; nothing outside of it is asked.
What the page shows is compared with what the library says of the same values, and with what can be done by hand.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from tenth import wh40k

from mathhammer import MathhammerError, display
from mathhammer.interactive.controls import boxed_abilities
from mathhammer.systems.wh40k.editions import EDITIONS

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "interactive.ipynb"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1100",
    # No name is resolved: a page that needs another machine would be seen to.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
#: Seconds to wait for what must come; on a quick machine it is there at once.
PATIENCE = 40

BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
DRIVER = shutil.which("chromedriver")
MISSING = [name for name in ("voila", "ipykernel", "selenium") if find_spec(name) is None]
if MISSING:
    pytest.skip(f"no {' and no '.join(MISSING)}: pip install '.[test]'", allow_module_level=True)
if BROWSER is None or DRIVER is None:
    pytest.skip(
        "no chromium with its chromedriver found, so nothing was tried in a browser; "
        "apt-get install chromium chromium-driver",
        allow_module_level=True,
    )

from selenium import webdriver  # noqa: E402 - after it is known to be there
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

pytestmark = pytest.mark.browser

CSS = By.CSS_SELECTOR


def until(found, expected, what):
    """Wait until a function returns what is expected; the last thing it returned is in the message."""
    end = time.monotonic() + PATIENCE
    while (last := found()) != expected:
        assert time.monotonic() < end, f"{what}: expected {expected!r}, the page shows {last!r}"
        time.sleep(0.05)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of the notebook, served by a process of its own that reads nobody's settings."""
    folder = tmp_path_factory.mktemp("jupyter")
    own = {
        name: str(folder / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    }
    port = free_port()
    arguments = ["--no-browser", "--Voila.ip=127.0.0.1", f"--port={port}", "--Voila.port_retries=0"]
    log = folder / "voila.log"
    with log.open("wb") as sink:
        server = subprocess.Popen(  # noqa: S603 - our own interpreter
            [sys.executable, "-m", "voila", *arguments, str(NOTEBOOK)],
            stdout=sink,
            stderr=subprocess.STDOUT,
            env={**os.environ, **own, "IPYTHONDIR": str(folder / "ipython")},
        )
        try:
            end = time.monotonic() + PATIENCE
            while not listens(port):
                assert server.poll() is None, log.read_text()
                assert time.monotonic() < end, log.read_text()
                time.sleep(0.2)
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('browser')}"):
        options.add_argument(flag)
    found = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield found
    found.quit()


class Page:
    """The panel as a player finds it: controls by their labels, results by what stands beside them."""

    def __init__(self, browser, address, *, dark=False):
        self.browser = browser
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
        browser.get(address)
        until(
            lambda: len(browser.find_elements(CSS, ".mathhammer-output svg")),
            2,
            "pictures of the first result",
        )

    def control(self, label, inside, group=""):
        """The element of a control that takes keys; where a label is twice, the one of the group."""
        above = f"ancestor::*[contains(@class,'mathhammer-group')][.//h3='{group}']" if group else "true()"
        return self.browser.find_element(
            By.XPATH,
            f"//*[contains(@class,'mathhammer-panel')]//*[label[normalize-space()='{label}']][{above}]//{inside}",
        )

    def write(self, label, text):
        box = self.control(label, "input")
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys(text)

    def slide(self, label, steps):
        handle = self.control(label, "*[@role='slider']")
        handle.send_keys((Keys.ARROW_RIGHT if steps > 0 else Keys.ARROW_LEFT) * abs(steps))

    def stands_at(self, label):
        return self.control(label, "*[contains(@class,'widget-readout')]").text

    def tick(self, label):
        self.browser.find_element(By.XPATH, f"//label[span='{label}']/input").click()

    def choose(self, label, option, group=""):
        """Choose what begins so; the options may still be on their way, and are looked through in one go."""
        control = self.control(label, "select", group)
        script = (
            "return [...arguments[0].options].findIndex("
            "o => o.text.replaceAll('\\xa0', ' ').startsWith(arguments[1]))"
        )

        def place():
            return self.browser.execute_script(script, control, option)

        until(lambda: place() >= 0, expected=True, what=f"{option} in {label}")
        Select(control).select_by_index(place())

    def press(self, text):
        self.browser.find_element(By.XPATH, f"//button[normalize-space()='{text}']").click()

    def read(self, selector):
        """All texts at once, in the page: an element may be replaced between two questions."""
        script = "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent.trim())"
        return self.browser.execute_script(script, selector)

    def row(self, name):
        script = (
            "const row = [...document.querySelectorAll('.mathhammer-output tr')].find(r => r.cells[0].textContent"
            " === arguments[0]); return row ? [...row.cells].slice(1).map(c => c.textContent) : []"
        )
        return self.browser.execute_script(script, name)

    def shows(self, result):
        """Wait until the page shows this result: its numbers, every bar, the table of "at least", the rulings."""
        until(
            lambda: self.row("Whole unit destroyed")[:1], [display.percent(result.probability_destroyed)], "P"
        )
        until(lambda: self.row("Models destroyed, mean")[:1], [display.number(result.kills.mean())], "models")
        until(
            lambda: self.row("Wounds lost, mean")[:1], [display.number(result.wounds_lost.mean())], "wounds"
        )
        bars = [f"{k}: {display.percent(result.kills.pmf(k))}" for k in result.kills.support]
        until(lambda: self.read(".mathhammer-output div:nth-child(2) > .mathhammer rect title"), bars, "bars")
        until(lambda: self.read(".mathhammer-details summary"), [result.rulings.sentence], "rulings")


@pytest.fixture
def page(browser, address):
    return Page(browser, address)


def rifle(keywords=""):
    return wh40k.Weapon(
        "Rifle", range="", attacks=2, skill="3+", strength=4, ap=-1, damage=1, keywords=keywords
    )


def test_a_slider_a_toggle_and_a_target_change_what_is_shown(page):
    marines = wh40k.TARGETS["MEQ"]
    page.shows(wh40k.attack(rifle(), marines, count=10))
    page.slide("Number of weapons", 7)
    page.shows(wh40k.attack(rifle(), marines, count=17))
    page.tick("Devastating Wounds")
    page.shows(wh40k.attack(rifle("Devastating Wounds"), marines, count=17))
    page.choose("Cover", "Benefit of Cover")
    page.choose("Re-roll hits", "failed rolls")
    situation = {"cover": True, "reroll_hits": "failed"}
    page.shows(wh40k.attack(rifle("Devastating Wounds"), marines, count=17, **situation))
    page.choose("From the list", "GEQ", group="Target")
    page.shows(wh40k.attack(rifle("Devastating Wounds"), wh40k.TARGETS["GEQ"], count=17, **situation))
    page.press("9th")
    page.choose("Cover", "light")
    # Devastating Wounds is no rule of the 9th edition, and cover means something else there.
    page.shows(
        wh40k.attack(
            rifle(), wh40k.TARGETS["GEQ"], count=17, edition="9e", cover="light", reroll_hits="failed"
        )
    )


def test_a_case_done_by_hand(page):
    page.choose("From the list", "TANK", group="Target")  # T11, Sv2+, W13
    page.choose("From the list", "2x Lascannons", group="Weapon")
    until(lambda: page.stands_at("Number of weapons"), "2", "the number that the list says")
    page.slide("Number of weapons", -1)
    page.write("Damage (D)", "13")
    page.tick("Show fractions")
    until(lambda: page.row("Whole unit destroyed"), ["8/27 = 29.63%"], "hit 2/3, wound 2/3, save failed 2/3")
    page.tick("The attacker remained stationary (Heavy)")
    until(lambda: page.row("Whole unit destroyed"), ["10/27 = 37.04%"], "hit 5/6, wound 2/3, save failed 2/3")
    page.choose("Cover", "Benefit of Cover")
    until(lambda: page.row("Whole unit destroyed"), ["5/18 = 27.78%"], "hit 5/6, wound 2/3, save failed 1/2")
    page.press("Keep as the reference")
    page.slide("Feel No Pain", 1)  # 6+: thirteen dice, of which none may show a six
    expected = 5 / 18 * (5 / 6) ** 13
    until(lambda: page.row("Whole unit destroyed")[0][-5:], f"{100 * expected:.2f}%", "every wound must stay")
    assert page.row("Whole unit destroyed")[1:] == [
        "5/18 = 27.78%",
        f"{100 * (expected - 5 / 18):+.2f} points",
    ]


def test_a_wrong_value_is_said_where_it_stands(page):
    before = wh40k.attack(rifle(), wh40k.TARGETS["MEQ"], count=10)
    page.shows(before)
    page.write("Damage (D)", "D6+")
    with pytest.raises(MathhammerError) as refused:
        wh40k.Weapon("Rifle", range="", attacks=2, skill="3+", strength=4, ap=-1, damage="D6+")
    message = str(refused.value)
    until(lambda: page.read(".mathhammer-wrong"), ["Not computed, see Damage (D).", message], "the message")
    assert page.row("Wounds lost, mean") == [display.number(before.wounds_lost.mean())]
    assert float(page.browser.find_element(CSS, ".mathhammer-stale").value_of_css_property("opacity")) < 0.5
    box = page.control("Damage (D)", "input").rect
    below = page.browser.find_element(CSS, ".mathhammer-group .mathhammer-wrong").rect
    assert box["y"] < below["y"] < box["y"] + 60
    assert not any("Traceback" in text for text in page.read("body"))
    page.control("Damage (D)", "input").send_keys("1")
    weapon = wh40k.Weapon("Rifle", range="", attacks=2, skill="3+", strength=4, ap=-1, damage="D6+1")
    page.shows(wh40k.attack(weapon, wh40k.TARGETS["MEQ"], count=10))
    assert page.read(".mathhammer-wrong, .mathhammer-stale") == []


def test_the_keyboard_is_enough(page):
    page.control("Damage (D)", "input").send_keys(Keys.TAB)
    for _ in range(boxed_abilities().index("Lethal Hits")):  # the boxes follow it
        page.browser.switch_to.active_element.send_keys(Keys.TAB)
    page.browser.switch_to.active_element.send_keys(Keys.SPACE)
    page.shows(wh40k.attack(rifle("Lethal Hits"), wh40k.TARGETS["MEQ"], count=10))
    page.control("Cover", "select").send_keys(Keys.ARROW_DOWN)
    page.shows(wh40k.attack(rifle("Lethal Hits"), wh40k.TARGETS["MEQ"], count=10, cover=True))
    page.browser.find_element(By.XPATH, "//button[.='Keep as the reference']").send_keys(Keys.ENTER)
    until(lambda: len(page.row("Whole unit destroyed")), 3, "now, reference and change")


def test_the_result_stays_in_sight_of_the_folded_controls(page):
    page.browser.find_element(
        By.XPATH, "//*[.='More of target and situation'][contains(@class,'header')]"
    ).click()
    until(
        lambda: page.control("Ignores modifiers of", "select").is_displayed(),
        expected=True,
        what="the controls",
    )
    page.tick(EDITIONS["10e"].conditions["stealth"].label)
    page.choose("Critical hits on", "5+")
    page.shows(wh40k.attack(rifle(), wh40k.TARGETS["MEQ"], count=10, stealth=True, critical_hit=5))
    last = page.control("Re-roll saves", "select")
    page.browser.execute_script("arguments[0].scrollIntoView({block: 'end'})", last)
    result = page.browser.find_element(CSS, ".mathhammer-output")
    script = "const r = arguments[0].getBoundingClientRect(); return [r.top, r.bottom, innerHeight]"
    top, bottom, height = page.browser.execute_script(script, result)
    assert 0 <= top < bottom < height
    first = page.browser.execute_script(script, page.control("Attacks (A)", "input"))
    assert first[0] < bottom  # what is above has moved below the result


def brightness(colour):
    """Relative luminance, as the guidelines for accessible pages define it."""
    channels = [int(part) / 255 for part in colour.split("(")[1].rstrip(")").split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_stands_out_on_light_and_dark_pages(browser, address, dark):
    page = Page(browser, address, dark=dark)
    page.write("Other abilities", "Lethal")
    until(lambda: len(page.read(".mathhammer-wrong")), 2, "the message")
    script = """
        const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
            if (c !== 'rgba(0, 0, 0, 0)') return c; } return 'rgb(255, 255, 255)'; };
        const seen = [...document.querySelectorAll('.mathhammer-panel *')].filter(e => e.checkVisibility() &&
            !e.closest('.mathhammer-stale, :disabled') && (e.matches('input[type=text], select') ||
            [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())));
        return seen.map(e => [e.textContent.slice(0, 40), getComputedStyle(e).color, behind(e)])"""
    texts = browser.execute_script(script)
    assert len(texts) > 40
    for text, colour, ground in texts:
        light, low = sorted((brightness(colour), brightness(ground)), reverse=True)
        assert (light + 0.05) / (low + 0.05) >= 4.5, (text, colour, ground)
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (brightness(ground) < 0.05) == dark


def test_a_narrow_window_needs_no_sideways_scrolling(browser, address):
    size = browser.get_window_size()
    browser.set_window_size(500, 900)
    try:
        Page(browser, address)
        sides = browser.execute_script(
            "const p = document.querySelector('.mathhammer-panel'); return [p.scrollWidth, p.clientWidth,"
            " document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert sides[0] <= sides[1] + 1
        assert sides[2] <= sides[3] + 1
    finally:
        browser.set_window_size(size["width"], size["height"])
