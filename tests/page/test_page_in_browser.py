"""The page in a real headless browser, as a player uses it: built from the registries, served on this machine."""

from __future__ import annotations

import base64
import csv
import gzip
import os
import shutil
import subprocess
import sys
import threading
import time
import zipfile
import zlib
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
import roster_files
from datasheet_files import LIST

from mathhammer import MathhammerError, rosters, wh40k
from mathhammer.page.build import build_page, server

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1100",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def packed(content):
    """Return bytes as the page writes them into a link."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.urlsafe_b64encode(deflate.compress(content) + deflate.flush()).decode().rstrip("=")


#: What a reader of the screen calls the elements that take input.
CONTROLS = {"button", "checkbox", "combobox", "spinbutton", "tab", "textbox", "radio", "slider"}
#: Seconds for what must come: a busy machine starts Python in half a minute.
PATIENCE = 90
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
DRIVER = shutil.which("chromedriver")
SAMPLE = Path(rosters.__file__).parent / "sample" / "sample-army.ros"

if BROWSER is None or DRIVER is None:
    pytest.skip("no chromium with its chromedriver found, so the page was not tried", allow_module_level=True)
if find_spec("selenium") is None:
    pytest.skip("no selenium: pip install '.[test]'", allow_module_level=True)

from selenium import webdriver  # noqa: E402 - after it is known to be there
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "page"
    try:
        build_page(folder)
    except MathhammerError as error:
        if "couldn't download" not in str(error):
            raise
        pytest.skip(f"the page could not be built here: {error}")
    return folder


@contextmanager
def served(folder):
    with server(folder) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_address[1]}/"
        serving.shutdown()


@pytest.fixture(scope="module")
def address(folder):
    with served(folder) as found:
        yield found


@pytest.fixture(scope="module")
def axe(tmp_path_factory):
    """The source of axe-core, which finds what people with a screen reader or a keyboard cannot use."""
    folder = tmp_path_factory.mktemp("axe")
    wanted = ["axe-playwright-python==0.1.8", "--no-deps", "--dest", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *wanted], check=False)  # noqa: S603 - fixed
    found = next(folder.glob("*.whl"), None)
    if found is None:
        pytest.skip("axe-core could not be had from its registry")
    with zipfile.ZipFile(found) as packed:
        return packed.read("axe_playwright_python/axe.min.js").decode()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('browser')}"):
        options.add_argument(flag)
    found = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield found
    found.quit()


class Page:
    """The page with its elements by their ids."""

    def __init__(self, browser, address):
        self.browser = browser
        browser.get("about:blank")
        browser.get(address)
        self.until(lambda: browser.execute_script("return document.body.dataset.ready"), "the page is ready")

    def __getitem__(self, name):
        return self.browser.find_element(By.ID, name)

    def until(self, found, what):
        end = time.monotonic() + PATIENCE
        while not (value := found()):
            assert time.monotonic() < end, what
            time.sleep(0.05)
        return value

    def part(self, name, panel="panel-attack"):
        return self.browser.find_element(By.CSS_SELECTOR, f"#{panel} .{name}")

    def odds(self, panel="panel-attack"):
        found = "document.querySelectorAll(`#${arguments[0]} .odds strong`)"
        return self.browser.execute_script(f"return [...{found}].map((each) => each.textContent)", panel)

    def put(self, field, value, row="#panel-attack [data-group=weapons] .row"):
        box = self.browser.find_element(By.CSS_SELECTOR, f"{row} [name={field}]")
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys(value)


@pytest.fixture(scope="module")
def page(browser, address):
    return Page(browser, address)


def numbers(weapon, target, **options):
    """What the package says, as the page prints it."""
    result = wh40k.attack(weapon, target, exact=True, **options)
    facts = result._panel().fact_texts(fractions=False)
    return [facts[name] for name in ("models destroyed", "wounds lost", "P(destroyed)")]


def test_an_attack_follows_the_form(page):
    page.put("name", "Cannon")
    page.put("count", "3")
    page.put("attacks", "D6")
    page.put("damage", "D6+1")
    expected = numbers("3x Cannon: AD6 BS3+ S4 AP-1 DD6+1", wh40k.find_target("MEQ"))
    page.until(lambda: page.odds() == expected, f"{expected} on the page")


def test_an_error_stands_beside_the_last_answer(page):
    page.put("damage", "D6+")
    page.until(lambda: "Weapon 1" in page.part("error").text, "an error")
    assert "stale" in page.part("odds").get_attribute("class")
    page.put("damage", "2")
    page.until(lambda: not page.part("error").is_displayed(), "no error")


def test_a_link_shows_the_same_numbers(page, browser):
    before = page.odds()
    page.part("share").click()
    page.until(lambda: "#" in browser.current_url, "a link")
    again = Page(browser, browser.current_url)
    again.until(lambda: again.odds() == before, "the same numbers")


@pytest.mark.parametrize(
    "fragment",
    ["AAAA<script>alert(1)</script>", "%00", "x" * 500_000, packed(bytes(10**7)), packed(b"\xff")],
    ids=["script", "zero", "long", "bomb", "no text"],
)
def test_a_hostile_link_is_an_error_and_nothing_else(page, browser, fragment):
    browser.execute_script(
        "document.getElementById('link-error').hidden = true; location.hash = arguments[0]", fragment
    )
    page.until(lambda: "link is not whole" in page["link-error"].text, "that it is no link of the page")


def test_a_list_from_a_file(page, browser):
    page["tab-list"].click()
    page["file"].send_keys(str(SAMPLE))
    cells = ".matrix td button"
    page.until(lambda: browser.find_elements(By.CSS_SELECTOR, cells), "numbers of the list's units")
    page.until(lambda: not page["list-busy"].is_displayed(), "the whole table")
    first = browser.find_element(By.CSS_SELECTOR, cells)
    share = first.text
    assert share.endswith("%")
    first.click()
    page.until(page["panel-attack"].is_displayed, "the attack of the cell")
    page.until(lambda: "GEQ" in page.part("text").get_property("value"), "its numbers")
    assert float(page.odds()[1]) == pytest.approx(
        int(share.removesuffix("%")) / 10, abs=0.06
    )  # of ten wounds


def test_rules_of_a_list_are_switches_and_its_units_focus(page, browser):
    page["tab-list"].click()
    browser.execute_script("document.getElementById('army').replaceChildren()")
    page["sample"].click()
    find = (
        "[...document.querySelectorAll('#army .flag')].find((each) => each.textContent.startsWith('Stealth'))"
    )
    box = page.until(lambda: browser.execute_script(f"return {find}?.querySelector('input')"), "the rules")
    assert box.get_property("checked")
    browser.execute_script("document.querySelector('#army details:has(.flag)').open = true")
    box.click()
    page.until(lambda: not page["list-busy"].is_displayed(), "the whole table")
    page["focus"].find_element(By.TAG_NAME, "button").click()
    page.until(lambda: "destroy GEQ with" in page["focus"].text, "who destroys it")
    for box in page["focus"].find_elements(By.CSS_SELECTOR, ".flag input")[3:]:
        box.click()
    page["focus"].find_elements(By.TAG_NAME, "button")[1].click()
    page.until(lambda: "points destroyed on average" in page["focus"].text, "who attacks what")


def test_the_matrix_leaves_as_numbers_a_picture_and_a_link(page, browser, tmp_path):
    """Of the list of the test before, whose rule was switched off."""
    about = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", about)
    for button in page["army"].find_elements(By.CSS_SELECTOR, ".tools button"):
        button.click()
    page.until(lambda: "now holds the list" in page["list-shared"].text, "a link")
    wanted = {tmp_path / "mathhammer.csv", tmp_path / "mathhammer.png"}
    page.until(lambda: {*tmp_path.iterdir()} == wanted, "both files")
    rows = list(csv.DictReader((tmp_path / "mathhammer.csv").read_text("utf-8").splitlines()))
    [row] = [
        each for each in rows if [*each.values()][:4:3] == ["Ember Levy", "MEQ"] and each["phase"] == "melee"
    ]
    army = rosters.sample_army()
    lost = wh40k.attack(army["Ember Levy"].only("melee"), "MEQ", edition=army.edition, exact=True).wounds_lost
    assert float(row["wounds"]) == pytest.approx(float(lost.mean()))
    assert (tmp_path / "mathhammer.png").read_bytes().startswith(b"\x89PNG")
    again = Page(browser, browser.current_url)
    again.until(lambda: army.name in again["army"].text, "the list of the link")


def test_names_are_text(page, browser, tmp_path):
    hostile = tmp_path / "hostile.ros"
    text = SAMPLE.read_text("utf-8")
    hostile.write_text(
        text.replace('name="Lamplighters"', 'name="&lt;img src=x onerror=alert(1)&gt;"'), "utf-8"
    )
    page["tab-list"].click()
    page["file"].send_keys(str(hostile))
    page.until(lambda: "<img src=x" in page["army"].text, "the name as text")
    page.until(lambda: not page["list-busy"].is_displayed(), "the whole table")
    assert not browser.find_elements(By.TAG_NAME, "img")


def list_files(folder):
    """Every list file that the tests have, and the sample in the other forms."""
    text = SAMPLE.read_bytes()
    made = {"sample.rosz": roster_files.as_zip(text), "link.txt": b"https://x.example/#" + link(text)}
    made["own.json"] = roster_files.as_json(LIST)
    for name, content in made.items():
        (folder / name).write_bytes(content)
    texts = (Path(roster_files.__file__).parents[1] / "lists" / "texts").glob("*.txt")
    real = Path(os.environ.get("MATHHAMMER_DATA", folder / "none")).glob("rosters*/*.[rtj]*")
    return [SAMPLE, *(folder / name for name in made), *sorted(texts), *sorted(real)]


def link(text):
    return base64.urlsafe_b64encode(gzip.compress(text))


def test_every_list_opens(page, browser, tmp_path):
    page["tab-list"].click()
    texts = list_files(tmp_path)
    page["file"].send_keys(str(texts[-1]))
    page.until(lambda: "wh40k-11e" in page["list-error"].text, "what a text needs, in words of the page")
    catalogues = tmp_path / "wh40k-10e-main.zip"
    with zipfile.ZipFile(catalogues, "w") as packed:
        for each in (Path(roster_files.__file__).parents[1] / "lists" / "catalogues").iterdir():
            packed.write(each, each.name)
    page["file"].send_keys(str(catalogues))
    page.until(lambda: "datasheets of the 10e" in page["datasheets"].text, "the datasheets")
    for path in texts:
        browser.execute_script(
            "for (const id of ['army', 'list-error']) document.getElementById(id).textContent = ''"
        )
        page["file"].send_keys(str(path))
        page.until(lambda: page["army"].text or page["list-error"].text, f"the list {path.name}")
        refused = path.name == "no-names.txt"  # without any unit
        assert bool(page["army"].text) is not refused, (path.name, page["list-error"].text)
    page["datasheets"].find_element(By.TAG_NAME, "button").click()
    page.until(lambda: not page["datasheets"].text, "no datasheets")


def test_a_phone_needs_no_scrolling_sideways(page, browser):
    page["tab-attack"].click()
    try:
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True},
        )
        page.until(lambda: browser.execute_script("return innerWidth") == 390, "a narrow window")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
        assert page.part("odds").is_displayed()
        top = (
            "window.scrollTo(0, 700);"
            "return document.querySelector('#panel-attack .odds').getBoundingClientRect().top"
        )
        # While an answer is drawn the page may be too short to scroll.
        page.until(lambda: 0 <= browser.execute_script(top) < 100, "odds in sight while the inputs change")
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_tabs_are_reached_with_the_keyboard(page, browser):
    page["tab-attack"].send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert browser.switch_to.active_element.get_attribute("id") == "tab-dice"
    page.until(page["panel-dice"].is_displayed, "the dice")


def test_a_game_has_a_form_and_its_text(page, browser):
    page["tab-tc"].click()
    panel = page["panel-tc"]

    def odds():
        return page.odds("panel-tc")

    page.until(lambda: len(odds()) == 3, "the first answer")
    page.put("dice", "0", "#panel-tc")
    page.put("keywords", " ", "#panel-tc")
    page.until(lambda: odds()[2:] == ["58.33%"], "7 or more with two dice")
    panel.find_element(By.NAME, "cover").click()
    page.until(lambda: odds()[2:] == ["31.94%"], "7 or more with the lowest two of three dice")
    panel.find_element(By.CSS_SELECTOR, ".share").click()
    page.until(lambda: "#" in browser.current_url, "a link")
    text = panel.find_element(By.CSS_SELECTOR, ".text").get_property("value")
    assert text.startswith("mathhammer 1: Trench Crusade")


def test_dice_follow_their_fields(page):
    page["tab-dice"].click()
    page.put("number", "3", "#pool")
    page.until(lambda: page.odds("panel-dice")[:1] == ["11.50"], "3D6+1")  # 3 x 3.5 + 1


def all_the_same(error, page):
    """Ask again what was refused as long."""
    page.until(lambda: "takes" in error.text, "that it would take long")
    error.find_element(By.TAG_NAME, "button").click()


LONG = "200x Gun: AD6 BS3+ S4 AP-1 DD6 [SUSTAINED HITS D6]"


def test_a_link_that_would_take_long_is_not_computed_unasked(page, browser):
    text = f"mathhammer 1: Warhammer 40,000, 10e, attack\nweapon: {LONG}\ntarget: Horde: 50x T4 Sv3+ W10\nend"
    browser.execute_script("location.hash = arguments[0]", packed(text.encode()))
    all_the_same(page["link-error"], page)
    page.until(lambda: "Computing" in page["link-busy"].text, "that it is computed now")
    page["tab-list"].click()
    browser.execute_script("document.getElementById('army').replaceChildren()")
    page["sample"].click()
    page.until(lambda: "Waiting for a question as text" in page["list-busy"].text, "what the list waits for")
    page["list-busy"].find_element(By.TAG_NAME, "button").click()
    page.until(lambda: page["army"].find_elements(By.CSS_SELECTOR, "td button"), "the list after all")


def test_a_long_attack_is_cancelled_and_the_page_answers_again(page):
    page["tab-attack"].click()
    page.put("count", "60")
    page.put("attacks", "D6")
    page.put("keywords", "SUSTAINED HITS D6, DEVASTATING WOUNDS")
    page.put("damage", "D6")
    all_the_same(page.part("error"), page)
    page.until(lambda: "Computing" in page.part("busy").text, "that it takes a while")
    page.part("busy").find_element(By.TAG_NAME, "button").click()
    page.until(lambda: "Cancelled" in page.part("error").text, "that it was cancelled")
    page.put("count", "1")
    page.put("attacks", "1")
    page.put("keywords", " ")
    page.put("damage", "1")
    page.until(lambda: not page.part("error").is_displayed(), "an answer of the new worker")
    assert "stale" not in page.part("odds").get_attribute("class")


@pytest.mark.usefixtures("page")
def test_every_control_has_a_name_and_every_id_is_one(browser):
    """What a screen reader says of each control: the accessible name that the browser itself computes."""
    browser.execute_cdp_cmd("Accessibility.enable", {})
    seen = 0
    for tab in browser.find_elements(By.CSS_SELECTOR, "[role=tab]"):
        tab.click()
        nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        controls = [each for each in nodes if each.get("role", {}).get("value") in CONTROLS]
        assert [each for each in controls if not each["name"]["value"].strip()] == []
        seen += len(controls)
    assert seen > 100
    ids = browser.execute_script("return [...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.usefixtures("page")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_checker_of_accessibility_finds_nothing_serious(browser, axe, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.execute_script(axe)
    for tab in browser.find_elements(By.CSS_SELECTOR, "[role=tab]"):
        tab.click()
        found = browser.execute_async_script("axe.run().then(arguments[0])")
        serious = [each for each in found["violations"] if each["impact"] in {"serious", "critical"}]
        assert [(each["id"], each["nodes"][0]["html"]) for each in serious] == []


@pytest.mark.usefixtures("page")
def test_nothing_was_refused_by_the_policy_of_the_page(browser):
    assert [line["message"] for line in browser.get_log("browser") if line["level"] == "SEVERE"] == []


@pytest.mark.usefixtures("page")
def test_nothing_is_kept_but_the_files_of_the_page(browser):
    script = "return [document.cookie, localStorage.length, sessionStorage.length]"
    assert browser.execute_script(script) == ["", 0, 0]
    kept = browser.execute_async_script(
        "Promise.all([caches.keys(), indexedDB.databases()]).then(arguments[0])"
    )
    assert [len(each) for each in kept] == [2, 0]


KEPT = """
const done = arguments[0];
navigator.serviceWorker.ready.then(async () => {
  const [name] = (await caches.keys()).filter((each) => each.startsWith("mathhammer-"));
  const files = await (await fetch("files.json")).json();
  const kept = (await (await caches.open(name)).keys()).map(({ url }) => url);
  done(["memory", ...Object.keys(files.bytes)].every((each) => kept.some((url) => url.endsWith(each))));
});
"""


def test_it_starts_without_a_network(browser, folder):
    with served(folder) as address:
        page = Page(browser, address)
        page.until(lambda: browser.execute_async_script(KEPT), "all files in the browser")
    again = Page(browser, address)
    assert len(again.odds()) == 3
