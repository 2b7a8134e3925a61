"""A section of the report, in the terminal, as JSON and in the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from leadline.figures.content import Content
from leadline.text.screen import Screen

Output = Literal["terminal", "json", "page"]
Figures = dict[str, Any]


@dataclass(frozen=True)
class Section:
    """figures: its fields of the JSON object.   draw: shows it on a terminal; draws nothing if there is nothing to
    show.

    short: a title for narrow places.
    nothing: why it has nothing to show, for whoever asks for it.
    order: its place among the sections, in tens, so that there is room between any two.
    present: whether the section has something to show, given the JSON object.
    elsewhere: for each output in which it has no part, the reason. Without such a reason, the page draws it with the
    file of the same name in page/script/sections.
    """

    id: str
    title: str
    order: int
    figures: Callable[[Content], Figures] | None = None
    draw: Callable[[Content, Screen], None] | None = None
    present: Callable[[Figures], bool] = lambda report: True
    short: str = ""
    nothing: Callable[[Content], str] = lambda content: "none"
    elsewhere: Mapping[Output, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises ValueError if an output was forgotten."""
        for output, part in (("json", self.figures), ("terminal", self.draw)):
            if (part is None) != (output in self.elsewhere):
                raise ValueError(f"section {self.id}: either a part for {output} or a reason why it has none")

    @property
    def in_page(self) -> bool:
        return "page" not in self.elsewhere
