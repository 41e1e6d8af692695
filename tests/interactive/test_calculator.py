"""The calculator of a notebook: the page's form in a frame, whose requests the kernel answers."""

from __future__ import annotations

import json
import shutil
import sys
import time

import pytest

from mathhammer import MathhammerError, interactive, t9a, wh40k

RIFLE = "Rifle: A2 BS3+ S4 AP-1 D1"


def test_a_result_of_any_game_is_where_it_begins():
    pytest.importorskip("anywidget")
    for result in (wh40k.attack(RIFLE, "MEQ", exact=True), t9a.charge(advance=4, distance=11)):
        assert interactive.calculator(result).result.to_text() == result.to_text()


def test_without_anywidget_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(MathhammerError, match=r"anywidget.*pip install 'mathhammer\[interactive\]'"):
        interactive.calculator()


@pytest.mark.browser
def test_a_form_is_filled_in_a_frame_and_answered_by_the_kernel(tmp_path):
    """Ten rifles of two attacks hit with 2/3, wound with 1/2 and are saved by half: 10/3 wounds; eleven 11/3."""
    pytest.importorskip("anywidget")
    webdriver = pytest.importorskip("selenium.webdriver")
    if shutil.which("chromedriver") is None or shutil.which("chromium") is None:
        pytest.skip("no chromium with its chromedriver found, so the widget was not tried")
    shown = interactive.calculator(wh40k.attack(RIFLE, "MEQ", count=10, edition="10e", exact=True))
    answered = []
    shown.send = answered.append
    harness = tmp_path / "notebook.html"
    code = f"const code = {json.dumps(str(shown._esm))}, page = {json.dumps(shown.page)};".replace(
        "</", "<\\/"
    )
    harness.write_text(
        f"<body><script type=module>{code}"
        """window.sent = [];
        const on = (_, f) => { window.deliver = f; };
        const model = { get: () => page, send: (data) => sent.push(data), off() {}, on };
        const { default: widget } = await import("data:text/javascript," + encodeURIComponent(code));
        widget.render({ model, el: document.body });</script></body>""",
        "utf-8",
    )
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        f"--user-data-dir={tmp_path / 'b'}",
    ):
        options.add_argument(flag)
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    with webdriver.Chrome(options=options, service=service) as browser:
        browser.get(harness.as_uri())

        def odds_are(text):
            for _ in range(400):
                for request in browser.execute_script("return window.sent?.splice(0) ?? []"):
                    shown._answer(None, request, None)
                    browser.execute_script("deliver(arguments[0])", answered.pop())
                odds = "return document.querySelector('iframe')?.contentDocument.querySelector('.odds')?.innerText"
                if text in (browser.execute_script(odds) or ""):
                    return True
                time.sleep(0.1)
            return False

        assert odds_are("3.33")
        browser.switch_to.frame(0)
        count = browser.find_element("css selector", "[data-group=weapons] [name=count]")
        count.clear()
        count.send_keys("11")
        browser.switch_to.default_content()
        assert odds_are("3.67")
        assert shown.result.attacks.mean() == 22
