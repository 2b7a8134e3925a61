"""What the columns of the report's tables are called and what they mean, declared once for whoever shows them.

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


TIME = "between MPI_Init and MPI_Finalize without these, in every thread that called MPI"
SHARE = Column("% of time", f"Share of the time of all ranks, {TIME}")
RANK = Column("Rank", "Rank in MPI_COMM_WORLD")

# Of a function, call site, routine or chain of routines.
ENTRY = {
    "share": SHARE,
    "time": Column("Time", "Time in these calls, summed over all ranks"),
    "over_ranks": Column(
        "Over ranks",
        "How the time differs between ranks: the bar goes from the least to the most, the mark is the median, and the "
        "left end is 0. Sorts by how far the most is above the median",
    ),
    "calls": Column("Calls", "Number of calls of all ranks"),
    "mean": Column("Mean", "Time per call on average"),
    "longest": Column("Longest", "Time of the longest single call"),
    "messages": Column("Messages", "Sends that were started to a real partner; collectives have none"),
    "bytes": Column(
        "Bytes", "Bytes sent, received, contributed to a collective, put and got, read or written, as the function does"
    ),
}
FILE_ENTRY = {name: column for name, column in ENTRY.items() if name != "messages"}

KINDS = {
    "startup": "in MPI_Init, MPI_Finalize and the like",
    "point_to_point": "in sends and receives",
    "completion": "in calls that complete or test requests, such as MPI_Wait: transfer as well as waiting",
    "collective": "in collectives: transfer as well as waiting",
    "one_sided": "in one-sided operations and their synchronisation",
    "io": "in MPI_File_* functions",
    "setup": "in calls that make and free communicators, datatypes and the like",
    "local": "in purely local functions such as MPI_Comm_rank",
}

FILE_AMOUNTS = {
    "time": Column("Time", "Time in these calls, summed over the ranks"),
    "read": Column("Read", "Bytes read"),
    "written": Column("Written", "Bytes written"),
}
ACCESS = Column("Access", "Order of the transfers: sequential, strided, random or mixed")

_STUDY_RATIO = Column(
    "Against as it was", "Median, least and most of the rounds; not clear: they do not agree, or are fewer than five"
)

COLUMNS: Mapping[str, Mapping[str, Column]] = {
    "ranks": {
        "rank": RANK,
        "strip": Column("Where the time went", "The rank's time by kind; the full width is the slowest rank's time"),
        "computation": Column("Computation", "Time outside MPI and outside calls on files"),
        "mpi": Column("MPI", "Time in MPI functions"),
        "mpi_share": Column("% MPI", "Share of the rank's own time between MPI_Init and MPI_Finalize that is MPI"),
        "files": Column("File I/O", "Time in the program's own calls on files, those of libc"),
        **{
            name: Column(_capital(_core.CATEGORY_NAMES[name].abbreviation), f"Time {KINDS[name]}")
            for name in _core.CATEGORIES
        },
        "calls": Column("Calls", "Calls of MPI functions"),
        "messages": ENTRY["messages"],
        "one_sided_operations": Column("One-sided", "Puts, gets and accumulates that the rank called"),
        "sent": Column("Sent", "Bytes of its messages and puts, and written through MPI_File_*"),
        "received": Column("Received", "Bytes of its receives and gets, and read through MPI_File_*"),
        "threads": Column("Threads", "Threads that called MPI"),
        "host": Column("Host", "Name of the computer that the rank ran on"),
    },
    "environments": {
        "title": Column("What", "Library, settings, machine, placement, program"),
        **{letter: Column(letter, f"In the runs of group {letter}") for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
    },
    "comparison": {
        "name": Column("What", "Per iteration of the main loop, mean of the ranks, unless stated otherwise"),
        "a": Column("A", "Typical time in the first group; of a rank, its computation divided by that of the others"),
        "b": Column("B", "The same in the other group"),
        "change": Column("Change", "B compared with A"),
        "interval": Column("95 % interval", "Of the change; empty if there are no repeats and no times of iterations"),
        "claimed": Column(
            "Beyond noise", "Whether the difference exceeds the noise, allowing for the number of figures compared"
        ),
    },
    "comparisons": {
        "name": Column("What", "Per iteration of the main loop, mean of the ranks, unless stated otherwise"),
        "A": Column("A", "Typical time in the first group; of a rank, its computation divided by that of the others"),
        **{
            letter: Column(letter, f"Typical time in group {letter}, its change against A, and its 95 % interval")
            for letter in "BCDEFGHIJKLMNOPQRSTUVWXYZ"
        },
    },
    "scaling": {
        "name": Column("What", "An iteration, the run, or a phase"),
        "ranks": Column("Ranks", "Number of ranks"),
        "time": Column("Time", "Per iteration, or per run; of phases, mean of the ranks"),
        "scalability": Column("Scalability, %", "Time at the fewest ranks, divided by this one"),
        "efficiency": Column("Efficiency, %", "Scalability divided by what it would be without losses"),
        "computation": Column(
            "Computation, %", "Computation at the fewest ranks, divided by this one; 100 % scales perfectly"
        ),
    },
    "collectives": {
        "class": Column("Class", "Which way the data goes"),
        "share": SHARE,
        "time": Column(
            "Time", "Time in these calls, summed over all ranks; not in calls that complete nonblocking ones"
        ),
        "waited": Column("Waited", "Part of that time before the other ranks arrived"),
        "calls": ENTRY["calls"],
        "bytes": Column("Bytes", "What a rank contributes to a call, on average"),
        "received": Column("Received", "What a rank receives from a call, on average"),
        "ranks": Column("Ranks", "Ranks that made such calls"),
        "functions": Column("Functions", "Most time first"),
    },
    "samples": {
        "routine": Column("Routine", "Includes code inlined into it, but not the routines it calls"),
        "share": SHARE,
        "time": Column("Time", "Samples divided by their rate, summed over all ranks"),
        "samples": Column("Samples", "Samples taken in it; with n samples, times are accurate to about 1 part in √n"),
        "ranks": Column("Ranks", "Ranks with samples in it"),
        "imbalance": Column("Max/mean", "Time of the rank that spent longest in it, divided by the mean of all ranks"),
        "loop": Column("Main loop", "Part of its samples that were taken in the main loop"),
        "place": Column("Line", "Where in it most samples were taken"),
        "before": Column("Before", "The MPI call that most often came next"),
    },
    "study_phases": {
        "phase": Column("Phase", "Of the program"),
        "ranks": Column("Ranks", "Number of ranks"),
        "before": Column("As it was", "Time on the slowest rank, by the program's own clock; median"),
        "before_mpi": Column("in MPI", "Time in MPI, mean of the ranks"),
        "after": Column("Changed", "The same of the changed program"),
        "after_mpi": Column("in MPI ", "Time in MPI of the changed program, mean of the ranks"),
        "ratio": _STUDY_RATIO,
    },
    "study_routines": {
        "routine": Column("Routine", "With all that it calls"),
        "ranks": Column("Ranks", "Number of ranks"),
        "form": Column("Form", "What was changed"),
        "messages": Column("Messages", "Sends of all ranks in the run"),
        "mpi": Column("In MPI", "Time in MPI, mean of the ranks; median of the rounds"),
        "ratio": _STUDY_RATIO,
    },
    "study_files": {
        "form": Column("Form", "How files are read and written"),
        "ranks": Column("Ranks", "Number of ranks"),
        "read": Column("Input", "Time of reading, by the program's own clock, on the slowest rank"),
        "times": Column("Read", "What all ranks together read, as a multiple of the files"),
        "read_ratio": _STUDY_RATIO,
        "write": Column("Output", "Time of the output, by the program's own clock, on the slowest rank"),
        "write_ratio": _STUDY_RATIO,
    },
    "study_segments": {
        "segments": Column("Segments", "Messages that the fields of one exchange travel in"),
        "loop": Column("Main loop", "Time on the rank that took longest, by the program's own clock"),
        "mpi": Column("In MPI", "Time in MPI of the three exchanges, mean of the ranks"),
        "messages": Column("Messages", "Sends of all ranks in the three exchanges"),
        "ratio": _STUDY_RATIO,
    },
    "study_papers": {
        "what": Column("Figure", "A statement of the papers"),
        "papers": Column("Papers", "As published"),
        "here": Column("Here", "The same, measured on this machine"),
    },
    "slow_iterations": {
        "iteration": Column("Iteration", "Its number, counted from 0"),
        "rank": Column("Rank", "The rank on which it took longest"),
        "time": Column("Time", "Its time on that rank"),
        "computing": Column("Computing", "The longest computation between two of its calls"),
        "typical": Column("Typical", "The median time of the iterations around it"),
        "longer": Column("Longer", "Its time divided by the typical one"),
    },
    "strip": {
        "iterations": Column("Iterations", "First and last iteration of the part, counted from 0"),
        "mean": Column("Mean", "Time per iteration, on average over these iterations and all ranks"),
        "least": Column("Least", "The shortest of these iterations on any rank"),
        "most": Column("Most", "The longest of these iterations on any rank"),
        "iteration": Column("of iteration", "The iteration that took longest"),
        "rank": Column("on rank", "The rank on which it took longest"),
    },
    "call_tree": {
        "routine": Column("Routine", "Indented below the routine that called it"),
        "share": SHARE,
        "time": Column("Inclusive", "Time of the MPI calls made in it and in the routines it calls, of all ranks"),
        "own": Column("Exclusive", "Time of the MPI calls that it makes itself, summed over all ranks"),
        "function": Column("Most in", "The MPI function that takes most of the exclusive time"),
        "calls": ENTRY["calls"],
        "messages": ENTRY["messages"],
    },
    "efficiency": {
        "phase": Column("Phase", "Part of the run"),
        "parallel": Column(
            "Parallel, %", "Parallel efficiency: load balance × communication efficiency; 100 is a run without losses"
        ),
        "load_balance": Column("Load balance, %", "Mean computation of a rank divided by that of the busiest rank"),
        "communication": Column(
            "Communication, %",
            "Computation of the busiest rank divided by the time of the phase: what MPI leaves of it",
        ),
    },
    "phases": {
        "phase": Column("Phase", "Part of the run; what recurs within the main loop is indented"),
        "share": SHARE,
        "time": Column("Time", "Time of all ranks in the phase"),
        "iterations": Column("Iterations", "How often it happens, or every how many steps"),
        "period": Column("Period", "Time from one iteration to the next"),
        "computes": Column("% computes", "Share of the phase outside MPI and outside calls on files"),
        "mpi": Column("% MPI", "Share of the phase in MPI functions"),
        "routines": Column("Computes in", "Routines in which most of the phase's samples were taken"),
        "waits": Column("% waits", "Share of the phase that calls waited for other ranks; part of MPI"),
        "files": Column("% files", "Share of the phase in the program's own calls on files"),
        "bound": Column("Bound by", "What takes most of the phase"),
    },
    "loops": {
        "loop": Column("Loop", "Routine, file and line of a loop of the source; loops within it are indented"),
        "share": SHARE,
        "time": Column("Time", "Time of all ranks in the loop, loops within it included"),
        "trips": Column("Iterations", "Fewest and most iterations per iteration of the enclosing loop"),
        "in_all": Column("In all", "Iterations of the median rank in the whole run"),
        "bodies": Column("Bodies", "Distinct sequences of calls that its iterations make"),
        "calls": Column("Calls", "MPI calls of all ranks in it"),
    },
    "waits": {
        "wait": Column("Wait", "Kind of wait state: which side of a message or collective came late"),
        "share": SHARE,
        "time": Column("Time", "Time that these calls waited, summed over the ranks"),
        "ranks": Column("Ranks", "How many ranks waited there"),
        "most": Column("Most", "The rank that waited longest there, and how long"),
        "call": Column("Call", "The call that waited, and the routine and line it is in"),
        "cause": Column("Main cause", "What the late rank did meanwhile, and its part of this wait"),
    },
    "waits_by_rank": {
        "rank": Column("Rank", "The rank that waited"),
        "time": Column("Time", "How long it waited there"),
        "cause": Column("Causes", "What late ranks did meanwhile, each with its part of this wait"),
    },
    "critical_path": {
        "what": Column("What", "What lies on the path: a call, or computation before one"),
        "rank": Column("Rank", "The rank that does it"),
        "share": Column("% of path", "Its part of the time of the path"),
    },
    "patterns": {
        "pattern": Column("Pattern", "What the calls do together"),
        "share": SHARE,
        "time": Column("Time", "Time of all ranks in these calls"),
        "messages": Column("Messages", "Messages of all ranks in a step of the main loop"),
        "bytes": Column("Bytes", "Bytes of these messages in a step of the main loop"),
        "ranks": Column("Ranks", "How many ranks take part"),
        "where": Column("Where", "Routines, or files, in which it was found"),
    },
    "functions": {"function": Column("Function", "MPI function"), **ENTRY},
    "local_functions": {
        "function": Column("Function", "MPI function that needs nothing from other ranks"),
        "calls": ENTRY["calls"],
        "time": ENTRY["time"],
        "mean": ENTRY["mean"],
    },
    "calls": {
        "where": Column("Where", "Function, file and line of the call, and below them the routines that led to it"),
        **ENTRY,
    },
    "routines": {
        "routine": Column("Routine", "Routine of the program; its calls include those of the routines that it calls"),
        **ENTRY,
    },
    "chains": {"chain": Column("Chain", "Routines of the program, the outermost first"), **ENTRY},
    "regions": {
        "region": Column("Region", "Name that the program gave; regions within it are indented"),
        "share": SHARE,
        "time": Column("Time", "Time of all ranks from entering to leaving, regions within included"),
        "mpi": Column("MPI", "Time of all ranks in MPI calls made in it"),
        "mpi_share": Column("% MPI", "Share of the region's time that is MPI"),
        "entries": Column("Entries", "How often ranks entered it"),
        "calls": Column("Calls", "MPI calls of all ranks in it"),
        "bytes": Column("Bytes", "Bytes that these calls sent, contributed, put or wrote"),
        "least": Column("Least", "Time of the rank that spent least in it"),
        "most": Column("Most", "Time of the rank that spent most in it, and which that is"),
    },
    "message_sizes": {
        "size": Column("Size in bytes", "Class of sizes, between two powers of two"),
        "number": Column("Messages", "Messages of a size in the class; the bar is their share of all messages"),
        "bytes": Column("Bytes", "Bytes of these messages; the bar is their share of all bytes"),
    },
    "operation_sizes": {
        "size": Column("Size in bytes", "Class of sizes one way, between two powers of two"),
        "number": Column("Operations", "Operations of a size in the class; the bar is their share of all operations"),
        "bytes": Column("Bytes", "Bytes of these operations; the bar is their share of all bytes"),
    },
    "matrix": {
        "source": Column("From", "Rank that sends"),
        "target": Column("To", "Rank that receives"),
        "messages": Column("Messages", "Messages from the one to the other"),
        "bytes": Column("Bytes", "Bytes of these messages"),
        "each": Column("Each", "Average bytes per message"),
    },
    "one_sided": {
        "source": Column("By", "Rank that calls the operation"),
        "target": Column("At", "Rank whose memory it is about"),
        "operations": Column("Operations", "Puts, gets and accumulates"),
        "put": Column("Put", "Bytes from the caller to the target"),
        "got": Column("Got", "Bytes from the target to the caller"),
    },
    "files": {
        "file": Column("File", "Path of the file"),
        "ranks": Column("Ranks", "Ranks that opened it"),
        "opens": Column("Opens", "How often it was opened"),
        "time": FILE_AMOUNTS["time"],
        "reads": Column("Reads", "Calls that read"),
        "read": FILE_AMOUNTS["read"],
        "writes": Column("Writes", "Calls that wrote"),
        "written": FILE_AMOUNTS["written"],
        "access": ACCESS,
        "size": Column("File size", "The largest size of the file that was seen"),
    },
    "files_of_rank": {
        "rank": RANK,
        "calls": Column("Calls", "The rank's calls on files"),
        **FILE_AMOUNTS,
        "files": Column("Files", "Files that the rank opened"),
        "access": ACCESS,
        "fraction_read": Column("% read", "Distinct bytes that the rank read, as a share of the file's size"),
    },
    "file_functions": {"function": Column("Function", "Function of libc"), **FILE_ENTRY},
    "file_sites": {"where": Column("Where", "Function, routine, file and line of the call"), **FILE_ENTRY},
    "mpi_io": {
        "file": Column("File", "Path of the file"),
        "calls": Column("MPI calls", "The program's calls of MPI_File_* on it"),
        **FILE_AMOUNTS,
        "beneath_ranks": Column("Library: ranks", "Ranks whose MPI library called libc for the file"),
        "beneath_calls": Column("Library: calls", "The MPI library's own calls of libc"),
        "beneath_time": Column("Library: time", "Time in these calls of libc"),
        "beneath_read": Column("Library: read", "Bytes that the library read"),
        "beneath_written": Column("Library: written", "Bytes that the library wrote"),
        "beneath_access": Column("Library: access", "Order in which the library read and wrote"),
    },
    "variables": {
        "variable": Column("Variable", "Performance variable of the MPI library (MPI_T), with its own description"),
        "kind": Column("Kind", "MPI_T class of the variable, and its unit"),
        "least": Column("Least", "The least value of any rank"),
        "median": Column("Median", "The median of the ranks"),
        "most": Column("Most", "The greatest value of any rank, and which rank that is"),
    },
    "variable_values": {"rank": RANK, "value": Column("Value", "The variable before MPI_Finalize")},
    "settings": {
        "setting": Column("Setting", "Variable of the environment that the MPI library reads"),
        "value": Column("Value", "What it was set to"),
        "ranks": Column("Ranks", "Ranks with this setting"),
    },
    "losses": {
        "loss": Column("Loss", "Kind of loss, as in --json"),
        "rank": Column("Rank", "The rank that lost something"),
        "amount": Column("Amount", "How much is missing, in the unit that the last column names"),
        "meaning": Column("What it means", "What is missing, and which figures that affects"),
    },
    "pauses": {
        "rank": RANK,
        "times": Column("Times paused", "How often the program paused the recording"),
        "for": Column("For", "How long it was paused in all"),
        "calls": Column("Calls not recorded", "MPI calls made during the pauses"),
    },
    "calls_in_view": {
        "call": Column("Call", "Function, routine and place of the call"),
        "rank": RANK,
        "kind": Column("Kind", "Kind of time that the call is"),
        "begin": Column("Begin", "Begin of the call since the start of the step"),
        "time": Column("Time", "Duration of the call"),
        "before": Column(
            "Before it", "Time since the rank's call before: computation; * marks polls that found nothing in it"
        ),
        "bytes": Column("Bytes", "Bytes that the call sends or contributes"),
        "partner": Column("With rank", "Ranks at the other ends of its messages"),
    },
}


def as_data() -> dict[str, dict[str, list[str]]]:
    """By table and column, [title, meaning]: for the page's scripts."""
    return {
        table: {name: [column.title, column.meaning] for name, column in columns.items()}
        for table, columns in COLUMNS.items()
    }
