"""The study: its campaign, messages alone, and the paper's claims."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from leadline.campaign.measured import measured as cells_measured
from leadline.campaign.programs import kind_of, library_for
from leadline.campaign.results import comparisons
from leadline.campaign.show import Campaign
from leadline.errors import MeasurementFailed
from leadline.studies.by_campaign import Result, campaign_in
from leadline.studies.libraries import claims, messages
from leadline.studies.libraries.plan import Wanted, candidates, toml_of, two_ways

SCHEMA = "leadline.study.libraries/1"
FEWEST_REPEATS = 3  # of messages alone: launches, of which each has many samples


def campaign_of(wanted: Wanted, directory: Path) -> Campaign:
    """Writes the campaign's file into the directory. An earlier call's runs are kept."""
    kinds = [kind_of(name) for name in wanted.libraries]
    return campaign_in(directory, toml_of(wanted, kinds))


def run(campaign: Campaign, wanted: Wanted, say: Callable[[str], None], progress: Callable[[str], None]) -> Result:
    """Raises MeasurementFailed if there is nothing to show."""
    found = [(name, library_for(name, say)) for name in wanted.libraries]
    by_name = dict(found)
    pairs = [(by_name[name], setting) for name, setting in candidates([(name, each.kind.name) for name, each in found])]
    alone = messages.measured(pairs, max(FEWEST_REPEATS, wanted.repeats), campaign.directory, progress)
    interruption = alone.interruption
    if not interruption.signal:
        interruption = campaign.run(say, None, retry_failed=False).interruption
    if not campaign.journal.rows and not interruption.signal:
        raise MeasurementFailed("no run of the study was made")
    return Result(campaign, content_of(campaign, wanted, alone), interruption)


def content_of(campaign: Campaign, wanted: Wanted, alone: messages.Messages) -> dict[str, Any]:
    made = comparisons(cells_measured(campaign.cells, campaign.journal, parts=True))
    first = next((name for name in wanted.libraries if campaign.kinds[name] in two_ways()), "")
    verdicts = claims.verdicts(made, alone, first)
    return {
        **campaign.results(),
        "schema": SCHEMA,
        "messages": alone.as_data(),
        "claims": [each.as_dict() for each in verdicts],
        "by_application": claims.by_application(made, alone, first),
        "winners": claims.winners(made, alone),
    }
