"""A headless browser for the tests of pages: Debian's Chromium (`apt-get install chromium`) driven by playwright."""

import contextlib
import io
import shutil
import time

import numpy as np
import pytest

SOFTWARE = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
"""WebGL without a graphics card."""
LOCAL = ("file:", "data:", "blob:", "about:")


@pytest.fixture(scope="session")
def chromium():
    """Opens a browser; skips where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install playwright")
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("no browser: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=SOFTWARE)
        yield browser
        browser.close()


class Page:
    """A page with what it has said and asked for."""

    def __init__(self, page):
        self.page, self.errors, self.requests = page, [], []
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def picture(self):
        """(height, width, 3) what the first canvas shows."""
        from matplotlib.image import imread

        return np.asarray(imread(io.BytesIO(self.page.locator("canvas").first.screenshot())))[..., :3]

    def picture_when(self, holds, seconds=60):
        """The first picture for which holds(picture), or the last within the time: software rendering shows late what the page
        has long been told, so a picture after a fixed wait may still be the one before."""
        end = time.monotonic() + seconds
        while not holds(shown := self.picture()) and time.monotonic() < end:
            self.page.wait_for_timeout(200)
        return shown

    @property
    def network(self):
        """Requests that left the machine's files."""
        return [url for url in self.requests if not url.startswith(LOCAL)]


@pytest.fixture
def open_page(chromium):
    """open_page(address) -> Page."""
    with contextlib.ExitStack() as stack:

        def open_(address, width=900, height=600):
            page = chromium.new_page(viewport={"width": width, "height": height})
            stack.callback(page.close)
            watched = Page(page)
            page.goto(address, wait_until="load", timeout=90_000)
            page.wait_for_selector("canvas", timeout=90_000)
            page.add_style_tag(content=".mantine-Notifications-root { display: none }")  # viser warns of software rendering
            page.wait_for_timeout(1500)
            return watched

        yield open_
