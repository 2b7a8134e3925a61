"""What the columns of the report's tables are called and what they mean, declared once for terminal and page.

The page takes its headings and their explanations from here (page/script/table.js); a column that is not declared
cannot be drawn. Times are of all ranks together unless a meaning says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from leadline import _core


@dataclass(frozen=True)
class Column:
    """meaning: a phrase or sentence without its full stop."""

    title: str
    meaning: str


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


TIME = "between MPI_Init and MPI_Finalize (both excluded), over all threads that called MPI"
SHARE = Column("% of time", f"Share of the time summed over ranks {TIME}")
RANKS = Column("Ranks", "Number of ranks")
RANK = Column("Rank", "Rank in MPI_COMM_WORLD")

# Of a function, call site, routine or chain of routines.
ENTRY = {
    "share": SHARE,
    "time": Column("Time", "Time in these calls, summed over ranks"),
    "over_ranks": Column(
        "Spread over ranks",
        "The bar goes from min to max, the mark is the median, and the left end is 0. Sorts by how far max is above "
        "the median",
    ),
    "calls": Column("Calls", "Number of calls, summed over ranks"),
    "mean": Column("Mean", "Mean time per call"),
    "longest": Column("Longest", "Time of the longest single call"),
    "messages": Column("Messages", "Messages sent (MPI_PROC_NULL excluded; collectives not counted)"),
    "bytes": Column(
        "Bytes", "Bytes moved by the function: sent, received, contributed to a collective, put, got, read or written"
    ),
}
FILE_ENTRY = {name: column for name, column in ENTRY.items() if name != "messages"}

KINDS = {
    "startup": "in MPI_Init, MPI_Finalize and related calls",
    "point_to_point": "in sends and receives",
    "completion": "in completion calls such as MPI_Wait, including transfer time",
    "collective": "in collectives, including transfer time",
    "one_sided": "in one-sided operations and their synchronisation",
    "io": "in MPI_File_* functions",
    "setup": "in calls that create or free communicators, datatypes and groups",
    "local": "in local calls such as MPI_Comm_rank",
}

FILE_AMOUNTS = {
    "time": Column("Time", "Time in these calls, summed over ranks"),
    "read": Column("Read", "Bytes read"),
    "written": Column("Written", "Bytes written"),
}
ACCESS = Column("Access", "Access pattern: sequential, strided, random or mixed")

_STUDY_RATIO = Column(
    "vs original",
    "Median, min and max over repeats; within noise: the repeats disagree on which is faster, or there are fewer than "
    "five",
)

COLUMNS: Mapping[str, Mapping[str, Column]] = {
    "ranks": {
        "rank": RANK,
        "strip": Column("Time breakdown", "Time by kind; the full width is the slowest rank's time"),
        "computation": Column("Computation", "Time outside MPI and file I/O, without overhead"),
        "mpi": Column("MPI", "Time in MPI functions"),
        "mpi_share": Column("% MPI", "MPI's share of the rank's time between MPI_Init and MPI_Finalize"),
        "files": Column("File I/O", "Time in the program's file calls to libc"),
        "own": Column("Overhead", "Time that Leadline took between the program's calls"),
        **{
            name: Column(_capital(_core.CATEGORY_NAMES[name].abbreviation), f"Time {KINDS[name]}")
            for name in _core.CATEGORIES
        },
        "calls": Column("Calls", "Number of MPI calls"),
        "messages": ENTRY["messages"],
        "one_sided_operations": Column("One-sided", "Puts, gets and accumulates issued by the rank"),
        "sent": Column("Sent", "Bytes sent, put, or written by MPI_File_*"),
        "received": Column("Received", "Bytes received, got, or read by MPI_File_*"),
        "threads": Column("Threads", "Threads that called MPI"),
        "host": Column("Host", "Host of the rank"),
    },
    "environments": {
        "title": Column("What", "Library, settings, machine, placement, program"),
        **{letter: Column(letter, f"In the runs of group {letter}") for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
    },
    "comparison": {
        "name": Column("What", "Mean over ranks, per iteration of the main loop unless stated otherwise"),
        "a": Column("A", "Time in the first group (for a rank: its computation relative to the other ranks)"),
        "b": Column("B", "The same in the second group"),
        "change": Column("Change", "B compared with A"),
        "interval": Column("95 % CI", "Confidence interval of the change; empty without repeats and iteration times"),
        "claimed": Column(
            "Beyond noise", "Whether the change is significant, corrected for the number of figures compared"
        ),
    },
    "comparisons": {
        "name": Column("What", "Mean over ranks, per iteration of the main loop unless stated otherwise"),
        "A": Column("A", "Time in the first group (for a rank: its computation relative to the other ranks)"),
        **{
            letter: Column(letter, f"Time in group {letter}, change from A, 95 % CI")
            for letter in "BCDEFGHIJKLMNOPQRSTUVWXYZ"
        },
    },
    "scaling": {
        "name": Column("What", "Iteration, run or phase"),
        "ranks": Column("Ranks", "Number of ranks"),
        "time": Column("Time", "Time per iteration or per run; for phases, the mean over ranks"),
        "scalability": Column("Scalability, %", "Speedup relative to the run on the fewest ranks"),
        "efficiency": Column("Efficiency, %", "Speedup divided by ideal speedup"),
        "computation": Column(
            "Computation, %",
            "Computation on the fewest ranks, divided by computation on this number of ranks; 100 % is perfect",
        ),
    },
    "collectives": {
        "class": Column("Class", "Direction of the data"),
        "share": SHARE,
        "time": Column("Time", "Time in these calls, summed over ranks (completion of nonblocking ones excluded)"),
        "waited": Column("Waited", "Part of the time spent waiting for late ranks"),
        "calls": ENTRY["calls"],
        "bytes": Column("Bytes", "Mean bytes contributed per rank and call"),
        "received": Column("Received", "Mean bytes received per rank and call"),
        "ranks": Column("Ranks", "Ranks that made these calls"),
        "functions": Column("Functions", "Most time first"),
    },
    "samples": {
        "routine": Column("Routine", "Includes inlined code, but not the routines it calls"),
        "share": SHARE,
        "time": Column("Time", "Samples divided by the sampling rate, summed over ranks"),
        "samples": Column("Samples", "Number of samples n; the relative error of times is about 1/√n"),
        "ranks": Column("Ranks", "Ranks sampled in the routine"),
        "imbalance": Column("Max/mean", "Time of the slowest rank divided by the mean over ranks"),
        "loop": Column("Main loop", "Share of its samples in the main loop"),
        "place": Column("Line", "Line with most samples"),
        "before": Column("Before", "MPI call that most often came next"),
    },
    "study_phases": {
        "phase": Column("Phase", "Of the program"),
        "ranks": Column("Ranks", "Number of ranks"),
        "before": Column("Original", "Median time on the slowest rank, by the program's own clock"),
        "before_mpi": Column("in MPI", "Time in MPI, mean over ranks"),
        "after": Column("Changed", "Time of the changed program"),
        "after_mpi": Column("in MPI ", "Time of the changed program in MPI, mean over ranks"),
        "ratio": _STUDY_RATIO,
    },
    "study_routines": {
        "routine": Column("Routine", "Routine, inclusive of its callees"),
        "ranks": Column("Ranks", "Number of ranks"),
        "form": Column("Form", "Variant of the program"),
        "messages": Column("Messages", "Messages sent in the run, summed over ranks"),
        "mpi": Column("In MPI", "Time in MPI: mean over ranks, median over repeats"),
        "ratio": _STUDY_RATIO,
    },
    "study_files": {
        "form": Column("Form", "I/O variant"),
        "ranks": Column("Ranks", "Number of ranks"),
        "read": Column("Input", "Time of the input on the slowest rank, by the program's own clock"),
        "times": Column("Read", "Bytes read by all ranks, divided by the size of the files"),
        "read_ratio": _STUDY_RATIO,
        "write": Column("Output", "Time of the output on the slowest rank, by the program's own clock"),
        "write_ratio": _STUDY_RATIO,
    },
    "study_segments": {
        "segments": Column("Segments", "Messages per exchange: the segments that the fields are packed into"),
        "loop": Column("Main loop", "Time of the main loop on the slowest rank, by the program's own clock"),
        "mpi": Column("In MPI", "Time in MPI in the three exchanges, mean over ranks"),
        "messages": Column("Messages", "Messages sent in the three exchanges, summed over ranks"),
        "ratio": _STUDY_RATIO,
    },
    "study_papers": {
        "what": Column("Figure", "Claim of the papers"),
        "papers": Column("Papers", "As published"),
        "here": Column("Here", "Measured on this machine"),
    },
    "campaign_environments": {
        "what": Column("What", "Fact about the library, its settings, the machine or the placement"),
        "candidate": Column("Candidate", "Library and setting"),
        "value": Column("Value", "In its runs; several if they differ"),
    },
    "campaign_cells": {
        "program": Column("Program", "Program and input"),
        "ranks": RANKS,
        "candidate": Column("Candidate", "Library and setting"),
        "n": Column("n", "Repeats that the median is of"),
        "median": Column("Median", "Median of the repeats"),
        "interval": Column("95 % CI", "Bootstrap interval of the median, from five repeats on"),
        "best": Column("× fastest", "Time relative to the fastest candidate, with its 95 % CI"),
        "group": Column("Group", "Candidates that share a letter are within noise of each other"),
        "overhead": Column("Recording", "Time that recording adds, where runs with and without it alternate"),
        "outliers": Column("Outliers", "Repeats far from the others; they are kept"),
        "failed": Column("Failed", "Runs that failed"),
    },
    "campaign_claims": {
        "claim": Column("Claim", "Of the paper"),
        "published": Column("Published", "Its figures"),
        "verdict": Column("Here", "Whether it holds on this machine"),
        "why": Column("Figures", "Measured here, as ratios of times with their 95 % CI"),
    },
    "campaign_scaling": {
        "program": Column("Program", "Program and input"),
        "candidate": Column("Candidate", "Library and setting"),
        "ranks": RANKS,
        "time": Column("Time", "Median of the repeats"),
        "scalability": Column("Scalability", "Time on the fewest ranks, divided by this"),
        "efficiency": Column("Efficiency", "Scalability by the ratio of ranks (strong), or scalability (weak)"),
        "serial": Column("Serial", "Share of the time that more ranks do not shorten, by Amdahl's law (fitted)"),
    },
    "slow_iterations": {
        "iteration": Column("Iteration", "Iteration number, from 0"),
        "rank": Column("Rank", "The slowest rank"),
        "time": Column("Time", "Time on the slowest rank"),
        "computing": Column("Computing", "Longest computation between two calls"),
        "typical": Column("Median", "Median of the neighbouring iterations"),
        "longer": Column("Longer", "Time divided by the median"),
    },
    "strip": {
        "iterations": Column("Iterations", "First and last iteration, from 0"),
        "mean": Column("Mean", "Mean time per iteration, over iterations and ranks"),
        "least": Column("Min", "Shortest iteration on any rank"),
        "most": Column("Max", "Longest iteration on any rank"),
        "iteration": Column("Max: iteration", "The longest iteration"),
        "rank": Column("Max: rank", "The rank of the longest iteration"),
    },
    "call_tree": {
        "routine": Column("Routine", "Indented below its caller"),
        "share": SHARE,
        "time": Column("Inclusive", "MPI time in the routine and its callees, summed over ranks"),
        "own": Column("Exclusive", "MPI time in the routine's own calls, summed over ranks"),
        "function": Column("Top function", "MPI function with most of the exclusive time"),
        "calls": ENTRY["calls"],
        "messages": ENTRY["messages"],
    },
    "efficiency": {
        "phase": Column("Phase", "Phase of the run"),
        "parallel": Column(
            "Parallel, %", "Parallel efficiency = load balance × communication efficiency; 100 % is ideal"
        ),
        "load_balance": Column("Load balance, %", "Mean divided by max computation over ranks"),
        "communication": Column(
            "Communication, %",
            "Communication efficiency: max computation divided by the time of the phase",
        ),
    },
    "phases": {
        "phase": Column("Phase", "Phase of the run; recurring parts of the main loop are indented"),
        "share": SHARE,
        "time": Column("Time", "Time in the phase, summed over ranks"),
        "iterations": Column("Iterations", "Number of occurrences, or every how many iterations it occurs"),
        "period": Column("Period", "Time of one iteration, on the median rank"),
        "computes": Column("% computation", "Share of the phase outside MPI and file I/O"),
        "mpi": Column("% MPI", "Share of the phase in MPI functions"),
        "routines": Column("Top routines", "Routines with most of the phase's samples"),
        "waits": Column("% waiting", "Share of the phase spent waiting for other ranks (within MPI)"),
        "files": Column("% file I/O", "Share of the phase in the program's file calls"),
        "bound": Column("Bound by", "Dominant cost of the phase"),
    },
    "loops": {
        "loop": Column("Loop", "Source loop: routine, file and line; nested loops are indented"),
        "share": SHARE,
        "time": Column("Time", "Inclusive time, summed over ranks"),
        "trips": Column("Iterations", "Min and max iterations per iteration of the enclosing loop"),
        "in_all": Column("Total", "Iterations in the whole run, on the median rank"),
        "bodies": Column("Variants", "Distinct call sequences of its iterations"),
        "calls": Column("Calls", "MPI calls in the loop, summed over ranks"),
    },
    "waits": {
        "wait": Column("Wait", "Wait state: which side of a message or collective was late"),
        "share": SHARE,
        "time": Column("Time", "Waiting time, summed over ranks"),
        "ranks": Column("Ranks", "Number of ranks that waited"),
        "most": Column("Max", "Longest wait: rank and time"),
        "call": Column("Call", "Waiting call, its routine and line"),
        "cause": Column("Main cause", "What the late rank was doing, and its share of the wait"),
    },
    "waits_by_rank": {
        "rank": Column("Rank", "Waiting rank"),
        "time": Column("Time", "Waiting time"),
        "cause": Column("Causes", "What the late ranks were doing, with their shares of the wait"),
    },
    "critical_path": {
        "what": Column("What", "A call on the path, or computation before one"),
        "rank": Column("Rank", "Rank of the call or computation"),
        "share": Column("% of path", "Share of the critical path"),
    },
    "patterns": {
        "pattern": Column("Pattern", "Pattern of communication or file I/O"),
        "share": SHARE,
        "time": Column("Time", "Time in these calls, summed over ranks"),
        "messages": Column("Messages", "Messages per iteration of the main loop, summed over ranks"),
        "bytes": Column("Bytes", "Bytes of these messages per iteration of the main loop"),
        "ranks": Column("Ranks", "Number of ranks involved"),
        "where": Column("Where", "Routines or files involved"),
    },
    "functions": {"function": Column("Function", "MPI function"), **ENTRY},
    "local_functions": {
        "function": Column("Function", "Local MPI function"),
        "calls": ENTRY["calls"],
        "time": ENTRY["time"],
        "mean": ENTRY["mean"],
    },
    "calls": {
        "where": Column("Where", "Function, file and line of the call; its call paths below"),
        **ENTRY,
    },
    "routines": {
        "routine": Column("Routine", "Routine of the program, inclusive of its callees"),
        **ENTRY,
    },
    "chains": {"chain": Column("Call path", "Routines of the program, outermost first"), **ENTRY},
    "regions": {
        "region": Column("Region", "Region named by the program; nested regions are indented"),
        "share": SHARE,
        "time": Column("Time", "Inclusive time, summed over ranks"),
        "mpi": Column("MPI", "MPI time in the region, summed over ranks"),
        "mpi_share": Column("% MPI", "Share of the region's time that is MPI"),
        "entries": Column("Entries", "Number of entries, summed over ranks"),
        "calls": Column("Calls", "MPI calls in the region, summed over ranks"),
        "bytes": Column("Bytes", "Bytes that these calls sent, contributed, put or wrote"),
        "least": Column("Min", "Min over ranks"),
        "most": Column("Max", "Max over ranks, and its rank"),
    },
    "message_sizes": {
        "size": Column("Size in bytes", "Size range, between two powers of two"),
        "number": Column("Messages", "Messages in the size range; the bar is their share of all messages"),
        "bytes": Column("Bytes", "Bytes of these messages; the bar is their share of all bytes"),
    },
    "operation_sizes": {
        "size": Column("Size in bytes", "Size range per direction, between two powers of two"),
        "number": Column("Operations", "Operations in the size range; the bar is their share of all operations"),
        "bytes": Column("Bytes", "Bytes of these operations; the bar is their share of all bytes"),
    },
    "matrix": {
        "source": Column("From", "Rank that sends"),
        "target": Column("To", "Rank that receives"),
        "messages": Column("Messages", "Messages from source to destination"),
        "bytes": Column("Bytes", "Bytes of these messages"),
        "each": Column("Each", "Average bytes per message"),
    },
    "one_sided": {
        "source": Column("Origin", "Rank that issues the operation"),
        "target": Column("Target", "Rank whose memory is accessed"),
        "operations": Column("Operations", "Puts, gets and accumulates"),
        "put": Column("Put", "Bytes from origin to target"),
        "got": Column("Got", "Bytes from target to origin"),
    },
    "files": {
        "file": Column("File", "Path of the file"),
        "ranks": Column("Ranks", "Ranks that opened the file"),
        "opens": Column("Opens", "Number of open calls"),
        "time": FILE_AMOUNTS["time"],
        "reads": Column("Reads", "Read calls"),
        "read": FILE_AMOUNTS["read"],
        "writes": Column("Writes", "Write calls"),
        "written": FILE_AMOUNTS["written"],
        "access": ACCESS,
        "size": Column("File size", "Largest size observed"),
    },
    "files_of_rank": {
        "rank": RANK,
        "calls": Column("Calls", "The rank's file calls"),
        **FILE_AMOUNTS,
        "files": Column("Files", "Files that the rank opened"),
        "access": ACCESS,
        "fraction_read": Column("% read", "Distinct bytes read by the rank, as a share of the file's size"),
    },
    "file_functions": {"function": Column("Function", "Function of libc"), **FILE_ENTRY},
    "file_sites": {"where": Column("Where", "Function, routine, file and line of the call"), **FILE_ENTRY},
    "mpi_io": {
        "file": Column("File", "Path of the file"),
        "calls": Column("MPI calls", "The program's MPI_File_* calls on the file"),
        **FILE_AMOUNTS,
        "beneath_ranks": Column("Library: ranks", "Ranks whose MPI library accessed the file"),
        "beneath_calls": Column("Library: calls", "File calls of the MPI library to libc"),
        "beneath_time": Column("Library: time", "Time in the library's file calls"),
        "beneath_read": Column("Library: read", "Bytes that the library read"),
        "beneath_written": Column("Library: written", "Bytes that the library wrote"),
        "beneath_access": Column("Library: access", "Access pattern of the library"),
    },
    "variables": {
        "variable": Column("Variable", "MPI_T performance variable and its description"),
        "kind": Column("Kind", "MPI_T class of the variable, and its unit"),
        "least": Column("Min", "Min over ranks"),
        "median": Column("Median", "Median over ranks"),
        "most": Column("Max", "Max over ranks, and its rank"),
    },
    "variable_values": {"rank": RANK, "value": Column("Value", "Value before MPI_Finalize")},
    "settings": {
        "setting": Column("Setting", "Environment variable read by the MPI library"),
        "value": Column("Value", "Value of the variable"),
        "ranks": Column("Ranks", "Ranks with this setting"),
    },
    "losses": {
        "loss": Column("Loss", "Kind of loss (name in --json)"),
        "rank": Column("Rank", "Rank affected"),
        "amount": Column("Amount", "Amount missing; its unit is in the last column"),
        "meaning": Column("Consequence", "Missing data and affected figures"),
    },
    "pauses": {
        "rank": RANK,
        "times": Column("Times paused", "Number of pauses"),
        "for": Column("For", "Total time paused"),
        "calls": Column("Calls not recorded", "MPI calls made during the pauses"),
    },
    "calls_in_view": {
        "call": Column("Call", "Function, routine and location of the call"),
        "rank": RANK,
        "kind": Column("Category", "Category of the call"),
        "begin": Column("Start", "Start of the call, from the start of the iteration"),
        "time": Column("Time", "Duration of the call"),
        "waited": Column("Waiting", "Part of the time, from its start, in which the call waited for another rank"),
        "before": Column(
            "Gap before", "Computation between the rank's previous call and this one; * includes failed polls"
        ),
        "bytes": Column("Bytes", "Bytes sent or contributed"),
        "partner": Column("Partners", "Partner ranks of its messages"),
    },
}


def as_data() -> dict[str, dict[str, list[str]]]:
    """By table and column, [title, meaning]: for the page's scripts."""
    return {
        table: {name: [column.title, column.meaning] for name, column in columns.items()}
        for table, columns in COLUMNS.items()
    }
