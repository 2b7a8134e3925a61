"""The classes of calls and their properties: [categories], [classes] and [moves] of api/semantics.toml."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mpiapi.standard import PYMPISTANDARD_VERSION, ApiError

HEAD = f"// Made by codegen/generate.py from pympistandard {PYMPISTANDARD_VERSION} and api/*.toml. Do not edit.\n"
# The words of the data; the head of api/semantics.toml says what each means.
EVENTS = (
    "plain message exchange probe completion completions start starts collective creation object access file libc"
).split()
MOVES = "sends receives contributes collects puts gets writes reads".split()
REQUESTS = "none makes creates starts completes frees cancels".split()
PAUSED = "passed recorded kept entered started completed".split()
BY_FUNCTION = "function"
_FACTS = {"category", "title", "event", "moves", "requests", "paused"}


@dataclass(frozen=True)
class Category:
    name: str
    title: str
    short: str


@dataclass(frozen=True)
class CallClass:
    """moves: if the functions of a class differ, the union of their moves."""

    name: str
    category: str
    title: str
    event: str
    moves: tuple[str, ...]
    requests: str
    paused: str
    by_function: bool


@dataclass(frozen=True)
class Classes:
    categories: tuple[Category, ...]
    classes: dict[str, CallClass]  # in the order of their numbers
    moves: dict[str, tuple[str, ...]]  # by function, of the classes whose functions differ

    def moves_of(self, function: str, cls: str) -> tuple[str, ...]:
        return self.moves[function] if self.classes[cls].by_function else self.classes[cls].moves


def load_classes(data: dict[str, Any], class_of: dict[str, str]) -> Classes:
    """Raises ApiError if a fact is missing or is not a word of the data, or if a function has no moves.

    class_of: the class of every function of MPI.
    """
    categories = tuple(
        Category(name, entry["title"], entry.get("short", entry["title"])) for name, entry in data["categories"].items()
    )
    for name, entry in data["classes"].items():
        if difference := _FACTS ^ set(entry):
            raise ApiError(f"semantics.toml: [classes] {name} has too much or too little: {', '.join(difference)}")
        _word(name, entry, "category", [category.name for category in categories])
        _word(name, entry, "event", EVENTS)
        _word(name, entry, "requests", REQUESTS)
        _word(name, entry, "paused", PAUSED)
    by_function = {name for name, entry in data["classes"].items() if entry["moves"] == BY_FUNCTION}
    moves = _moves_of_functions(data["moves"], class_of, by_function)
    classes = {}
    for name, entry in data["classes"].items():
        own = [moves[function] for function, cls in class_of.items() if cls == name and function in moves]
        words = {word for of in own for word in of} if name in by_function else set(entry["moves"].split())
        words -= {"nothing"}
        if unknown := words - set(MOVES):
            raise ApiError(f"semantics.toml: [classes] {name}: moves = {sorted(unknown)[0]!r} is no such word")
        facts = {fact: entry[fact] for fact in ("category", "title", "event", "requests", "paused")}
        ordered = tuple(word for word in MOVES if word in words)
        classes[name] = CallClass(name=name, moves=ordered, by_function=name in by_function, **facts)
    return Classes(categories, classes, moves)


def _word(name: str, entry: dict[str, str], fact: str, words: list[str]) -> None:
    if entry[fact] not in words:
        raise ApiError(f"semantics.toml: [classes] {name}: {fact} = {entry[fact]!r} is no such word")


def _moves_of_functions(
    table: dict[str, list[str]], class_of: dict[str, str], by_function: set[str]
) -> dict[str, tuple[str, ...]]:
    wanted = {function for function, cls in class_of.items() if cls in by_function}
    if unknown := set(table) - set(MOVES):
        raise ApiError(f"semantics.toml: [moves] {sorted(unknown)[0]} is no such word")
    said = {function for functions in table.values() for function in functions}
    if missing := wanted - said:
        raise ApiError(f"semantics.toml: [moves] does not say which way the data of {sorted(missing)[0]} goes")
    if left := said - wanted:
        raise ApiError(f"semantics.toml: [moves] {sorted(left)[0]}: its class says it, or there is no such function")
    return {function: tuple(word for word in MOVES if function in table.get(word, [])) for function in sorted(wanted)}


def moves_cpp(moves: tuple[str, ...]) -> str:
    return " | ".join(f"moves::{word}" for word in moves) or "0"


def classes_header(classes: Classes) -> str:
    """call_classes.hpp: enum CallClass, and the table of the properties of each class."""
    names = list(classes.classes)
    lines = [HEAD, "// The head of api/semantics.toml says what every word means.", "#pragma once\n",
             "#include <cstdint>\n", "namespace leadline::trace {\n"]  # fmt: skip
    lines += [_enum("CallClass", names), f"inline constexpr int call_class_count = {len(names)};\n"]
    lines += [_enum("Category", [category.name for category in classes.categories]),
              f"inline constexpr int category_count = {len(classes.categories)};\n",
              "struct CategoryNames {\n  const char *name, *title, *abbreviation;\n};",
              "inline constexpr CategoryNames category_names[category_count] = {"]  # fmt: skip
    lines += [f'    {{"{c.name}", "{c.title}", "{c.short}"}},' for c in classes.categories]
    lines += ["};\n", _enum("EventForm", EVENTS),
              f"inline constexpr const char* event_names[] = {{{_strings(EVENTS)}}};\n",
              _enum("RequestUse", REQUESTS),
              f"inline constexpr const char* request_names[] = {{{_strings(REQUESTS)}}};\n",
              _enum("WhilePaused", PAUSED), "namespace moves {"]  # fmt: skip
    lines += [f"inline constexpr uint8_t {word} = {1 << bit};" for bit, word in enumerate(MOVES)]
    lines += [f"inline constexpr int count = {len(MOVES)};",
              f"inline constexpr const char* names[count] = {{{_strings(MOVES)}}};", "}  // namespace moves\n",
              "struct CallFacts {", "  const char *name, *title;", "  Category category;",
              "  EventForm event;", "  RequestUse requests;", "  WhilePaused paused;", "  uint8_t moves;",
              "  bool by_function;  // moves are all that one of its functions does: see moves_of()", "};",
              "inline constexpr CallFacts call_facts[call_class_count] = {"]  # fmt: skip
    lines += [_facts(cls) for cls in classes.classes.values()]
    lines += ["};",
              "constexpr const CallFacts& facts_of(CallClass c) { return call_facts[static_cast<int>(c)]; }\n",
              "// By name, ascending: the functions of the classes whose functions differ.",
              "struct FunctionMoves {\n  const char* name;\n  uint8_t moves;\n};",
              f"inline constexpr FunctionMoves function_moves[{len(classes.moves)}] = {{"]  # fmt: skip
    lines += [f'    {{"MPI_{function}", {moves_cpp(moves)}}},' for function, moves in classes.moves.items()]
    lines += ["};\n", "}  // namespace leadline::trace\n"]
    return "\n".join(lines)


def _enum(name: str, words: list[str]) -> str:
    return f"enum class {name} : uint8_t {{\n" + "".join(f"  {word},\n" for word in words) + "};"


def _strings(words: list[str]) -> str:
    return ", ".join(f'"{word}"' for word in words)


def _facts(cls: CallClass) -> str:
    return (
        f'    {{"{cls.name}", "{cls.title}", Category::{cls.category}, EventForm::{cls.event}, '
        f"RequestUse::{cls.requests}, WhilePaused::{cls.paused}, {moves_cpp(cls.moves)}, "
        f"{'true' if cls.by_function else 'false'}}},"
    )
