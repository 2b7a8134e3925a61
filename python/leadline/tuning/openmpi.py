"""Open MPI's settings: the rules file of its component coll/tuned, in the text form that 4.1 and 5.0 read.

What goes wrong silently there, and why what is written here does not:
  * without coll_tuned_use_dynamic_rules the file is not even looked for; with a name that is no file nothing is said;
  * sizes are searched until one is greater: they must ascend, and calls below the first have no rule, so 0 is first;
  * the same of numbers of processes: a job with fewer than the first has no rule. Algorithm 0 means the library's own.
"""

from __future__ import annotations

from leadline.tuning.native import MOST_BYTES, NotSet, Own, Settings, pieces, unable
from leadline.tuning.table import Rule, Table

SWITCH = "OMPI_MCA_coll_tuned_use_dynamic_rules"
FILE = "OMPI_MCA_coll_tuned_dynamic_rules_filename"
CONTROLS = ("coll_tuned_use_dynamic_rules", "coll_tuned_dynamic_rules_filename", "coll_tuned_priority")
COLLECTIVES = {"allreduce": 2, "bcast": 7, "reduce": 11}  # numbered as in Open MPI's coll_base_functions.h

_FUNCTION = "ompi_coll_base_{}_intra_{}"


def _own(operation: str, number: int, function: str, segments: bool = False) -> Own:
    return Own(str(number), _FUNCTION.format(operation, function), segments)


ALGORITHMS: dict[str, dict[str, Own]] = {
    "bcast": {
        "linear": _own("bcast", 1, "basic_linear"),
        "chain": _own("bcast", 3, "pipeline", True),
        "split_binary_tree": _own("bcast", 4, "split_bintree", True),
        "binary_tree_async": _own("bcast", 5, "bintree", True),
        "binomial": _own("bcast", 6, "binomial", True),
        "scatter_recursive_doubling": _own("bcast", 8, "scatter_allgather"),
        "scatter_ring": _own("bcast", 9, "scatter_allgather_ring"),
    },
    "reduce": {
        "linear": _own("reduce", 1, "basic_linear"),
        "binary_tree_async": _own("reduce", 4, "binary", True),
        "binomial": _own("reduce", 5, "binomial", True),
        "rabenseifner": _own("reduce", 7, "redscat_gather"),
    },
    "allreduce": {
        "linear": _own("allreduce", 1, "basic_linear"),
        "recursive_doubling": _own("allreduce", 3, "recursivedoubling"),
        "ring": _own("allreduce", 4, "ring"),
        "segmented_ring": _own("allreduce", 5, "ring_segmented", True),
        "rabenseifner": _own("allreduce", 6, "redscat_allgather"),
    },
}


def settings(table: Table, processes: int) -> Settings:
    """For any number of processes up to the job's, `processes`: parts of it may communicate too."""
    out = Settings()
    usable: list[Rule] = []
    for rule in table.rules:
        why = "" if rule.algorithm == "native" else unable(rule, ALGORITHMS[rule.operation], "Open MPI")
        if why:
            out.not_set.append(NotSet.whole(rule, why))
        else:
            usable.append(rule)
    able = Table(tuple(usable))
    out.kept = usable
    out.set = [rule for rule in usable if rule.algorithm != "native"]
    if out.set:
        out.files[FILE] = rules_file(able)
        out.variables[SWITCH] = "1"
    return out


def rules_file(table: Table) -> str:
    """The table as a rules file. Every rule must be one that ALGORITHMS has."""
    operations = [name for name in COLLECTIVES if any(rule.operation == name for rule in table.rules)]
    out = [f"{len(operations)}  # collectives"]
    for operation in operations:
        edges = {1}
        for rule in table.rules:
            if rule.operation == operation:
                edges |= {rule.processes[0], rule.processes[1] + 1}
        sizes = sorted(edge for edge in edges if edge <= MOST_BYTES)
        out += [f"{COLLECTIVES[operation]}  # {operation}", f"{len(sizes)}  # numbers of processes"]
        for processes in sizes:
            line = [p for p in pieces(table, operation, processes) if p[0] <= MOST_BYTES]
            out += [f"{processes}  # processes or more", f"{len(line)}  # sizes"]
            out += [_line(first, rule) for first, _, rule in line]
    return "\n".join(out) + "\n"


def _line(first: int, rule: Rule | None) -> str:
    """Bytes or more; algorithm; fan-out, 0: its own; segment."""
    if rule is None:
        return f"{first} 0 0 0"
    return f"{first} {ALGORITHMS[rule.operation][rule.algorithm].setting} 0 {rule.segment_bytes}"
