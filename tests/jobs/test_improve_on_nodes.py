"""`leadline improve` within an allocation of Slurm: a planted setting is undone, and no job is started."""

import json
import subprocess
from pathlib import Path

import pytest

from leadline import mpi

from .conftest import LEADLINE, Program
from .slurm import Slurm

pytestmark = pytest.mark.full

SOURCE = Path(__file__).resolve().parents[1] / "programs" / "improvable.c"
LIMIT_S = 900
# A message of 2000 bytes waits for its receiver: between nodes by TCP, with MPICH within a node.
PLANTED = {
    "openmpi": (2, {"OMPI_MCA_btl_tcp_eager_limit": "256", "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_pml": "ob1"}),
    "mpich": (1, {"MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD": "0"}),
}


@pytest.fixture
def improvable(cluster: Slurm, library: mpi.Library) -> Program:
    path = cluster.shared / "improvable" / f"improvable-{library.name}"
    path.parent.mkdir(exist_ok=True)
    if not path.exists():
        subprocess.run([library.mpicc, SOURCE, "-o", path, "-lm"], check=True, env=library.env(), timeout=120)
    return Program(path, library)


def test_a_planted_setting_is_undone_in_an_allocation(cluster: Slurm, improvable: Program, directory: Path) -> None:
    nodes, planted = PLANTED[improvable.library.name]
    environ = {**improvable.environ, **planted}
    command = f"{improvable.srun} -N{nodes} -n2 {improvable.path} late 8"
    improve = f"{LEADLINE} improve --json --for 15m --only own-settings -o better -- {command}"
    ended = cluster.run(f"salloc -N{nodes} -n2 {improve}", directory, environ, timeout=LIMIT_S)
    assert ended.code == 0, ended.everything
    found = json.loads(ended.out[ended.out.index("{") :])
    assert found["confirmed"] is True, ended.everything
    assert any(next(iter(planted)) in setting["without"] for setting in found["chosen"])
    assert found["gain"] > 0.1
    prolog = cluster.run(f"{LEADLINE} apply --as prolog better/improve.toml > prolog; chmod +x prolog", directory)
    assert prolog.code == 0, prolog.everything
    shown = f"srun -N1 -n1 --task-prolog={directory}/prolog env"
    tasks = cluster.run(f"salloc -N1 -n1 {shown}", directory, environ)
    assert f"{next(iter(planted))}=" not in tasks.out
    assert cluster.run("squeue -h", directory).out == ""
