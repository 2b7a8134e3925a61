"""The runs of a campaign as jobs: what is to be started for each, and what became of it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from leadline import own_files
from leadline.campaign import leftovers
from leadline.campaign.batch import files
from leadline.campaign.batch.waiting import Order, end, result
from leadline.campaign.plan import Batch
from leadline.isolated import module_command
from leadline.runs.launch import Launch
from leadline.runs.outcome import Ending, Outcome
from leadline.user_cache import user_cache

BESIDE_S = 120.0  # of a job, beside its run's own limit
SHARED_S = 3600.0  # of a job for several runs
STAMP = "scheduler-asked"
# Handed on from here although no setting names them; the rest is the job's own.
HANDED = (
    "PATH",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "OMPI_",
    "PMIX_MCA_",
    "PRTE_MCA_",
    "MPIR_",
    "MPICH_",
    "I_MPI_",
    "FI_",
    "UCX_",
)


@dataclass
class Jobs:
    """directory: the campaign's."""

    batch: Batch
    directory: Path
    _groups: set[str] = field(default_factory=set)

    @property
    def folder(self) -> Path:
        return self.directory / files.FOLDER

    def _group(self, name: str, ranks: int) -> str:
        return f"ranks-{ranks}" if self.batch.shared else name

    def launch(self, launch: Launch, name: str, ranks: int, fresh: Path | None) -> Launch:
        """The launch that waits for it.   launch: in the job.   fresh: a directory that must not be there."""
        self.folder.mkdir(exist_ok=True)
        group = self._group(name, ranks)
        self._end_others(group)
        # A job is known by its number; the word by which a campaign finds what it left here is not for it.
        env = {key: value for key, value in (launch.env or os.environ).items() if key != leftovers.VARIABLE}
        handed = {key: value for key, value in env.items() if key.startswith(HANDED) or os.environ.get(key) != value}
        limit_s = launch.limit_s or 0.0
        task = {
            "words": launch.argv,
            "environment": handed,
            "directory": str(launch.cwd or Path.cwd()),
            "limit_s": limit_s,
            "fresh": str(fresh) if fresh is not None else "",
        }
        order = Order(
            system=self.batch.system,
            folder=str(self.folder),
            group=group,
            name=name,
            once=not self.batch.shared,
            limit_s=self.batch.time_s or max(SHARED_S if self.batch.shared else 0.0, limit_s + BESIDE_S),
            stamp=str(user_cache() / STAMP),
            options=[word.format(ranks=ranks) for word in self.batch.options],
            environment={key: value for key, value in os.environ.items() if key.startswith(HANDED)},
            task=task,
        )
        file = self.folder / "order.json"
        with own_files.replacing(file) as out:
            out.write(order.text())
        file.chmod(0o600)
        words = module_command("leadline.campaign.batch.waiting", str(file))
        return Launch(launch.label, tuple(words), dict(os.environ), self.directory)

    def outcome(self, done: Outcome, name: str, ranks: int) -> tuple[Outcome, dict[str, Any], dict[str, str | None]]:
        """What became of the run in the job; how busy its host was; and the host."""
        file = result(self.folder, self._group(name, ranks), name) if done.ok else None
        if file is None:
            return done, {}, {}
        found = json.loads(own_files.read_text(file))
        outcome = dict(found["outcome"])
        ending = Ending(outcome.pop("ending"))
        return replace(done, ending=ending, **outcome), found["told"], found["host"]

    def close(self) -> None:
        self._end_others("")

    def _end_others(self, group: str) -> None:
        """Jobs for other runs have nothing left to do."""
        self._groups |= {group} if group else set()
        for other in self._groups - {group}:
            for job in files.of(self.folder, other):
                if not (job / files.ENDED).exists():
                    end(self.batch.system, job)
        self._groups &= {group}
