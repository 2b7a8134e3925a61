"""Compares the loops that a report finds with those of a random program (random_nests.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leadline.figures.run import Run
from leadline.report.sections.loops import LoopEntry, loop_entries

from .random_nests import Loop, Nest, Node, Program


@dataclass
class Found:
    """A loop of the report."""

    entry: LoopEntry
    children: list[Found] = field(default_factory=list)

    @property
    def line(self) -> int:
        return self.entry.loop.line

    def figures(self) -> tuple[int, int, int, int]:
        """Iterations, and the fewest, median and most of them in one of the loop around it."""
        shape = self.entry.shape
        per_parent = (shape.fewest, shape.usual, shape.most) if shape else (-1, -1, -1)
        return self.entry.iterations, *per_parent

    def text(self, depth: int = 0) -> str:
        at_least = " at least" if self.entry.loop.at_least else ""
        own = f"{'  ' * depth}line {self.line}: {self.figures()}{at_least}"
        return "\n".join([own, *(child.text(depth + 1) for child in self.children)])


@dataclass
class Difference:
    """What is not as in the source. admitted: the report says "at least" where it matters, or the compiler did it."""

    what: str
    admitted: bool = False


def found_loops(run: Run) -> list[Found]:
    """The outermost ones of rank 0's whole run."""
    by_number: dict[int, Found] = {}
    outermost: list[Found] = []
    for entry in loop_entries(run, 0.0):
        found = by_number[entry.loop.number] = Found(entry)
        siblings = by_number[entry.parent].children if entry.parent else outermost
        siblings.append(found)
    return outermost


def truth_text(node: Node, depth: int = 0) -> str:
    loop = node.loop
    silent = f", {node.all_iterations - node.iterations} without calls" if node.all_iterations > node.iterations else ""
    place = f"{'  ' * depth}lines {loop.first_line}-{loop.last_line} {loop.form}"
    own = f"{place}: {(node.iterations, *node.per_parent())}{silent}"
    return "\n".join([own, *(truth_text(child, depth + 1) for child in node.children)])


def differences(program: Program, run: Run) -> list[tuple[Nest, list[Found], list[Difference]]]:
    """Per nest."""
    outermost = found_loops(run)
    result = []
    for nest in program.nests:
        own = [found for found in outermost if nest.first_line <= found.line <= nest.last_line]
        for found in own:
            outermost.remove(found)
        result.append((nest, own, compare(own, nest.roots, certain=True)))
    if outermost:
        result[0][2].extend(Difference(f"no nest has {found.text()}") for found in outermost)
    return result


def holds(loop: Loop, line: int) -> bool:
    """A loop that asks at its end has no statement at its begin, to which compilers may give the line before."""
    return loop.first_line - (loop.form in ("do", "goto", "middle")) <= line <= loop.last_line


def compare(found: Sequence[Found], truth: Sequence[Node], certain: bool) -> list[Difference]:
    """certain: the iterations of the loop around them are right, or there is none."""
    left = list(found)
    result: list[Difference] = []
    for level in (0, 1, 2):  # first those that fit wholly, then those that are admitted, then the rest
        rest = []
        for node in truth:
            candidates = []
            for f in left:
                if holds(node.loop, f.line):
                    problems = compare_either(f, node, certain)
                    candidates.append((sum(1 + 9 * (not p.admitted) for p in problems), len(candidates), f, problems))
            best = min(candidates, default=None)
            if best and (level == 2 or best[0] <= 9 * level):
                left.remove(best[2])
                result += best[3]
            else:
                rest.append(node)
        truth = rest
        if level == 0:
            truth = without_copies(left, truth, result)
    result += [Difference(f"missing: {truth_text(node)}") for node in truth]
    result += [Difference(f"not in the source: {f.text()}", f.entry.loop.about) for f in left]
    return result


def without_copies(left: list[Found], truth: Sequence[Node], result: list[Difference]) -> list[Node]:
    """Takes away loops that a compiler has copied: more in one place than the source has, with the source's iterations
    in all. A loop may be in the truth several times: its routine is called from several places."""
    rest = []
    done: list[Loop] = []
    for node in truth:
        if any(loop is node.loop for loop in done):
            continue
        done.append(node.loop)
        same = [other for other in truth if other.loop is node.loop]
        copies = [f for f in left if holds(node.loop, f.line) and not _is_of_one_within(f, node, truth)]
        if len(copies) > len(same) and sum(f.entry.iterations for f in copies) == sum(n.iterations for n in same):
            for copy in copies:
                left.remove(copy)
            result.append(Difference(f"line {node.loop.first_line}: {len(copies)} copies", admitted=True))
        else:
            rest += same
    return rest


def _is_of_one_within(found: Found, node: Node, truth: Sequence[Node]) -> bool:
    """Of recursive calls, a loop and one within it are side by side."""
    within = (
        n.loop for n in truth if node.loop.first_line < n.loop.first_line <= n.loop.last_line < node.loop.last_line
    )
    return any(holds(loop, found.line) for loop in within)


def compare_either(found: Found, node: Node, certain: bool) -> list[Difference]:
    """Or with the loop within, if it is at the same line, and the outer one is "at least": compilers made two."""
    problems = compare_one(found, node, certain)
    loop = found.entry.loop
    if all(p.admitted for p in problems) or len(found.children) != 1 or not (loop.at_least or loop.about):
        return problems
    (within,) = found.children
    if within.line != found.line:
        return problems
    of_within = compare_one(within, node, certain=False)
    if not all(p.admitted for p in of_within):
        return problems
    return [Difference(f"line {found.line}: two loops", admitted=True), *of_within]


def compare_one(found: Found, node: Node, certain: bool) -> list[Difference]:
    iterations, *per_parent = found.figures()
    at_least, about = found.entry.loop.at_least, found.entry.loop.about
    result = []
    if iterations != node.iterations:
        result.append(
            Difference(
                f"line {found.line}: {iterations} iterations, not {node.iterations}",
                about or (at_least and iterations <= node.iterations),
            )
        )
    elif tuple(per_parent) != node.per_parent():
        what = f"line {found.line}: {tuple(per_parent)} iterations in an iteration around it, not {node.per_parent()}"
        result.append(Difference(what, not certain))
    return result + compare(found.children, node.children, certain=iterations == node.iterations)
