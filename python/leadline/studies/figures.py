"""The study's tables, beside the published figures, as plain data: what JSON, terminal and page show."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from leadline.statistics.median import median
from leadline.statistics.paired import paired
from leadline.studies import published
from leadline.studies.forms import AFTER, BEFORE, GATHERED, PARALLEL
from leadline.studies.opatm import Study
from leadline.studies.samples import ROUTINES, Sample

SCHEMA = "leadline.study.opatm/1"
TITLES = {"input": "initialisation, input", "loop": "main loop", "output": "output"}
Quantity = Callable[[Sample], float]


def figures(study: Study) -> dict[str, Any]:
    few, many = study.plan.ranks
    phases = [_phase(study, name) for name in TITLES] + [_total(study)]
    return {
        "schema": SCHEMA,
        "verdict": verdict(phases[-1]["here"]),
        "notes": _notes(study),
        "program": ["opatm", *study.plan.grid, *study.plan.program],
        "ranks": [few, many],
        "library": study.plan.library.name,
        "rounds": study.rounds,
        "steps": study.samples[0].steps,
        "checksum": study.samples[0].checksum,
        "findings": _findings(study),
        "phases": phases,
        "routines": [_routine(study, name, ranks) for ranks in study.plan.ranks for name in ROUTINES],
        "files": _files(study),
        "segments": _segments(study),
        "scalability": _scalability(study),
        "side_by_side": _side_by_side(study),
        "runs": str(study.plan.directory),
    }


def verdict(totals: Sequence[dict[str, Any]]) -> str:
    parts = [f"with {here['ranks']} ranks {words_of(here['ratio'])}" for here in totals]
    return f"Changed / original time: {'; '.join(parts)}."


def words_of(ratio: dict[str, Any] | None) -> str:
    """ "0.48 × (0.45 to 0.52)"; it says so if the rounds do not agree on the direction."""
    if ratio is None:
        return "–"
    unclear = "" if ratio["clear"] else ", within noise"
    return f"{ratio['median']:.2f} × ({ratio['least']:.2f} to {ratio['most']:.2f}{unclear})"


def _notes(study: Study) -> list[str]:
    cores = len(os.sched_getaffinity(0))
    early = [f"interrupted after {study.rounds} of {study.plan.rounds} repeats"] if study.interruption.signal else []
    missing = [f"parallel I/O variant not measured: {study.files.missing}"]
    return [
        *early,
        *(missing if study.files.missing else []),
        *(
            f"{ranks} ranks share {cores} cores: times include waits for a core"
            for ranks in study.plan.ranks
            if ranks > cores
        ),
    ]


def _median(samples: Sequence[Sample], quantity: Quantity) -> float:
    return median([quantity(sample) for sample in samples])


def ratio(study: Study, form: str, ranks: int, quantity: Quantity) -> dict[str, Any] | None:
    """Of a form to the form as it was, round by round: the median, the least and the most; None if it took no time.

    clear: whether there are enough rounds, and all agree on the direction.
    """
    new, old = ([quantity(sample) for sample in study.of(which, ranks)] for which in (form, BEFORE.id))
    found = paired(new, old)
    if found is None:
        return None
    return {"median": found.median, "least": found.least, "most": found.most, "clear": found.clear}


def _phase(study: Study, name: str) -> dict[str, Any]:
    def total(sample: Sample) -> float:
        return sample.clock_s[name]

    def mpi(sample: Sample) -> float:
        return sample.mpi_s[name]

    return _row(study, name, TITLES[name], total, mpi)


def _total(study: Study) -> dict[str, Any]:
    return _row(study, "total", "total", lambda s: s.total_s, lambda s: sum(s.mpi_s.values()))


def _row(study: Study, name: str, title: str, total: Quantity, mpi: Quantity) -> dict[str, Any]:
    def at(ranks: int) -> dict[str, Any]:
        before, after = study.of(BEFORE.id, ranks), study.of(AFTER, ranks)
        return {
            "ranks": ranks,
            "before_s": _median(before, total),
            "before_mpi_s": _median(before, mpi),
            "after_s": _median(after, total),
            "after_mpi_s": _median(after, mpi),
            "ratio": ratio(study, AFTER, ranks, total),
        }

    return {"phase": name, "title": title, "here": [at(ranks) for ranks in study.plan.ranks]}


def _routine(study: Study, name: str, ranks: int) -> dict[str, Any]:
    def seconds(sample: Sample) -> float:
        return sample.routine_s[name]

    return {
        "routine": name,
        "ranks": ranks,
        "forms": [
            {
                "form": form.id,
                "title": form.title,
                "messages": study.of(form.id, ranks)[0].messages[name],
                "mpi_s": _median(study.of(form.id, ranks), seconds),
                "ratio": None if form is BEFORE else ratio(study, form.id, ranks, seconds),
            }
            for form in study.forms
        ],
    }


def _files(study: Study) -> list[dict[str, Any]]:
    """The input and the output by form; without those forms that differ in exchanges only."""
    shown = [form for form in study.forms if form.id in (BEFORE.id, GATHERED.id, PARALLEL.id)]

    def row(ranks: int, form: str, title: str) -> dict[str, Any]:
        samples = study.of(form, ranks)
        return {
            "ranks": ranks,
            "form": form,
            "title": title,
            "read_s": _median(samples, _reading),
            "read_bytes": samples[0].read_bytes,
            "read_times": samples[0].read_bytes / study.files.input_bytes,
            "read_ratio": None if form == BEFORE.id else ratio(study, form, ranks, _reading),
            "write_s": _median(samples, _writing),
            "written_bytes": samples[0].written_bytes,
            "write_ratio": None if form == BEFORE.id else ratio(study, form, ranks, _writing),
        }

    if not study.files.ways:
        return []
    return [row(ranks, form.id, form.title) for ranks in study.plan.ranks for form in shown]


def _reading(sample: Sample) -> float:
    return sample.reading_s


def _writing(sample: Sample) -> float:
    return sample.clock_s["output"]


def _exchanging(sample: Sample) -> float:
    return sum(sample.routine_s[name] for name in ("trcadv", "trchdf", "trcnxt"))


def _segments(study: Study) -> dict[str, Any]:
    """By number of segments, at the smaller number of ranks."""
    ranks = study.plan.ranks[0]

    def loop(sample: Sample) -> float:
        return sample.clock_s["loop"]

    rows: list[dict[str, Any]] = []
    for n in sorted({1, *study.plan.segments}):
        form = "packed" if n == 1 else f"segments-{n}"
        rows.append(
            {
                "segments": n,
                "loop_s": _median(study.of(form, ranks), loop),
                "mpi_s": _median(study.of(form, ranks), _exchanging),
                "messages": sum(study.of(form, ranks)[0].messages[name] for name in ("trcadv", "trchdf", "trcnxt")),
                "ratio": ratio(study, form, ranks, loop),
            }
        )
    times = {row["segments"]: float(row["loop_s"]) for row in rows}
    return {
        "ranks": ranks,
        "rows": rows,
        "best": min(times, key=lambda n: times[n]),
        "none_s": _median(study.of(BEFORE.id, ranks), loop),
        "auto_s": _median(study.of(AFTER, ranks), loop),
    }


def _real_case(samples: Sequence[Sample]) -> float:
    """Seconds of the real case, extrapolated from a short one, since its steps are alike."""

    def whole(sample: Sample) -> float:
        steps = published.REAL_STEPS * sample.clock_s["loop"] / max(sample.steps, 1)
        outputs = published.REAL_STEPS // published.STEPS_PER_OUTPUT * sample.clock_s["output"]
        return sample.clock_s["input"] + steps + outputs

    return _median(samples, whole)


def _scalability(study: Study) -> dict[str, Any]:
    """Time at the smaller number of ranks by time at the larger one, in the extrapolated real case."""
    few, many = study.plan.ranks
    real = {form: [_real_case(study.of(form, ranks)) for ranks in (few, many)] for form in (BEFORE.id, AFTER)}
    return {
        "steps": published.REAL_STEPS,
        "before_s": real[BEFORE.id],
        "after_s": real[AFTER],
        "before": real[BEFORE.id][0] / real[BEFORE.id][1],
        "after": real[AFTER][0] / real[AFTER][1],
    }


def _side_by_side(study: Study) -> list[dict[str, Any]]:
    """Each statement of the papers with a number, and the same number here."""
    few, many = study.plan.ranks
    scaling = _scalability(study)
    before = study.of(BEFORE.id, few)[0]
    processes = " and ".join(str(n) for n in published.PROCESSES)
    per_step = sum(before.messages[name] for name in published.MESSAGES) / max(before.steps, 1)

    def share(form: str, ranks: int, *names: str) -> dict[str, Any] | None:
        return ratio(study, form, ranks, lambda sample: sum(sample.routine_s[name] for name in names))

    def row(what: str, paper: str, here: Any) -> dict[str, Any]:
        return {"what": what, "published": paper, "here": here}

    def read_by_all(ranks: int) -> Any:
        return ratio(study, PARALLEL.id, ranks, _reading) if "parallel" in study.files.ways else "not measured"

    def percent(value: float) -> str:
        return f"{100 * value:.0f} %"

    def minutes(seconds: Sequence[float]) -> str:
        return " and ".join(f"{value / 60:.1f} min" for value in seconds)

    real = published.REAL_BEFORE, published.REAL_AFTER
    return [
        row(
            "messages per step",
            f"{sum(published.MESSAGES.values()):,} with 32 processes",
            f"{round(per_step):,} with {few} ranks",
        ),
        *[
            row(f"communication of {name}, one segment", percent(published.ONE_SEGMENT), share("packed", few, name))
            for name in ("trcadv", "trcnxt")
        ],
        *[
            row(
                f"communication of the output, collectives, {ranks} ranks",
                percent(published.COLLECTIVES),
                share("gathered", ranks, "trcwri"),
            )
            for ranks in (few, many)
        ],
        *[
            row(f"time of the input, read by all, {ranks} ranks", f"{percent(share)} with {those}", read_by_all(ranks))
            for ranks, share, those in zip((few, many), published.PARALLEL_INPUT, published.PROCESSES, strict=True)
        ],
        row(
            f"{published.REAL_STEPS} steps, original",
            f"{' and '.join(str(n) for n in real[0])} min with {processes}",
            f"{minutes(scaling['before_s'])} with {few} and {many} ranks, extrapolated",
        ),
        row(
            f"{published.REAL_STEPS} steps, changed",
            f"{' and '.join(str(n) for n in real[1])} min with {processes}",
            f"{minutes(scaling['after_s'])} with {few} and {many} ranks, extrapolated",
        ),
        row("scalability, original", percent(real[0][0] / real[0][1]), percent(scaling["before"])),
        row("scalability, changed", percent(real[1][0] / real[1][1]), percent(scaling["after"])),
    ]


def _findings(study: Study) -> list[str]:
    """What the report of the first run, as it was, proposes to change."""
    from leadline.figures.run import open_run
    from leadline.report import to_json

    report: Any = to_json(open_run(study.of(BEFORE.id, study.plan.ranks[0])[0].directory))
    return [finding["text"] for finding in report["findings"] if finding["id"] == "pattern"]
