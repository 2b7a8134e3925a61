"""Pages in a real Chromium, driven through the DevTools protocol. What any of them must never do is checked for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from leadline.report import page as report_page
from leadline.text import format as fmt

from .synthetic import with_sections


def seconds(value: float) -> str:
    """Seconds in the page's format."""
    return fmt.seconds(value)


@dataclass
class Opened:
    """A page in the browser, with what it asked for and complained of since it was opened."""

    tab: Any
    address: str
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def texts(self, selector: str) -> list[str]:
        found: list[str] = self.tab.locator(selector).all_inner_texts()
        return found

    def rows(self, section: str, table: int = 0) -> list[list[str]]:
        """The cells of a table of a section, as they are read. Tables are made when their details are opened."""
        self.tab.locator(f"#{section} .table > .scroll > table").nth(table).wait_for(state="attached")
        script = """([section, table]) => [...document.querySelectorAll(`#${section} .table > .scroll > table`)[table]
            .querySelectorAll(":scope > tbody > tr.row")].map((row) => [...row.children]
            .filter((cell) => !cell.classList.contains("opener")).map((cell) => cell.innerText.trim()))"""
        found: list[list[str]] = self.tab.evaluate(script, [section, table])
        return found


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Opened]]:
    """open_page(file, width=1280, scheme="light", **context) -> Opened. Every page opened is checked in the end."""
    opened: list[Opened] = []
    contexts = []

    def open_(file: Path, *, width: int = 1280, scheme: str = "light", **more: Any) -> Opened:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **more)
        contexts.append(context)
        tab = context.new_page()
        one = Opened(tab, file.resolve().as_uri())
        tools = context.new_cdp_session(tab)
        tools.send("Network.enable")
        tools.send("Log.enable")
        tools.on("Network.requestWillBeSent", lambda event: one.requests.append(event["request"]["url"]))
        tools.on("Network.webSocketCreated", lambda event: one.requests.append(event["url"]))
        tools.on("Log.entryAdded", lambda event: one.complaints.append(event["entry"]["text"]))
        tab.on("console", lambda message: one.complaints.append(f"{message.type}: {message.text}"))
        tab.on("pageerror", lambda error: one.complaints.append(str(error)))
        tab.goto(one.address)
        opened.append(one)
        return one

    yield open_
    for one in opened:
        one.tab.wait_for_timeout(50)  # what was asked for late
    for context in contexts:
        context.close()
    for one in opened:
        assert one.requests == [one.address], "a page may ask for nothing but itself"
        assert one.complaints == []


@pytest.fixture
def show(open_page: Callable[..., Opened], tmp_path: Path) -> Callable[..., Opened]:
    """show(report, ...) -> Opened: the page of a report object, with its current list of sections."""

    def show_(report: dict[str, Any], **more: Any) -> Opened:
        file = tmp_path / "report.html"
        report_page.write_page(with_sections(report), file)
        return open_page(file, **more)

    return show_
