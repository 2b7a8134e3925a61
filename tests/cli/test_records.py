"""Records are dataclasses in all that a program can see, and a report defines none by the slow way."""

import dataclasses
import subprocess
import sys
from typing import Any

import pytest

from leadline import records


def _pair(**options: Any) -> tuple[Any, Any]:
    """The same classes as records and as dataclasses."""

    def made(decorator: Any) -> Any:
        @decorator(**options)
        class Base:
            first: int
            names: list[str] = dataclasses.field(default_factory=list)

        @decorator(**options)
        class Derived(Base):
            """With a text of its own."""

            size: float = 1.5
            hidden: int = dataclasses.field(default=3, repr=False, compare=False)
            counted: int = dataclasses.field(default=0, init=False)

            def __post_init__(self) -> None:
                object.__setattr__(self, "doubled", 2 * self.first)

        return Base, Derived

    return made(records.dataclass), made(dataclasses.dataclass)


@pytest.mark.parametrize("options", [{}, {"frozen": True}])
def test_records_are_made_compared_and_shown_as_dataclasses(options: dict[str, bool]) -> None:
    for own, usual in zip(*_pair(**options), strict=True):
        cases: list[tuple[tuple[Any, ...], dict[str, Any]]] = [((1,), {}), ((2, ["a"]), {}), ((), {"first": 1})]
        for given, named in cases:
            a, b = own(*given, **named), usual(*given, **named)
            assert vars(a) == vars(b)
            assert repr(a) == repr(b)
            assert a == own(*given, **named)
            assert a != own(9)
            assert a != b
            assert dataclasses.asdict(a) == dataclasses.asdict(b)
            assert vars(dataclasses.replace(a, first=7)) == vars(dataclasses.replace(b, first=7))
        assert own(1).names is not own(1).names
        assert own.__match_args__ == usual.__match_args__
        with pytest.raises(TypeError):
            own()
        with pytest.raises(TypeError):
            own(1, unknown=2)


def test_frozen_records_hash_by_value_and_refuse_changes() -> None:
    @records.dataclass(frozen=True)
    class Place:
        name: str
        rank: int = 0

    assert {Place("a"), Place("a", 0), Place("b")} == {Place("a"), Place("b")}
    with pytest.raises(dataclasses.FrozenInstanceError):
        Place("a").rank = 1  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del Place("a").name  # type: ignore[misc]


def test_dataclasses_inherit_from_frozen_records() -> None:
    @records.dataclass(frozen=True)
    class Place:
        rank: int

    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Named(Place):
        name: str

    @records.dataclass(frozen=True)
    class Timed(Place):
        time_s: float = 0.0

    assert Named(1, name="a") == Named(1, name="a")
    assert Timed(1) != Timed(1, 2.0)
    for made in (Named(1, name="a"), Timed(1)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            made.rank = 2  # type: ignore[misc]


def test_records_that_can_change_have_no_hash() -> None:
    @records.dataclass
    class Sum:
        calls: int = 0

    total = Sum()
    total.calls += 2
    assert total == Sum(2)
    assert Sum.__hash__ is None


def test_methods_of_the_class_itself_stay() -> None:
    @records.dataclass(frozen=True)
    class Named:
        name: str

        def __repr__(self) -> str:
            return self.name

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Named) and self.name.lower() == other.name.lower()

        def __hash__(self) -> int:
            return hash(self.name.lower())

    assert repr(Named("A")) == "A"
    assert Named("A") == Named("a")
    assert len({Named("A"), Named("a")}) == 1


def test_a_report_compiles_no_dataclass_and_imports_no_library_for_terminals() -> None:
    """What it would cost: a third of the processor time of a small run's report."""
    asked = """
import dataclasses, sys
made = []
create = dataclasses._process_class
def watched(cls, init, repr, eq, *others, **named):
    if init or repr or eq:
        made.append(f"{cls.__module__}.{cls.__qualname__}")
    return create(cls, init, repr, eq, *others, **named)
dataclasses._process_class = watched
import leadline.cli.report, leadline.report.json_report, leadline.report.sections
print(*(name for name in made if name.startswith("leadline")))
print(*({"rich", "ctypes", "shutil"} & set(sys.modules)))
"""
    found = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
