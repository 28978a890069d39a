"""Pages in a real browser; conftest.py makes these fixtures known."""

import pytest
from set_up import need

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def chromium():
    """A running Chromium, driven by Playwright.

    It ends with the module: as long as it runs, so does an event loop that others may not share.
    """
    from playwright.sync_api import sync_playwright

    found = need("Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, tmp_path):
    """Open HTML in a tab of its own; no script may fail, open a dialog or use the network."""
    contexts, trouble = [], []

    def opened(text, **options):
        file = tmp_path / f"page{len(contexts)}.html"
        file.write_text(text, encoding="utf-8")
        context = chromium.new_context(**({"viewport": {"width": 1280, "height": 900}} | options))
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: trouble.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))

        def refuse(dialog):
            trouble.append(f"dialog: {dialog.message}")
            dialog.dismiss()

        page.on("dialog", refuse)
        page.on("request", lambda request: _check(request.url, file, trouble))
        page.goto(file.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert trouble == []


def share(text):
    """Read what the page writes of a probability, in per cent; the ends count as 0 and 100."""
    return {"<0.1%": 0.0, ">99.9%": 100.0}.get(text) or float(text.strip("<>%"))


def _check(url, file, trouble):
    if url.split("#")[0] != file.as_uri():
        trouble.append(f"request: {url[:100]}")
