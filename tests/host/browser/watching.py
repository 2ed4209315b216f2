"""What goes wrong on a page without anybody seeing it: errors in the console, files that do not come, broken layout."""

from __future__ import annotations

from contextlib import contextmanager

__all__ = ["overflow", "watched"]


@contextmanager
def watched(page):
    """The list of all that goes wrong on the page while the block runs."""
    wrong = []

    def console(message):
        # What did not load is told by its answer below; the browser also asks for an icon that no page names.
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            wrong.append(f"console: {message.text}")

    def answered(response):
        if response.status >= 400:
            wrong.append(f"{response.status}: {response.url}")

    def failed(request):
        # Who clicks before all is there goes without the rest.
        if request.failure != "net::ERR_ABORTED":
            wrong.append(f"not loaded: {request.url}")

    listeners = {
        "console": console,
        "pageerror": lambda error: wrong.append(f"script: {error}"),
        "requestfailed": failed,
        "response": answered,
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    yield wrong
    for event, listener in listeners.items():
        page.remove_listener(event, listener)


def overflow(page):
    """By how many pixels the page is wider than the window."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
