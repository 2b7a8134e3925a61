"""MPICH's settings as variables: one for each operation, for all sizes and numbers of processes at once.

Within a node MPICH first asks its shared-memory layer, whose own choice (release_gather) silently hides the variable.
With "mpir" that layer leaves the choice to the general layer, where the variable counts.
"""

from __future__ import annotations

from leadline.libraries.own import Algorithms, own_algorithms
from leadline.libraries.rule import Table
from leadline.libraries.settings import NotSet, Settings, only_one, unable

CHOICE = "MPIR_CVAR_{}_INTRA_ALGORITHM"
NODE = "MPIR_CVAR_{}_POSIX_INTRA_ALGORITHM"
ROUTINE = "MPIR_{function}_intra_{routine}"


def algorithms() -> Algorithms:
    return own_algorithms("mpich", ROUTINE)


def settings(table: Table, processes: int, *, fill: bool = False) -> Settings:
    """The settings for a job of this many processes. fill: as in settings.only_one."""
    out = Settings()
    for operation, known in algorithms().items():
        line, not_set = only_one(table, operation, processes, fill)
        out.not_set += not_set
        rules = list(dict.fromkeys(rule for _, _, rule in line))
        if len({rule.name for rule in rules}) > 1:
            names = ", ".join(dict.fromkeys(rule.name for rule in rules))
            why = f"MPICH's variable applies to all sizes, but the table has several algorithms: {names}"
            out.not_set += [NotSet.whole(rule, why) for rule in rules]
            continue
        for rule in rules:
            why = unable(rule, known, "MPICH")
            if why:
                out.not_set.append(NotSet.whole(rule, why))
                continue
            out.variables[CHOICE.format(operation.upper())] = known[rule.algorithm].setting
            out.variables[NODE.format(operation.upper())] = "mpir"
            out.set.append(rule)
    return out
