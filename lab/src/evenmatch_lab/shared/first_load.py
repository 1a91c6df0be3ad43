"""What the first visit of the page loads, and how long that takes, as Chromium tells it."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from statistics import median
from typing import Any

from evenmatch_lab.shared.web_server import WebServer

VISITS = 5
DRAWN = "main h1"  #: what is there once the page is
READ = """() => {
    const found = [...performance.getEntriesByType('navigation'),
                   ...performance.getEntriesByType('resource')];
    return [found.reduce((sum, one) => sum + one.transferSize, 0), found.length];
}"""


def browser() -> str | None:
    """Return where Chromium is; None if it is not there, or cannot be driven."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    return found if find_spec("playwright") else None


def first_load(server: WebServer, chromium: str) -> dict[str, Any]:
    """Visit the page some times, each time as somebody new."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        started = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        _visit(started, server.url)  # the browser's own start is not counted
        visits = [_visit(started, server.url) for _ in range(VISITS)]
        started.close()
    seconds = [one["seconds"] for one in visits]
    told = {"seconds": median(seconds), "longest": max(seconds), "visits": VISITS}
    return told | {name: visits[-1][name] for name in ("bytes", "files")}


def _visit(started: Any, url: str) -> dict[str, float]:
    context = started.new_context()
    page = context.new_page()
    page.goto(url)
    page.locator(DRAWN).first.wait_for()
    milliseconds = page.evaluate("performance.now()")
    page.wait_for_load_state("networkidle")
    size, files = page.evaluate(READ)
    context.close()
    return {"seconds": milliseconds / 1000, "bytes": size, "files": files}
