"""Random C programs whose loops are known: what they look like, and what a perfect observer of their calls would count.

A program consists of *nests*: functions called once each, with loops of every form within each other and in functions
further down. Trips, conditions and the number of failed polls come from volatile memory, so the compiler does not know
them. The generator interprets what it writes: the truth is computed, not measured.

An iteration counts if it makes a call that is an event. Failed polls are none.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

MOST_EVENTS = 3000  # of a nest
MOST_DOWN = 6  # functions between a loop and its calls
FORMS = ("for", "for", "while", "do", "middle", "endless", "goto")

PROLOGUE = """\
// Made by tests/recorder/random_nests.py.
#include <mpi.h>

static volatile int V[64];
static double in[4096], out[4096];
static MPI_Request pending;
#define KEEP __asm__ volatile("" ::: "memory")
#define NONE MPI_PROC_NULL
#define SELF MPI_COMM_SELF
#define IGNORE MPI_STATUS_IGNORE
"""

# One call each, told apart by {n}.
CALLS = (
    "MPI_Allreduce(out + {n}, in + {n}, 1, MPI_DOUBLE, MPI_SUM, SELF);",
    "MPI_Send(out + {n}, 1, MPI_DOUBLE, NONE, {n}, SELF);",
    "MPI_Sendrecv(out + {n}, 1, MPI_DOUBLE, NONE, {n}, in, 1, MPI_DOUBLE, NONE, {n}, SELF, IGNORE);",
    "MPI_Sendrecv(out + {n}, 1, MPI_DOUBLE, 0, {n}, in + {n}, 1, MPI_DOUBLE, 0, {n}, SELF, IGNORE);",
    "MPI_Barrier(SELF);",
    "MPI_Bcast(out + {n}, 1, MPI_DOUBLE, 0, SELF);",
    "MPI_Reduce(out + {n}, in + {n}, 1, MPI_DOUBLE, MPI_MAX, 0, SELF);",
    "MPI_Recv(in + {n}, 1, MPI_DOUBLE, NONE, {n}, SELF, IGNORE);",
)


# --- What a program consists of ---


@dataclass(frozen=True)
class Number:
    """An integer expression. parts: names of variables, each reduced modulo V[.]; V[base] is added."""

    base: int
    parts: tuple[tuple[str, int], ...] = ()

    @property
    def text(self) -> str:
        return " + ".join([f"V[{self.base}]", *(f"{name} % V[{m}]" for name, m in self.parts)])

    def value(self, variables: dict[str, int]) -> int:
        return self.base + sum(variables[name] % m for name, m in self.parts)


@dataclass(frozen=True)
class Condition:
    """name % V[of] == V[rest], or the opposite."""

    name: str
    of: int
    rest: int
    negated: bool = False

    @property
    def text(self) -> str:
        return f"{self.name} % V[{self.of}] {'!=' if self.negated else '=='} V[{self.rest}]"

    def holds(self, variables: dict[str, int]) -> bool:
        return (variables[self.name] % self.of == self.rest) != self.negated


@dataclass
class Call:
    text: str
    events: int = 1


@dataclass
class If:
    condition: Condition
    then: list[Statement]
    otherwise: list[Statement]


@dataclass
class Switch:
    name: str
    cases: list[list[Statement]]


@dataclass
class Leave:
    """How: break, continue, return, or goto the end of loop `target`."""

    condition: Condition
    how: str
    target: int = 0


@dataclass
class Loop:
    number: int
    form: str
    iterations: Number
    entries: str  # variable that counts them; "": none does
    body: list[Statement]
    rest: list[Statement]  # of an endless loop: after the place where it is left
    is_target: bool = False
    first_line: int = 0
    last_line: int = 0

    @property
    def name(self) -> str:
        return f"i{self.number}"


@dataclass
class Poll(Loop):
    """A loop of the form `poll`: `iterations` polls fail, then one succeeds; or it is given up after them."""

    probe: str = ""
    gives_up: bool = False

    @property
    def sends(self) -> bool:
        return self.probe == "test" and not self.gives_up


@dataclass
class Invoke:
    site: int
    function: Function
    argument: str
    keeps_frame: bool
    depth: str = ""  # "": not recursive; otherwise the depth to go


@dataclass
class Function:
    name: str
    attribute: str
    recursive: bool = False
    body: list[Statement] = field(default_factory=list)


Statement = Call | If | Switch | Leave | Loop | Invoke


# --- The truth ---


@dataclass
class Node:
    """A loop in its calling context."""

    loop: Loop
    parent: Node | None
    children: list[Node] = field(default_factory=list)
    all_iterations: int = 0  # with those that make no call
    iterations: int = 0
    entries: int = 0
    by_iteration: list[dict[int, int]] = field(default_factory=list)  # iterations by identity of the loop within

    def per_parent(self) -> tuple[int, int, int]:
        """Fewest, median, most iterations within one of the loop around it."""
        if self.parent is None:
            return self.iterations, self.iterations, self.iterations
        counts = sorted(counts.get(id(self), 0) for counts in self.parent.by_iteration)
        return counts[0], counts[(len(counts) - 1) // 2], counts[-1]


class TooMany(Exception):
    """The nest makes too many calls."""


class Left(Exception):
    """Control leaves statements."""

    def __init__(self, how: str, target: int = 0) -> None:
        self.how, self.target = how, target


class Interpreter:
    """Executes a nest and counts."""

    def __init__(self) -> None:
        self.nodes: dict[tuple[int, ...], Node] = {}
        self.counters: dict[str, int] = {}
        self.path: tuple[int, ...] = ()
        self.around: list[tuple[Node, dict[int, int], list[int]]] = []  # loop, iterations within, its events
        self.events = 0

    def run(self, function: Function, variables: dict[str, int]) -> None:
        try:
            self.statements(function.body, variables)
        except Left as left:
            if left.how != "return":
                raise

    def statements(self, body: list[Statement], variables: dict[str, int]) -> None:
        for statement in body:
            self.statement(statement, variables)

    def statement(self, s: Statement, variables: dict[str, int]) -> None:
        if isinstance(s, Call):
            self.event(s.events)
        elif isinstance(s, If):
            self.statements(s.then if s.condition.holds(variables) else s.otherwise, variables)
        elif isinstance(s, Switch):
            self.statements(s.cases[variables[s.name] % len(s.cases)], variables)
        elif isinstance(s, Leave):
            if s.condition.holds(variables):
                raise Left(s.how, s.target)
        elif isinstance(s, Invoke):
            self.invoke(s, variables)
        else:
            self.loop(s, variables)

    def event(self, count: int) -> None:
        self.events += count
        if self.events > MOST_EVENTS:
            raise TooMany
        if self.around:
            self.around[-1][2][0] += count

    def invoke(self, s: Invoke, variables: dict[str, int]) -> None:
        depth = 0
        if s.depth == "depth - 1":
            depth = variables["depth"] - 1
            if depth < 0:
                return
        elif s.depth:
            depth = int(s.depth)
        before = self.path
        self.path = (*before, -s.site)
        self.run(s.function, {"a": variables[s.argument], "depth": depth})
        self.path = before

    def loop(self, s: Loop, variables: dict[str, int]) -> None:
        if isinstance(s, Poll) and s.sends:
            self.event(1)
        before, depth = self.path, len(self.around)
        self.path = (*before, s.number)
        if s.entries:
            variables[s.entries] = self.counters[s.entries] = self.counters.get(s.entries, -1) + 1
        bound = s.iterations.value(variables)
        try:
            self.iterations(s, bound, variables)
        except Left as left:
            while len(self.around) > depth:
                self.end_iteration()
            if not (left.how == "break" or (left.how == "goto" and left.target == s.number)):
                raise
        finally:
            self.path = before

    def iterations(self, s: Loop, bound: int, variables: dict[str, int]) -> None:
        i = 0
        variables[s.name] = i
        if isinstance(s, Poll):
            for i in range(bound + (0 if s.gives_up else 1)):
                self.begin_iteration(s)
                self.event(0 if i < bound else 1)
                self.end_iteration()
            return
        while True:
            if s.form in ("for", "while", "endless") and i >= bound:
                return
            if s.form == "while":
                i += 1
                variables[s.name] = i
            self.begin_iteration(s)
            try:
                self.statements(s.body, variables)
                if s.form == "middle":
                    i += 1
                    variables[s.name] = i
                    if i >= bound:
                        self.end_iteration()
                        return
                self.statements(s.rest, variables)
            except Left as left:
                if left.how != "continue":
                    raise
            self.end_iteration()
            if s.form in ("for", "endless", "do", "goto"):
                i += 1
                variables[s.name] = i
            if s.form in ("do", "goto") and i >= bound:
                return

    def begin_iteration(self, s: Loop) -> None:
        if self.path not in self.nodes:
            parent = self.around[-1][0] if self.around else None
            node = self.nodes[self.path] = Node(s, parent)
            if parent:
                parent.children.append(node)
        self.around.append((self.nodes[self.path], {}, [0]))

    def end_iteration(self) -> None:
        node, within, events = self.around.pop()
        node.all_iterations += 1
        if not events[0]:
            return
        node.iterations += 1
        node.by_iteration.append(within)
        if self.around:
            _, counts, outer_events = self.around[-1]
            counts[id(node)] = counts.get(id(node), 0) + 1
            outer_events[0] += events[0]


# --- Chance ---


class Maker:
    """Makes nests of one program. All numbers are unique in the program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.switches = 0.02
        self.loops = self.calls = self.sites = self.functions_made = 0
        self.functions: list[Function] = []  # of the nest under way, callees first
        self.counters: list[str] = []

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def nest(self, name: str) -> tuple[Function, list[Function]]:
        self.functions = []
        top = Function(name, "__attribute__((noinline))")
        top.body = self.body(Scope(("a",), 0, 0, inside=()), self.random.randint(1, 4), least_loops=1)
        return top, self.functions

    def call(self) -> Call:
        self.calls += 1
        if self.chance(0.1):
            text = (
                f"{{ MPI_Request r; MPI_Isend(out + {self.calls}, 1, MPI_DOUBLE, NONE, 30003, SELF, &r); "
                "MPI_Wait(&r, IGNORE); }"
            )
            return Call(text, 2)
        return Call(self.random.choice(CALLS).format(n=self.calls))

    def number(self, scope: Scope, low: int, high: int) -> Number:
        base = self.random.randint(low, high)
        parts = ()
        if self.chance(0.4):
            parts = ((self.random.choice(scope.names), self.random.randint(2, 4)),)
        return Number(base, parts)

    def condition(self, scope: Scope) -> Condition:
        of = self.random.randint(2, 5)
        return Condition(self.random.choice(scope.names[-2:]), of, self.random.randrange(of), self.chance(0.3))

    def body(self, scope: Scope, levels: int, least_loops: int = 0) -> list[Statement]:
        """A sequence of statements with loops nested `levels` deep at most."""
        statements: list[Statement] = []
        loops = 0
        if levels:
            loops = max(least_loops, self.random.choice((0, 1, 1, 1, 2, 3)))
        for _ in range(loops):
            statements.append(self.maybe_below(scope, lambda s: [self.loop(s, levels)]))
        for _ in range(self.random.choice((0, 1, 1, 2, 3)) or (not loops)):
            statements.append(self.maybe_below(scope, lambda s: [self.call()]))
        self.random.shuffle(statements)
        return statements

    def maybe_below(self, scope: Scope, make: Callable[[Scope], list[Statement]]) -> Statement:
        """What is made, perhaps under a condition, or in a function further down."""
        chance = self.random.random()
        if chance < 0.12:
            then = [self.maybe_below(scope, make)]
            otherwise: list[Statement] = [self.call()] if self.chance(0.3) else []
            return If(self.condition(scope), then, otherwise)
        if chance < 0.12 + self.switches:
            cases: list[list[Statement]] = [[self.call()] if self.chance(0.8) else [] for _ in range(5)]
            cases.append([self.maybe_below(scope, make)])
            return Switch(self.random.choice(scope.names), cases)
        if chance < 0.36 and scope.down < MOST_DOWN:
            return self.invoke(scope, make)
        (statement,) = make(scope)
        return statement

    def invoke(self, scope: Scope, make: Callable[[Scope], list[Statement]]) -> Statement:
        """In a function, or at the end of a chain of them."""
        recursive = self.chance(0.1)
        attribute = self.random.choice(
            ("__attribute__((noinline))", "inline __attribute__((always_inline))", "inline", "")
        )
        if recursive:
            attribute = self.random.choice(("__attribute__((noinline))", ""))
        self.functions_made += 1
        function = Function(f"down_{self.functions_made}", attribute, recursive)
        inner = Scope(("a",), scope.down + 1, 0, inside=())
        function.body = []
        if self.chance(0.3):
            function.body.append(self.call())
        if self.chance(0.5) and scope.down + 1 < MOST_DOWN:  # further down
            function.body.append(self.invoke(inner, make))
        else:
            function.body += make(inner)
        if self.chance(0.3):
            function.body.append(self.call())
        if self.chance(0.1):
            function.body.insert(self.random.randrange(len(function.body) + 1), Leave(self.condition(inner), "return"))
        if recursive:
            again = self.invocation(function, "a", "depth - 1")
            again.keeps_frame = True
            loops = [s for s in function.body if isinstance(s, Loop) and not isinstance(s, Poll)]
            if loops and self.chance(0.5):
                loops[0].body.append(again)
            else:
                function.body.insert(self.random.randrange(len(function.body) + 1), again)
        self.functions.append(function)
        depth = str(self.random.randint(1, 3)) if recursive else ""
        return self.invocation(function, self.random.choice(scope.names), depth)

    def invocation(self, function: Function, argument: str, depth: str) -> Invoke:
        self.sites += 1
        return Invoke(self.sites, function, argument, self.chance(0.7), depth)

    def loop(self, scope: Scope, levels: int) -> Loop:
        self.loops += 1
        number = self.loops
        entries = ""
        if self.chance(0.25):
            entries = f"e{number}"
            self.counters.append(entries)
        names = scope.names + ((entries,) if entries else ())
        if self.chance(0.06):
            probe = self.random.choice(("probe", "test"))
            fails = Number(self.random.randint(0, 5), ((entries, 3),) if entries else ())
            return Poll(number, "poll", fails, entries, [], [], probe=probe, gives_up=self.chance(0.2))
        form = self.random.choice(FORMS)
        few = 0 if self.chance(0.08) else 1
        high = 6 if levels > 1 else 12
        iterations = self.number(Scope(names, 0, 0, ()), few, high)
        if entries and not iterations.parts:
            iterations = Number(iterations.base, ((entries, self.random.randint(2, 3)),))
        inner = Scope((*names, f"i{number}"), scope.down, scope.loops + 1, (*scope.inside, number))
        loop = Loop(number, form, iterations, entries, self.body(inner, levels - 1), [])
        if form == "middle" and self.chance(0.8):
            loop.rest = [self.maybe_below(inner, lambda s: [self.call()]) for _ in range(self.random.randint(1, 2))]
        if self.chance(0.15):
            self.leave(loop, inner)
        return loop

    def leave(self, loop: Loop, scope: Scope) -> None:
        how = self.random.choice(("break", "continue", "return", "goto"))
        if how == "continue" and loop.form in ("middle", "goto"):
            how = "break"
        if how == "break" and loop.form == "goto":
            how = "goto"
        target = 0
        if how == "goto":
            target = self.random.choice(scope.inside[-2:])
        statement = Leave(self.condition(scope), how, target)
        loop.body.insert(self.random.randrange(len(loop.body) + 1), statement)


@dataclass(frozen=True)
class Scope:
    """names: of variables.   down: functions above.   loops: around, in this function.   inside: their numbers."""

    names: tuple[str, ...]
    down: int
    loops: int
    inside: tuple[int, ...]


# --- As C ---


class Writer:
    def __init__(self) -> None:
        self.lines: list[str] = PROLOGUE.splitlines()

    def line(self, depth: int, text: str) -> None:
        self.lines.append("  " * depth + text)

    def head(self, f: Function) -> str:
        return f"static {f.attribute} void {f.name}(int a{', int depth' if f.recursive else ''})".replace("  ", " ")

    def function(self, f: Function) -> None:
        self.line(0, f"{self.head(f)} {{")
        self.statements(f.body, 1)
        self.line(0, "}")
        self.line(0, "")

    def statements(self, body: list[Statement], depth: int) -> None:
        for s in body:
            self.statement(s, depth)

    def statement(self, s: Statement, depth: int) -> None:
        if isinstance(s, Call):
            self.line(depth, s.text)
        elif isinstance(s, If):
            self.line(depth, f"if ({s.condition.text}) {{")
            self.statements(s.then, depth + 1)
            if s.otherwise:
                self.line(depth, "} else {")
                self.statements(s.otherwise, depth + 1)
            self.line(depth, "}")
        elif isinstance(s, Switch):
            self.line(depth, f"switch ({s.name} % {len(s.cases)}) {{")
            for number, case in enumerate(s.cases):
                self.line(depth + 1, f"case {number}: {{")
                self.statements(case, depth + 2)
                self.line(depth + 2, "break;")
                self.line(depth + 1, "}")
            self.line(depth, "}")
        elif isinstance(s, Leave):
            word = f"goto end_{s.target}" if s.how == "goto" else s.how
            self.line(depth, f"if ({s.condition.text}) {word};")
        elif isinstance(s, Invoke):
            self.invoke(s, depth)
        else:
            self.loop(s, depth)

    def invoke(self, s: Invoke, depth: int) -> None:
        arguments = f"{s.argument}, {s.depth}" if s.depth else s.argument
        condition = "if (depth > 0) " if s.depth == "depth - 1" else ""
        self.line(depth, f"{condition}{s.function.name}({arguments});")
        if s.keeps_frame:
            self.line(depth, "KEEP;")

    def loop(self, s: Loop, depth: int) -> None:
        i, n = s.name, f"n{s.number}"
        if s.entries:
            self.line(depth, f"static int static_{s.entries} = 0;")
            self.line(depth, f"const int {s.entries} = static_{s.entries}++;")
        self.line(depth, f"const int {n} = {s.iterations.text};")
        if s.form != "for":
            self.line(depth, f"int {i} = 0;")
        if isinstance(s, Poll) and s.sends:
            self.line(depth, f"MPI_Request sent_{s.number};")
            self.line(depth, f"MPI_Isend(out, 1, MPI_DOUBLE, NONE, 30003, SELF, &sent_{s.number});")
        s.first_line = len(self.lines) + 1
        if isinstance(s, Poll):
            self.poll(s, depth)
        else:
            heads = {
                "for": f"for (int {i} = 0; {i} < {n}; ++{i}) {{",
                "while": f"while ({i}++ < {n}) {{",
                "do": "do {",
                "middle": "for (;;) {",
                "endless": f"for (;; ++{i}) {{",
                "goto": f"again_{s.number}: {{",
            }
            self.line(depth, heads[s.form])
            if s.form == "endless":
                self.line(depth + 1, f"if ({i} >= {n}) break;")
            self.statements(s.body, depth + 1)
            if s.form == "middle":
                self.line(depth + 1, f"if (++{i} >= {n}) break;")
            self.statements(s.rest, depth + 1)
            if s.form == "goto":
                self.line(depth + 1, f"if (++{i} < {n}) goto again_{s.number};")
            self.line(depth, f"}} while (++{i} < {n});" if s.form == "do" else "}")
        s.last_line = len(self.lines)
        if s.is_target:
            self.line(depth, f"end_{s.number}:;")

    def poll(self, s: Poll, depth: int) -> None:
        i, n = s.name, f"n{s.number}"
        self.line(depth, f"for (int done = 0; !done; ++{i}) {{")
        if s.gives_up:
            self.line(depth + 1, f"if ({i} >= {n}) break;")
        if s.probe == "probe":
            self.line(depth + 1, f"MPI_Iprobe({i} < {n} ? 0 : NONE, 30002, SELF, &done, IGNORE);")
        else:
            done = f"sent_{s.number}" if s.sends else "pending"
            self.line(depth + 1, f"MPI_Request asked = {i} < {n} ? pending : {done};")
            self.line(depth + 1, "MPI_Test(&asked, &done, IGNORE);")
        self.line(depth, "}")


@dataclass
class Nest:
    """roots: its outermost loops that make calls.   first_line, last_line: of its functions."""

    name: str
    first_line: int
    last_line: int
    roots: list[Node]

    def nodes(self) -> Iterator[Node]:
        stack = list(self.roots)
        while stack:
            node = stack.pop()
            yield node
            stack.extend(node.children)


@dataclass
class Program:
    text: str
    nests: list[Nest]


def random_program(seed: int, nests: int, switches: float = 0.02) -> Program:
    maker, writer = Maker(seed), Writer()
    maker.switches = switches
    made: list[Nest] = []
    while len(made) < nests:
        top, functions = maker.nest(f"nest_{len(made)}")
        interpreter = Interpreter()
        try:
            interpreter.run(top, {"a": len(made)})
        except TooMany:
            continue
        prune(interpreter)
        if not interpreter.nodes:
            continue
        mark_targets([*functions, top])
        first = len(writer.lines) + 1
        for function in functions:
            if function.recursive:
                writer.line(0, f"{writer.head(function)};")
        for function in [*functions, top]:
            writer.function(function)
        roots = [node for node in interpreter.nodes.values() if node.parent is None]
        made.append(Nest(top.name, first, len(writer.lines), roots))
    writer.line(0, "int main(int argc, char** argv) {")
    writer.line(1, "for (int i = 0; i < 64; ++i) V[i] = i;")
    writer.line(1, "MPI_Init(&argc, &argv);")
    writer.line(1, "MPI_Irecv(in, 1, MPI_DOUBLE, 0, 30001, SELF, &pending);")
    for number, nest in enumerate(made):
        writer.line(1, f"{nest.name}({number});")
    writer.line(1, "MPI_Cancel(&pending);")
    writer.line(1, "MPI_Wait(&pending, IGNORE);")
    writer.line(1, "return MPI_Finalize();")
    writer.line(0, "}")
    return Program("\n".join(writer.lines) + "\n", made)


def prune(interpreter: Interpreter) -> None:
    """Leaves loops that make calls."""
    for path, node in list(interpreter.nodes.items()):
        node.children = [child for child in node.children if child.iterations]
        if not node.iterations:
            del interpreter.nodes[path]


def mark_targets(functions: list[Function]) -> None:
    loops: dict[int, Loop] = {}
    targets: set[int] = set()

    def visit(body: list[Statement]) -> None:
        for s in body:
            if isinstance(s, If):
                visit(s.then)
                visit(s.otherwise)
            elif isinstance(s, Switch):
                for case in s.cases:
                    visit(case)
            elif isinstance(s, Loop):
                loops[s.number] = s
                visit(s.body)
                visit(s.rest)
            elif isinstance(s, Leave) and s.how == "goto":
                targets.add(s.target)

    for function in functions:
        visit(function.body)
    for number in targets:
        loops[number].is_target = True
