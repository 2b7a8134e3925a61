"""A study that is a campaign: its file is written from what is wanted, and its runs are kept beside that."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline import own_files, run_directory
from leadline.campaign.show import Campaign
from leadline.runs.interruption import Interruption

FILE = "campaign.toml"


@dataclass(frozen=True)
class Result:
    """campaign: for its table and page.   content: what JSON, terminal and page show."""

    campaign: Campaign
    content: dict[str, Any]
    interruption: Interruption


def campaign_in(directory: Path, text: str) -> Campaign:
    """Writes the campaign's file into the directory. An earlier call's runs are kept."""
    run_directory.make(directory)
    run_directory.refuse_if_others_write(directory, shared=False)
    with own_files.replacing(directory / FILE) as out:
        out.write(text)
    return Campaign.of_file(directory / FILE, directory, directory)
