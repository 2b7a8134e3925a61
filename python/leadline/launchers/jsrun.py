"""JSM's jsrun."""

from __future__ import annotations

from collections.abc import Mapping

from leadline.launchers.kind import LauncherKind
from leadline.launchers.options import Options

OPTIONS = Options(
    values=frozenset(
        """
        n nrs np p a tasks_per_rs c cpu_per_rs g gpu_per_rs r rs_per_host K rs_per_socket b bind d launch_distribution
        l latency_priority m memory_per_rs E env D env_eval F env_no_propagate e stdio_mode o stdio_stdout k
        stdio_stderr t stdio_input f appfile h chdir M smpiargs S save_resources U use_resources X exit_on_error
        A allocate_only J use_reservation H launch_node_task L use_spindle P pre_post_exec i immediate C use_ssh
        x exclude_hosts
        """.split()
    ),
    flags=frozenset("I help usage V version v verbose".split()),
)


class Jsrun(LauncherKind):
    name = "jsrun"
    described = "JSM: -E passes the recorder to the ranks"
    options = OPTIONS
    hands_on = True

    def recognises(self, version_text: str, program: str) -> bool:
        return program == "jsrun"

    def given(self, variables: Mapping[str, str]) -> list[str]:
        return [word for name, value in variables.items() for word in ("-E", f"{name}={value}")]


JSRUN = Jsrun()
