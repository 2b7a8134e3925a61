"""Whether a library took a setting: asked of its own variables."""

from __future__ import annotations

import pytest

from leadline import mpi
from leadline.campaign import effects
from leadline.campaign.effects import ABSENT, FAILED, IN_EFFECT, Effects, same
from leadline.campaign.plan import Setting

ASKED = {
    "mpich": (
        {"MPIR_CVAR_CH4_CMA_ENABLE": "0", "MPIR_CVAR_NOT_THERE": "1", "HOME_OF_NOTHING": "x"},
        {"MPIR_CVAR_CH4_CMA_ENABLE": IN_EFFECT, "MPIR_CVAR_NOT_THERE": ABSENT},
    ),
    "openmpi": (
        {"OMPI_MCA_pml": "ob1", "OMPI_MCA_mpi_yield_when_idle": "true", "OMPI_MCA_not_there": "1"},
        {"OMPI_MCA_pml": IN_EFFECT, "OMPI_MCA_mpi_yield_when_idle": IN_EFFECT, "OMPI_MCA_not_there": ABSENT},
    ),
}


@pytest.mark.parametrize("name", [*ASKED])
def test_a_library_says_which_settings_it_has(name: str) -> None:
    if name not in {each.name for each in mpi.available()}:
        pytest.skip(f"the MPI library {name} is not installed")
    environment, expected = ASKED[name]
    assert Effects().of(mpi.find(name), Setting("s", environment), ["true"]) == expected


def test_variables_of_the_launcher_are_proven_by_the_cores_of_the_ranks() -> None:
    """leadline study virtual sets them; it listed them as without effect, because the library has no such variables."""
    if "openmpi" not in {each.name for each in mpi.available()}:
        pytest.skip("the MPI library openmpi is not installed")
    library = mpi.find("openmpi")
    unbound = dict(library.kind.unbound)
    assert unbound
    assert Effects().of(library, Setting("s", unbound), ["true"]) == {}
    free = effects.of_binding(library, unbound, {"Placement": "2 ranks per host, not bound"})
    assert free == dict.fromkeys(unbound, effects.UNBOUND)
    tied = effects.of_binding(library, unbound, {"Placement": "2 ranks per host, bound to cores 0; 1"})
    assert tied == dict.fromkeys(unbound, f"{effects.BOUND}: 2 ranks per host, bound to cores 0; 1")
    assert effects.of_binding(library, unbound, {}) == effects.of_binding(library, {}, {"Placement": "x"}) == {}


def test_a_setting_that_keeps_the_library_from_starting_is_said() -> None:
    if "openmpi" not in {each.name for each in mpi.available()}:
        pytest.skip("the MPI library openmpi is not installed")
    found = Effects().of(mpi.find("openmpi"), Setting("s", {"OMPI_MCA_pml": "none_such"}), ["true"])
    assert found["OMPI_MCA_pml"].startswith(FAILED)


def test_each_setting_is_asked_about_once_and_never_under_another_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    library = next(iter(mpi.available()))
    asked: list[Setting] = []
    monkeypatch.setattr(effects, "_asked", lambda _, setting, __: asked.append(setting) or {})
    one, other = Setting("a", {"OMPI_MCA_pml": "ob1"}), Setting("a", {"OMPI_MCA_pml": "cm"})
    found = Effects()
    for setting in (one, other, one):
        found.of(library, setting, ())
    assert asked == [one, other]
    monkeypatch.undo()
    both = {"OMPI_MCA_pml": "ob1", "MPIR_CVAR_CH4_CMA_ENABLE": "0"}
    assert Effects().of(library, Setting("b", both, launcher=("srun", "-n", "{ranks}")), ()) == {}


def test_values_are_compared_as_the_library_means_them() -> None:
    assert same("1", "true")
    assert same("4096", "4096.0")
    assert same("OB1", "ob1")
    assert not same("0", "true")
    assert not same("ob1", "cm")
