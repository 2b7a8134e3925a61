"""The hosts and processors on which the ranks ran."""

from __future__ import annotations

from typing import Any

from leadline.figures import core_sharing, job
from leadline.figures.content import Content
from leadline.figures.json_entries import rank_id
from leadline.report.section import Section
from leadline.text.screen import Screen
from leadline.wording import jobs


def figures(content: Content) -> dict[str, Any]:
    return {
        "batch": job.batch_job(content.run),
        "placement": [_binding(binding) for binding in job.bindings(content.run)],
        "hosts_detail": [_host(use) for use in content.host_uses],
    }


def _binding(binding: job.Binding) -> dict[str, Any]:
    return {
        "host": binding.host,
        "ranks": [rank_id(label) for label in binding.labels],
        "cores": [core for first, count in binding.cores for core in range(first, first + count)],
        "host_cores": binding.host_cores,
        "bound": binding.is_bound,
    }


def _host(use: core_sharing.HostUse) -> dict[str, Any]:
    return {
        "host": use.host,
        "ranks": use.ranks,
        "threads": use.threads,
        "cores": use.cores,
        "host_cores": use.host_cores,
        "waited_share": use.waited_share,
    }


def draw(content: Content, out: Screen) -> None:
    lines = jobs.binding_lines(content.run)
    if lines:
        out.section(SECTION.title)
        for line in lines:
            out.item(line)


SECTION = Section(
    id="placement",
    title="Where the ranks ran",
    order=10,
    figures=figures,
    draw=draw,
    elsewhere={"page": "hosts: see the table of ranks; bindings: see the section on Leadline itself"},
)
