"""What a section of the report is, whether it is shown on a terminal, as JSON or in the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from leadline.report.content import Content
from leadline.report.screen import Screen

Output = Literal["terminal", "json", "page"]
Figures = dict[str, Any]


@dataclass(frozen=True)
class Section:
    """figures: its fields of the JSON object.   draw: shows it on a terminal; draws nothing where there is nothing.

    short: the title where there is little room.
    order: its place among the sections; by tens, so that there is room between any two.
    present: of the JSON object, whether the section has something to show.
    elsewhere: for an output that it has no part of its own in, why not. The page draws it with the file of the same
    name in page/script/sections, if there is no such reason.
    """

    id: str
    title: str
    order: int
    figures: Callable[[Content], Figures] | None = None
    draw: Callable[[Content, Screen], None] | None = None
    present: Callable[[Figures], bool] = lambda report: True
    short: str = ""
    elsewhere: Mapping[Output, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises ValueError where an output was forgotten."""
        for output, part in (("json", self.figures), ("terminal", self.draw)):
            if (part is None) != (output in self.elsewhere):
                raise ValueError(f"section {self.id}: either a part for {output} or a reason why it has none")

    @property
    def in_page(self) -> bool:
        return "page" not in self.elsewhere
